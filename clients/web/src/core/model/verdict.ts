/** Verdict on a match's dice and plays, without its record. Pure. */

import { text } from "../texts/text.ts";
import { isHash, keeps } from "./dice.ts";
import type { Step } from "./record.ts";
import type { View } from "./view.ts";

/** sound: null = nothing is wrong, and nothing is proved */
export type Verdict = { sound: boolean | null; text: string };
/** steps: those of the record that hold, up to the first that does not */
export type Judged = { verdict: Verdict; steps: Step[] };

/** Whether a match ended before it began, since seeds were not revealed. */
export const isVoid = ({ phase, game, unrevealed }: View) => phase === "over" && !game && unrevealed.length > 0;

/** Whether something was played that is over now. */
export const isPlayed = (view: View) => view.phase === "over" && (view.game > 0 || view.rolls > 0);

/** Faults of the seeds of a match that is over. @param server its commitment, as first shown */
export function wrongSeeds(view: View, server: string) {
  if (view.commitment !== server || (view.seed && !isHash(view.seed))) return text.otherServerSeed;
  if (view.rolls && !view.commitments.every(isHash)) return text.faultNoCommitment;
  const seat = [0, 1].find((one) => view.rolls && !keeps(view.seeds[one], view.commitments[one]));
  return seat === undefined ? "" : text.faultSeed(view.players[seat] ?? text.someone);
}
