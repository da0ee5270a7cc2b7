/** The moves of a game: from its record, and as they are made. Pure. */

import { notation } from "./notation.ts";
import { asMoves } from "./plays.ts";
import type { Step } from "./record.ts";
import type { Scene } from "./scenes.ts";

/** A move. what: `moved`, or what was done with the cube; value: of the cube. words: the play as players write it. */
export type Entry = { seat: number; what: string; dice: number[]; words: string; value: number };

const entry = (seat: number, what: string, more: Partial<Entry> = {}): Entry => ({
  seat,
  what,
  dice: [],
  words: "",
  value: 0,
  ...more,
});

/** The moves of the last game of a record. */
export function entriesOf(steps: Step[]): Entry[] {
  let entries: Entry[] = [];
  for (const { what, facts, before, now } of steps) {
    const seat = Number(facts[0]);
    if (what === "game_started") entries = [];
    else if (what === "moved") {
      const words = notation(asMoves(now.last), before.rows[1 - seat]);
      entries.push(entry(seat, what, { dice: before.dice, words }));
    } else if (what === "doubled") entries.push(entry(seat, what, { value: 2 * before.cube.value }));
    else if (what === "taken") entries.push(entry(seat, what, { value: now.cube.value }));
    else if (what === "beavered") entries.push(entry(seat, what, { value: 2 * now.cube.value }));
    else if (what === "game_ended" && facts[3] === "drop") entries.push(entry(1 - seat, "dropped"));
  }
  return entries;
}

/** The moves of a game with what has just happened. */
export function withScene(entries: Entry[], { what, seat, view, dice, whole, words }: Scene): Entry[] {
  const add = (...more: Parameters<typeof entry>) => [...entries, entry(...more)];
  switch (what) {
    case "game":
      return [];
    case "moved":
      return whole ? add(seat, what, { dice, words }) : entries;
    case "passed":
      return add(seat, "moved", { dice });
    case "doubled":
    case "beavered":
      return add(seat, what, { value: 2 * view.cube });
    case "taken":
      return add(seat, what, { value: view.cube });
    case "ended":
      return view.outcome?.[3] === "drop" && view.outcome[0] !== null ? add(1 - view.outcome[0], "dropped") : entries;
    default:
      return entries;
  }
}

/** In rows, as a score sheet has them: seat 0 on the left. */
export function sheet<One extends { seat: number }>(entries: One[]) {
  const rows: (One | null)[][] = [];
  for (const one of entries) {
    const last = rows.at(-1);
    if (one.seat === 1 && last && !last[1]) last[1] = one;
    else rows.push(one.seat ? [null, one] : [one, null]);
  }
  return rows;
}
