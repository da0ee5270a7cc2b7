/** A hint: what one may do now, the best first, with what each is worth, in words that are ready to be shown. Pure. */

import { notation } from "../model/notation.ts";
import { onRoll } from "../model/plays.ts";
import { rowsOf } from "../model/scenes.ts";
import { stakesOf } from "../model/stakes.ts";
import type { View } from "../model/view.ts";
import { HINT } from "../texts/hint/text.ts";
import { cubeAhead, outlookAhead, type Question, rankAhead } from "./judge.ts";
import { isKnown } from "./known.ts";
import type { Network } from "./network.ts";

/** seat: of the player who is to decide. */
export type HintQuestion = { view: View; seat: number; language: string };
/** rows: as many cells as the head has; no head: there is no hint. note: who says so. said: all of it, to be heard. */
export type Hint = { head?: string[]; rows: string[][]; note: string; said: string };

const SHOWN = 5;

export function hintOf(network: Network, { view, seat, language }: HintQuestion): Hint {
  const say = HINT[language];
  if (!isKnown(view.rules)) return noHint(say.unknownStart);
  const worth = (value: number) => fixed(value, language, 3, "always");
  const percent = (value: number) =>
    value.toLocaleString(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  if (view.phase === "move") {
    const rows = rankAhead(network, questionOf(view, seat), SHOWN).map(({ moves, equity, outlook }) => [
      notation(moves, rowsOf(view)[1 - seat]) || say.noPlay,
      worth(equity),
      percent(outlook[0]),
    ]);
    return told([say.play, say.equity, say.win], rows, say.by);
  }
  const isTaker = view.phase === "cube";
  const { position, stakes } = questionOf(view, isTaker ? 1 - seat : seat);
  const outlook = outlookAhead(network, position, stakes);
  const { waiting, taken } = cubeAhead(network, position, stakes);
  const ways: [string, number][] = isTaker
    ? [
        [say.take, -taken],
        [say.drop, -1],
      ]
    : [taken < 1 ? [say.doubleTake, taken] : [say.doubleDrop, 1], [say.noDouble, waiting]];
  const rows = ways
    .sort((a, b) => Math.round((b[1] - a[1]) * 1000)) // as it is shown: what is worth the same and ends the game is first
    .map(([words, equity]) => [words, worth(equity)]);
  const wins = isTaker ? 1 - outlook[0] : outlook[0];
  return told([say.cube, say.equity], rows, `${say.win}: ${percent(wins)}. ${say.by}`);
}

export const told = (head: string[], rows: string[][], note: string): Hint => ({
  head,
  rows,
  note,
  said: [...rows.map((row) => row.join(" ")), note].join(". "),
});

/** A number with so many digits after its point. */
export const fixed = (value: number, language: string, digits: number, signDisplay: "auto" | "always" = "auto") =>
  value
    .toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay })
    .replace("-", "−");

export const noHint = (why: string): Hint => ({ rows: [], note: why, said: why });

function questionOf(view: View, seat: number): Question {
  const { rules, score, cube, owner, dice } = view;
  const at = { score, cube: { value: cube, owner: owner ?? -1 } };
  return { position: onRoll(rowsOf(view), seat, rules), dice, stakes: stakesOf(at, rules, seat), opening: false };
}
