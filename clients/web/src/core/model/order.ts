/**
 * Order of a record: its numbers never fall, nothing follows its end but a ruling, and a flag falls when time is up.
 * Pure.
 */

import type { Rules } from "../../../../../protocol/tavla.d.ts";
import type { en } from "../texts/record/en.ts";
import type { Texts } from "../texts/text.ts";
import type { State, Step } from "./record.ts";
import { minutes } from "./time.ts";

const BEHIND_THE_END = ["ruled", "match_ended", "forked"]; // and the seed that the entry of the end shows
const MONEY_POINTS = 3; // a game of money play has the reserve of so many points

type Named<All> = Extract<keyof All, `fault${string}`>;
type Name = Named<Texts> | Named<typeof en> | "otherServerSeed" | "noSeedShown";
/** A fault as the texts name it, and what they say of it; null = none. */
export type Fault = [name: Name, ...facts: (string | number)[]] | null;

/** The fault in the order of events. */
export function orderFault(events: unknown[][]): Fault {
  const falls = events.findIndex(([seq], at) => at > 0 && Number(seq) < Number(events[at - 1][0]));
  if (falls > 0) return ["faultFalls", Number(events[falls][0]), Number(events[falls - 1][0])];
  const end = events.findIndex(([, , what]) => what === "match_ended");
  for (let at = end + 1; end >= 0 && at < events.length; at++) {
    const [seq, , what, seat] = events[at];
    const isSeed = what === "revealed" && seq === events[end][0] && seat === null;
    if (!BEHIND_THE_END.includes(String(what)) && !isSeed) return ["faultBehind", String(what)];
    if (what === "ruled" && events[at + 1]?.[2] !== "match_ended") return ["faultRuling"];
  }
  return null;
}

/** A clock that the times of a record run, in ms. seat: whose time runs; -1 = neither's. free: of its turn. */
export type Clock = { reserve: number[]; seat: number; since: number; free: number };
export const STOPPED: Clock = { reserve: [0, 0], seat: -1, since: 0, free: 0 };

/** The seat that a match waits for; -1 = neither. */
const toAct = ({ phase, turn, cube, resigned }: State) => {
  if (phase === "between" || phase === "opening" || phase === "over") return -1;
  return resigned ? 1 - resigned[0] : phase === "cube" ? 1 - cube.offer : turn;
};

const spentBy = ({ since }: Clock, time: number) => Math.max(0, time - since);

/**
 * The clock after an event. The server gives back time that a record does not tell of, for lines and outages; so this
 * clock is ahead of its.
 */
export function clockAfter(clock: Clock, { what, before, now }: Step, time: number, rules: Rules): Clock {
  const { length = 7, delay_s = 0, reserve_s = 0 } = rules;
  const over = Math.max(0, spentBy(clock, time) - clock.free);
  const isFull = now.game > before.game && (!before.game || !length);
  const full = 1000 * reserve_s * (length || MONEY_POINTS);
  const reserve = clock.reserve.map((left, seat) => (seat === clock.seat ? Math.max(0, left - over) : left));
  const seat = toAct(now);
  const isSameTurn = seat === clock.seat && what !== "moved";
  const free = isSameTurn ? Math.max(0, clock.free - spentBy(clock, time)) : 1000 * delay_s;
  return { reserve: isFull ? [full, full] : reserve, seat, since: time, free };
}

/** The fault of a flag; null = the time was up. */
export function flagFault(
  clock: Clock,
  at: State,
  time: number,
  winner: unknown,
  rules: Rules,
  names: string[],
): Fault {
  const { seat, reserve, free } = clock;
  if (!(rules.delay_s || rules.reserve_s) || seat < 0 || winner !== 1 - seat) return ["faultScore", at.rolls];
  const left = reserve[seat] + free - spentBy(clock, time);
  return left > 0 ? ["faultFlag", names[seat], minutes(left)] : null;
}
