/**
 * What is said of a match's dice and plays: by its seeds, its record, and what was shown while it was played. Pure.
 *
 * @import {View} from "./view.js"
 * @import {Own, Witness} from "./witness.js"
 * @typedef {{sound: boolean | null, text: string}} Verdict sound: null = nothing is wrong, and nothing is proved
 * @typedef {{verdict: Verdict, events: any[][]}} Judged events: those that hold, up to the first that does not
 */
import { commitment, isHash, keeps, rollOf } from "./dice.js";
import { judge } from "./record.js";
import { text } from "./text.js";

/** How a verdict is drawn. @param {Verdict} verdict */
export const kindOf = ({ sound }) => (sound ? "sound" : sound === false ? "wrong" : "");

/** Whether a match ended before it began, since seeds were not revealed. @param {View} view */
export const isVoid = (view) => view.phase === "over" && !view.game && view.unrevealed.length > 0;

/** Whether something was played that is over now. @param {View} view */
export const isPlayed = (view) => view.phase === "over" && (view.game > 0 || view.rolls > 0);

/**
 * @param {string} match
 * @param {View} view the last one
 * @param {any[][]} events of its record
 * @param {Witness | null} witness what we were shown while it was played
 * @returns {Judged}
 */
export function judged(match, view, events, witness) {
  const seeds = view.phase === "over" ? wrongSeeds(view, witness?.server || view.commitment) : "";
  const roll = view.phase === "over" && !seeds ? (/** @type {number} */ k) => rollOf(match, view, k) : null;
  const { fault, sound, rolls, turns } = judge(view, events, roll);
  const wrong = witness?.faults[0] || seeds || fault || (witness && sound >= 0 ? differs(witness, rolls, turns) : "");
  if (sound < 0 && !wrong) return { events, verdict: { sound: null, text: text.laterRules } };
  return { events: sound < 0 ? events : events.slice(0, sound), verdict: wrong ? { sound: false, text: text.wrong(wrong) } : right(view, roll !== null) };
}

/** @param {View} view @param {boolean} isOver @returns {Verdict} */
function right(view, isOver) {
  if (!isOver) return { sound: null, text: text.notOver };
  const without = [0, 1].filter((seat) => !view.commitments[seat]).map((seat) => view.players[seat] ?? text.someone);
  if (without.length === 2) return { sound: null, text: text.soundForServer(view.rolls) };
  return { sound: true, text: text.soundRolls(view.rolls, without) };
}

/** What is wrong with the seeds of a match that is over. @param {View} view @param {string} server its commitment, as first shown */
export function wrongSeeds(view, server) {
  if (!view.seed) return text.noSeedShown;
  if (!isHash(view.seed) || view.commitment !== server || commitment(view.seed) !== server) return text.otherServerSeed;
  const seat = [0, 1].find((one) => view.rolls && !keeps(view.seeds[one], view.commitments[one], view.commitments[1 - one]));
  return seat === undefined ? "" : text.faultSeed(view.players[seat] ?? text.someone);
}

/** What was shown and is not in the record; "" = it agrees. @param {Witness} witness @param {string[]} rolls @param {string[]} turns */
function differs({ rolls: seen, turns: played }, rolls, turns) {
  for (const [number, shown] of seen) if (rolls[number] !== shown) return text.faultDiffers(number);
  for (const [number, shown] of played) if (turns[number] !== shown) return text.faultDiffers(number);
  return "";
}
