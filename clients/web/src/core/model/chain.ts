/** Chain of a server's seeds, one for each game, each of which hashes to the one before; link 0 is the commitment. Pure. */
import { fromHex, hmac, sha256, toHex } from "./sha256.ts";
import type { View } from "./view.ts";

export const LINKS = 256;

/** The seed so many links before another one. */
export function earlier(seed: string, links: number) {
  let bytes = fromHex(seed);
  for (let link = 0; link < links; link++) bytes = sha256(bytes);
  return toHex(bytes);
}

/** The number of a link, counted down to what was committed to; -1: it is no link of that chain. */
export function linkNumber(seed: string, committed: string) {
  for (let number = 0, at = seed; number <= LINKS; number++) {
    if (at === committed) return number;
    at = earlier(at, 1);
  }
  return -1;
}

/** Roll number k of a match, in the game of a link. @param bound "BINDING:SEED_0:SEED_1" */
export function rollOfLink(seed: string, bound: string, link: number, k: number): [number, number] {
  const dice: number[] = [];
  for (let block = 0; dice.length < 2; block++) {
    const message = new TextEncoder().encode([bound, link, k, block].join(":"));
    for (const byte of hmac(fromHex(seed), message)) if (byte < 252) dice.push((byte % 6) + 1);
  }
  return [dice[0], dice[1]];
}

/** The dice of a link by their number; null: its seed is not known. */
export type LinkDice = (link: number, k: number) => [number, number] | null;

/** The dice that follow from the newest seed that a view shows. @param bound to the terms, in hex */
export function provenDice({ seed, seeds, commitment }: View, bound: string): LinkDice {
  const newest = linkNumber(seed, commitment);
  const links = new Map<number, string>();
  return (number, k) => {
    if (number > newest) return null;
    const link = links.get(number) ?? earlier(seed, newest - number);
    links.set(number, link);
    return rollOfLink(link, [bound, ...seeds].join(":"), number, k);
  };
}

/** The number of games that are over, or cut short. */
export const gamesOver = ({ phase, game }: View) =>
  phase === "ready" || phase === "over" ? game : Math.max(0, game - 1);

/** The number of the newest seed that a view shows; 0 = none. */
export const shownLink = ({ seed }: View, committed: string) => (seed ? linkNumber(seed, committed) : 0);
