/**
 * What everyone may see of a match: made from a snapshot, patched by diffs. Pure. See "The view" in protocol/README.md.
 *
 * @import {View as Shown} from "../../../protocol/tavla.d.ts"
 * @typedef {Required<Pick<Shown, typeof FIELDS[number]>>} View
 */
import { Encoder } from "@msgpack/msgpack";

/** The fields, in the order of their codes in a diff. Later ones are passed over. */
const FIELDS = /** @type {const} */ ([
  "name", "rules", "players", "phase", "turn", "dice", "points", "last", "rolls", "cube", "owner", "offer",
  "resignation", "score", "game", "crawford", "ready", "auto_roll", "auto_play", "outcome", "commitment", "seeds",
  "seed", "clock", "kinds", "ratings", "code", "spectators", "series", "commitments", "unrevealed", "aborts",
]);

/** @type {View} Every field as it is when a snapshot leaves it out. */
export const EMPTY = {
  name: "", rules: {}, players: [null, null], phase: "open", turn: 0, dice: [], points: new Uint8Array(52), last: [],
  rolls: 0, cube: 1, owner: null, offer: null, resignation: null, score: [0, 0], game: 0, crawford: false,
  ready: [false, false], auto_roll: [false, false], auto_play: [false, false], outcome: null, commitment: "",
  seeds: ["", ""], seed: "", clock: null, kinds: [null, null], ratings: [null, null], code: "", spectators: true,
  series: [0, 0], commitments: ["", ""], unrevealed: [], aborts: [null, null],
};
const POINTS = FIELDS.indexOf("points");
const CHECKED = FIELDS.indexOf("seed") + 1; // fields added later are not in the checksum
export const CLOCK = FIELDS.indexOf("clock");

/** A view from a snapshot's fields by name; names of a later version are passed over. @param {Shown} fields */
export function fromFields(fields) {
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => name in EMPTY));
  return /** @type {View} */ ({ ...EMPTY, ...known });
}

/**
 * The view after a diff: [code, value, ...]. Codes of a later version are passed over.
 * @param {View} view
 * @param {unknown[]} diff
 */
export function patch(view, diff) {
  if (diff.length % 2) throw new RangeError("a diff has a value for each code");
  /** @type {Record<string, unknown>} */
  const values = {};
  for (let i = 0; i < diff.length; i += 2) {
    const code = Number(diff[i]);
    if (code < FIELDS.length) values[FIELDS[code]] = code === POINTS ? dense(view.points, diff[i + 1]) : diff[i + 1];
  }
  return /** @type {View} */ ({ ...view, ...values });
}

/** @param {Uint8Array} points @param {unknown} changes */
function dense(points, changes) {
  if (!(changes instanceof Uint8Array) || changes.length % 2) throw new RangeError("points are bytes: index, count, ...");
  const counts = points.slice();
  for (let i = 0; i < changes.length; i += 2) {
    if (changes[i] >= counts.length) throw new RangeError(`there is no point ${changes[i]}`);
    counts[changes[i]] = changes[i + 1];
  }
  return counts;
}

/** The seats that the match waits for. @param {View} view @returns {number[]} */
export function toAct(view) {
  switch (view.phase) {
    case "roll":
    case "move":
      return [view.turn];
    case "cube":
      return view.offer === null ? [] : [1 - view.offer];
    case "resign":
      return view.resignation === null ? [] : [1 - view.resignation[0]];
    case "ready":
      return [0, 1].filter((seat) => !view.ready[seat]);
    default:
      return [];
  }
}

/** A seat's 26 counts in its own numbering. @param {View} view @param {number} seat */
export const row = (view, seat) => view.points.subarray(26 * seat, 26 * seat + 26);

/** How many pips a row has to go. @param {ArrayLike<number>} counts */
export const pips = (counts) => Array.from(counts).reduce((sum, count, point) => sum + count * point, 0);

const encoder = new Encoder({ sortKeys: true });

/** CRC-32 of the first fields, as "Checksum" in the protocol says. @param {View} view */
export function checksum(view) {
  return crc32(encoder.encode(FIELDS.slice(0, CHECKED).map((name) => view[name])));
}

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
