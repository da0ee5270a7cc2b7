/** Terms of a match: the text that both players agree to, and that its dice hang on. Pure. See "Terms" in the protocol. */
import { sha256, toHex } from "./sha256.ts";
import type { View } from "./view.ts";

const hashOf = (text: string) => toHex(sha256(new TextEncoder().encode(text)));

/** A player in the terms. */
export const playerHash = (salt: string, kind: string, name: string) => hashOf(`${salt}:${kind}:${name}`);

/**
 * The terms, eight lines.
 * @param rules the view's
 * @param players by seat, as `playerHash` gives them
 * @param commitments the server's, white's, black's
 */
export function termsText(match: string, rules: object, players: string[], commitments: string[]) {
  const named = Object.fromEntries(Object.entries(rules).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const lines = ["tavla-terms-1", match, JSON.stringify(named), ...players, ...commitments];
  return lines.map((line) => `${line}\n`).join("");
}

/** What binds dice to some terms. */
export const binding = (text: string) => hashOf(text);

const SOMEONE = "someone"; // stands for a player whose account was closed: the name's hash stays

/** The terms that a view shows; "" while a seat is free. @param known lines of them where a name has gone */
export function termsOf(match: string, view: View, known: string[] = []) {
  const { salts, kinds, players, rules, commitment, commitments } = view;
  const hashes = [0, 1].map((seat) => {
    if (salts[seat]) return playerHash(salts[seat], `${kinds[seat]}`, `${players[seat]}`);
    return players[seat] === SOMEONE && view.phase === "over" ? (known[3 + seat] ?? "") : "";
  });
  return hashes.every(Boolean) ? termsText(match, rules, hashes, [commitment, ...commitments]) : "";
}

/** The terms that a record tells of. */
export const agreedText = (events: unknown[][]) => `${events.find(([, , what]) => what === "agreed")?.[3] ?? ""}`;
