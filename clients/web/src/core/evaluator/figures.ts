/** Luck and PR of both in a match that is over, in words that are ready to be shown. Pure. */

import type { Analysis } from "../../../../../protocol/tavla.d.ts";
import { decisionsOf, unplayedOf } from "../model/decisions.ts";
import { costOf, ratingOf, tallyOf } from "../model/findings.ts";
import type { Step } from "../model/record.ts";
import type { View } from "../model/view.ts";
import { HINT, judgeName } from "../texts/hint/text.ts";
import { fixed, type Hint, noHint, told } from "./hint.ts";
import { judgePlays, luckOf, weighCube } from "./judge.ts";
import { isKnown } from "./known.ts";
import type { Network } from "./network.ts";

/** analysis: what the server's judge has found, where it has come to it. seat: whose figures come last. */
export type FiguresQuestion = {
  view: View;
  steps: Step[];
  analysis?: Analysis | null;
  seat: number;
  language: string;
};

const EACH = 20; // decisions from one word of how far it is to the next

/** The answer that needs no network: the server's figures, or that there are none. */
export function figuresThere({ view, analysis, seat, language }: FiguresQuestion): Hint | null {
  const say = HINT[language];
  if (analysis?.by) {
    const { ratings = [null, null], luck = [0, 0] } = analysis;
    return rowsOf(view, seat, language, ratings, luck, say.judgedThere(judgeName(analysis, language)));
  }
  return isKnown(view.rules) ? null : noHint(say.unknownStart);
}

/** All decisions judged here. tell: how far it is, and at last the figures. */
export function figuresHere(
  network: Network,
  { view, steps, seat, language }: FiguresQuestion,
  tell: (hint: Hint) => void,
) {
  const say = HINT[language];
  const decisions = decisionsOf(steps, view.rules);
  const judged = decisions.map((one, place) => {
    if (place % EACH === 0) tell({ rows: [], note: say.judging(place, decisions.length), said: "" });
    const { what, question } = one;
    const isPlay = what === "play";
    const finding = costOf(one, isPlay ? judgePlays(network, question) : weighCube(network, question), one);
    return { seat: one.seat, finding, luck: isPlay ? luckOf(network, question) : 0 };
  });
  const unplayed = unplayedOf(steps, view.rules).map((one) => ({
    seat: one.seat,
    luck: luckOf(network, one.question),
  }));
  const tallies = [0, 1].map((who) => {
    const own = judged.filter((one) => one.seat === who);
    const rest = unplayed.filter((one) => one.seat === who);
    return tallyOf(
      own.map(({ finding }) => finding),
      [...own, ...rest].map(({ luck }) => luck),
    );
  });
  const lucks = tallies.map(({ luck }) => luck);
  tell(rowsOf(view, seat, language, tallies.map(ratingOf), lucks, say.judgedHere));
}

function rowsOf(
  { players }: View,
  seat: number,
  language: string,
  ratings: (number | null)[],
  lucks: number[],
  note: string,
) {
  const say = HINT[language];
  const rows = [1 - seat, seat].map((one) => {
    const rating = ratings[one];
    return [
      players[one] ?? "?",
      rating === null ? "–" : fixed(rating, language, 1),
      fixed(lucks[one], language, 3, "always"),
    ];
  });
  return told(["", say.rating, say.luck], rows, note);
}
