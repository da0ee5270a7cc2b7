/** What all readers of files share. */

import { decisionsOf } from "../../../core/model/decisions.ts";
import { judgementOf } from "../../../core/model/judgement.ts";
import type { Rows } from "../../../core/model/scenes.ts";
import type { FileMatch } from "./reading.ts";

/** A match that can be shown: what a file says may be of any shape. @throws for one that cannot */
export function checked(found: FileMatch) {
  if (!isShown(found)) throw new TypeError("no judgement");
  judgementOf(decisionsOf(found.steps, found.view.rules), found);
  return found;
}

/** Whether what the file's judge has found can be shown. */
function isShown({ analysis, findings }: FileMatch) {
  const { by = "", seen, ratings, lost, luck, decisions } = analysis ?? {};
  const arePairs = [seen, ratings, lost, luck, decisions].every(
    (pair) => !pair || (pair.length === 2 && pair.every((one) => one === null || Number.isFinite(one))),
  );
  const areFound = (findings ?? []).every(
    ([, , , done, best, loss]) => [done, best].every((one) => typeof one === "string") && Number.isFinite(loss),
  );
  return typeof by === "string" && arePairs && areFound;
}

/** The rows of 26 signs, point by point: capital letters are checkers of the first seat, small ones of the other. */
export function lettered(signs: string): Rows {
  const rows: Rows = [Array(26).fill(0), Array(26).fill(0)];
  for (const [point, letter] of [...signs].entries()) {
    if (/[A-O]/.test(letter)) rows[0][point] = letter.charCodeAt(0) - 64;
    else if (letter !== "-") rows[1][25 - point] = letter.charCodeAt(0) - 96;
  }
  return rows;
}

/** UTF-8, or else the Latin-1 of Windows. */
export function textOf(bytes: Uint8Array) {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder("windows-1252").decode(bytes);
  }
  return text.replace(/\r\n?/g, "\n");
}
