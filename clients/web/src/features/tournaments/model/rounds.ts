/** Tournaments with rounds: their pairings by round, as a bracket, and as a crosstable. Pure. */

import type { Pairing } from "../../../../../../protocol/tavla.d.ts";
import type { Row } from "./ranks.ts";

/** In the order in which they were made. */
const inOrder = (pairings: Record<string, Pairing>) =>
  Object.entries(pairings)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, one]) => one);

/** The pairings of each round, the first round first. */
export function roundsOf(pairings: Record<string, Pairing>): Pairing[][] {
  const found: Pairing[][] = [];
  for (const one of inOrder(pairings)) {
    while (found.length < one.round) found.push([]);
    found[one.round - 1].push(one);
  }
  return found;
}

/** The winner of a pairing: a bye is a win. */
export const winnerOf = ({ players, winner = null }: Pairing): string | undefined =>
  players.length === 1 ? players[0] : winner === null ? undefined : players[winner];

/** The names of those who did not come to a pairing. */
export const absentOf = ({ players, absent = [] }: Pairing) =>
  players.length > 1 ? absent.map((seat) => players[seat]) : [];

/** A player's last pairing, if it was decided without a match: one of the two did not come, or it is a bye. */
export function walkoverOf(pairings: Record<string, Pairing>, name: string): Pairing | undefined {
  const last = inOrder(pairings).findLast(({ players }) => players.includes(name));
  return last && winnerOf(last) && (last.players.length === 1 || absentOf(last).length) ? last : undefined;
}

/** A place in a bracket. players: "" = not known yet. match: "" = none to look at. */
export type Slot = { players: string[]; winner: string | undefined; match: string; over: boolean };

/**
 * The rounds of a bracket, those to come with the winners that are known.
 * @param rounds of the whole; those of the main bracket, 0, are all shown
 */
export function bracketOf(pairings: Record<string, Pairing>, bracket: number, rounds: number): Slot[][] {
  const made = roundsOf(pairings).map((all) => all.filter((one) => (one.bracket ?? 0) === bracket));
  const first = made.findIndex((all) => all.length);
  if (first < 0) return [];
  const found = made.slice(first).map((all) => all.map(slotOf));
  let last = found[found.length - 1];
  while (last.length > 1 && found.length + first < rounds) {
    const next = [];
    for (let n = 0; n < last.length; n += 2) {
      const players = last.slice(n, n + 2).map(({ winner }) => winner ?? "");
      next.push({ players, winner: undefined, match: "", over: false });
    }
    found.push(next);
    last = next;
  }
  return found.filter((all) => all.length);
}

const slotOf = (one: Pairing): Slot => ({
  players: one.players,
  winner: winnerOf(one),
  match: one.match ?? "",
  over: one.over ?? false,
});

/** A player's pairing as a cell of a crosstable. result: 1 won, 0 lost, null = neither. opponent: the place; 0 = a bye. */
export type Cell = { opponent: number; result: 1 | 0 | null; match: string; round: number };

/** Each player's pairings, by name, in the order of the rounds. */
export function cellsOf(rows: Row[], pairings: Record<string, Pairing>): Map<string, Cell[]> {
  const places = new Map(rows.map(({ name, place }) => [name, place]));
  const found = new Map<string, Cell[]>(rows.map(({ name }) => [name, []]));
  for (const one of inOrder(pairings)) {
    one.players.forEach((name, seat) => {
      const opponent = places.get(one.players[1 - seat]) ?? 0;
      const winner = winnerOf(one);
      const result = winner === undefined ? null : winner === name ? 1 : 0;
      found.get(name)?.push({ opponent, result, match: one.match ?? "", round: one.round });
    });
  }
  return found;
}
