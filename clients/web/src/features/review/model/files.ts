/** The match in a file, whatever its name says it is. */

import { decisionsOf } from "../../../core/model/decisions.ts";
import { judgementOf } from "../../../core/model/judgement.ts";
import { readBgf } from "./bgf.ts";
import { readJson } from "./json.ts";
import { readMat } from "./mat.ts";
import { readOgxm } from "./ogxm.ts";
import type { FileMatch } from "./reading.ts";
import { readSgf } from "./sgf.ts";
import { matchOf } from "./sheet.ts";
import { readXg } from "./xg.ts";

const HEAD = 200; // bytes in which a format says its name

/** @throws for a file that is none, or one that only the terminal reads */
export async function readMatch(file: ArrayBuffer): Promise<FileMatch> {
  const found = await readAny(file);
  // What a file says may be of any shape.
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

async function readAny(file: ArrayBuffer): Promise<FileMatch> {
  const bytes = new Uint8Array(file);
  const sign = String.fromCharCode(...bytes.subarray(0, 4));
  if (sign === "RGMH") return readXg(file);
  if (sign === "OGXM") return matchOf(readOgxm(bytes));
  if (/^\s*\{[^\n]*"BGF"/.test(String.fromCharCode(...bytes.subarray(0, HEAD)))) return readBgf(bytes);
  const text = textOf(bytes).trimStart();
  if (text.startsWith("{")) return readJson(text);
  return matchOf(/^\(\s*;/.test(text) ? readSgf(text) : readMat(text));
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
