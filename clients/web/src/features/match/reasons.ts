/** Why a play is not allowed, in a sentence. A script beside the first page, fetched for the first such play. */

import { position, sources, type Turn } from "../../core/model/turn.ts";
import { firstRefused, type Refusal, whyNot } from "./model/refused.ts";
import { REFUSED } from "./texts/text.ts";

/** @param from the point of the chosen checker; null: the one at `to` was to be chosen */
export const whyNoPoint = (turn: Turn, from: number | null, to: number, language: string) =>
  sentence(whyNot(turn, from, to), language);

/** Why a tap has moved and chosen nothing; "": it was on no checker of ours, nor on the tray. @param chosen the point that was chosen */
export function whyNoTap(turn: Turn, chosen: number | null, point: number, language: string) {
  const isOwn = point > 0 && position(turn).mine[point] > 0;
  const [only, ...others] = sources(turn);
  const from = chosen ?? (others.length ? null : only);
  return isOwn || from !== null || point === 0 ? whyNoPoint(turn, isOwn ? null : from, point, language) : "";
}

/** @param words a turn as it was typed */
export function whyNoPlay(turn: Turn, words: string, language: string) {
  const refused = firstRefused(turn, words);
  return refused ? sentence(refused, language) : REFUSED[language].cannotRead;
}

function sentence({ why, point, dice }: Refusal, language: string) {
  const say = REFUSED[language];
  const shown = dice.join(", ");
  if (why === "closed") return say.whyClosed(point);
  if (why === "stuck") return say.whyStuck(point);
  if (why === "way") return say.whyWay(point);
  if (why === "far") return say.whyFar(point, shown);
  if (why === "short") return say.whyOff(shown);
  return say.why[why];
}
