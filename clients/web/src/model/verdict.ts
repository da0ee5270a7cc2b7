/** Verdict on a match's dice and plays: by its seeds, its record, and what was shown while it was played. Pure. */

import { text } from "../texts/text.ts";
import { commitment, isHash, keeps, rollOf } from "./dice.ts";
import type { Step } from "./record.ts";
import { judge } from "./referee.ts";
import type { View } from "./view.ts";
import type { Witness } from "./witness.ts";

/** sound: null = nothing is wrong, and nothing is proved */
export type Verdict = { sound: boolean | null; text: string };
/** steps: those of the record that hold, up to the first that does not */
export type Judged = { verdict: Verdict; steps: Step[] };

/** Mark of a verdict. */
export const kindOf = ({ sound }: Verdict) => (sound ? "sound" : sound === false ? "wrong" : "");

/** Whether a match ended before it began, since seeds were not revealed. */
export const isVoid = (view: View) => view.phase === "over" && !view.game && view.unrevealed.length > 0;

/** Whether something was played that is over now. */
export const isPlayed = (view: View) => view.phase === "over" && (view.game > 0 || view.rolls > 0);

/**
 * @param view the last one
 * @param events of its record
 * @param witness what we were shown while it was played
 */
export function judged(match: string, view: View, events: unknown[][], witness: Witness | null): Judged {
  const seeds = view.phase === "over" ? wrongSeeds(view, witness?.server || view.commitment) : "";
  const roll = view.phase === "over" && !seeds ? (k: number) => rollOf(match, view, k) : null;
  const { fault, isJudged, steps } = judge(view, events, roll);
  const wrong = witness?.faults[0] || seeds || fault || (witness && isJudged ? differs(witness, steps) : "");
  if (wrong) return { steps, verdict: { sound: false, text: text.wrong(wrong) } };
  return { steps, verdict: isJudged ? right(view, roll !== null) : { sound: null, text: text.laterRules } };
}

function right(view: View, isOver: boolean): Verdict {
  if (!isOver) return { sound: null, text: text.notOver };
  const without = [0, 1].filter((seat) => !view.commitments[seat]).map((seat) => view.players[seat] ?? text.someone);
  if (without.length === 2) return { sound: null, text: text.soundForServer(view.rolls) };
  return { sound: true, text: text.soundRolls(view.rolls, without) };
}

/** Faults of the seeds of a match that is over. @param server its commitment, as first shown */
export function wrongSeeds(view: View, server: string) {
  if (!view.seed) return text.noSeedShown;
  if (!isHash(view.seed) || view.commitment !== server || commitment(view.seed) !== server) return text.otherServerSeed;
  const seat = [0, 1].find((one) => view.rolls && !keeps(view.seeds[one], view.commitments[one]));
  return seat === undefined ? "" : text.faultSeed(view.players[seat] ?? text.someone);
}

/** Difference between what was shown and the record; "" = none. */
function differs(witness: Witness, steps: Step[]) {
  const rolls = new Map<number, string>();
  const turns = new Map<number, string>();
  for (const { what, before, now } of steps) {
    const roll = [now.roller, ...now.dice.toSorted((a, b) => b - a)];
    if (now.rolls > before.rolls && now.phase === "move") rolls.set(now.rolls, `${roll}`);
    if (what === "moved") turns.set(now.rolls, `${[...roll, ...now.last.flatMap(({ from, to }) => [from, to])]}`);
  }
  for (const [number, shown] of witness.rolls) if (rolls.get(number) !== shown) return text.faultDiffers(number);
  for (const [number, shown] of witness.turns) if (turns.get(number) !== shown) return text.faultDiffers(number);
  return "";
}
