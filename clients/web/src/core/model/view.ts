/**
 * The view of a match, the same for all: made from a snapshot, patched by diffs. Pure. See "The view" in
 * protocol/README.md.
 */

import type { View as Shown } from "../../../../../protocol/tavla.d.ts";
import { encode } from "./msgpack.ts";

export type View = Required<Shown>;

const MOST_TURNS = 1000; // that the server plays in one go: more than any game has

const isCount = (value: unknown, most: number = Number.MAX_SAFE_INTEGER) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
const isString = (value: unknown) => typeof value === "string";
const isText = (value: unknown) => isString(value) && String(value).length <= 1000;
const isSeat = (value: unknown) => value === 0 || value === 1;
const orNull =
  (is: (value: unknown) => boolean): ((value: unknown) => boolean) =>
  (value) =>
    value === null || is(value);
const both =
  (is: (value: unknown) => boolean): ((value: unknown) => boolean) =>
  (value) =>
    Array.isArray(value) && value.length === 2 && value.every((one) => is(one));
const isFlag = (value: unknown) => typeof value === "boolean";

/** Whether these are two dice. */
export const isPair = (value: unknown): boolean => both((die) => isCount(die, 6) && die !== 0)(value);

/** A turn as `last` has it: seat, die, die, from, to, ... */
const isTurn = (value: unknown) =>
  Array.isArray(value) &&
  value.length % 2 === 1 &&
  value.length <= 11 &&
  isSeat(value[0]) &&
  isPair(value.slice(1, 3)) &&
  value.slice(3).every((point) => isCount(point, 25));

const arePoints = (value: unknown) => {
  if (!(value instanceof Uint8Array) || value.length !== 52) return false;
  return [0, 26].every((from) => value.slice(from, from + 26).reduce((all, count) => all + count, 0) <= 15);
};

/** Winner, points, kind, ending. */
const isOutcome = (value: unknown) =>
  Array.isArray(value) && orNull(isSeat)(value[0]) && isCount(value[1]) && isCount(value[2]) && isText(value[3]);

/** Every field in the order of the codes in a diff: its value where a snapshot leaves it out, and whether one can be. */
const TABLE: { [Name in keyof View]: [empty: View[Name], mayBe: (value: unknown) => boolean] } = {
  name: ["", isText],
  rules: [{}, (value) => value !== null && typeof value === "object"],
  players: [[null, null], both(orNull(isText))],
  phase: ["open", isText],
  turn: [0, isSeat],
  dice: [[], (value) => isPair(value) || (Array.isArray(value) && !value.length)],
  points: [new Uint8Array(52), arePoints],
  last: [[], (value) => Array.isArray(value) && value.length < MOST_TURNS && value.every(isTurn)],
  rolls: [0, isCount],
  cube: [1, (value) => isCount(value) && value !== 0],
  owner: [null, orNull(isSeat)],
  offer: [null, orNull(isSeat)],
  resignation: [null, orNull((value) => Array.isArray(value) && isSeat(value[0]) && isCount(value[1], 3))],
  score: [[0, 0], both(isCount)],
  game: [0, isCount],
  crawford: [false, isFlag],
  ready: [[false, false], both(isFlag)],
  auto_roll: [[false, false], both(isFlag)],
  auto_play: [[false, false], both(isFlag)],
  outcome: [null, orNull(isOutcome)],
  commitment: ["", isString],
  seeds: [["", ""], both(isString)],
  seed: ["", isString],
  clock: [null, orNull((value) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite))],
  kinds: [[null, null], both(orNull(isText))],
  ratings: [[null, null], both(orNull(Number.isFinite))],
  code: ["", isText],
  spectators: [true, isFlag],
  series: [[0, 0], both(isCount)],
  commitments: [["", ""], both(isString)],
  unrevealed: [[], (value) => Array.isArray(value) && value.length <= 2 && value.every(isSeat)],
  aborts: [[null, null], both(orNull(isCount))],
  used: [null, orNull(both(isCount))],
  salts: [["", ""], both(isText)],
  tournament: [null, orNull((value) => Array.isArray(value) && isText(value[0]) && isCount(value[1]))],
};
const FIELDS = Object.keys(TABLE) as (keyof View)[];
export const EMPTY = Object.fromEntries(FIELDS.map((name) => [name, TABLE[name][0]])) as View;
const POINTS = FIELDS.indexOf("points");
const CHECKED = FIELDS.indexOf("seed") + 1; // fields added later are not in the checksum
export const CLOCK = FIELDS.indexOf("clock");

/** The fields of a view with values that cannot be. */
export const unreadable = (view: View) => FIELDS.filter((name) => !TABLE[name][1](view[name]));

/** A view with what can be read of another one. */
export const readable = (view: View, before: View) => ({
  ...view,
  ...Object.fromEntries(unreadable(view).map((name) => [name, before[name]])),
});

/** A view from a snapshot's fields by name; names of a later version are passed over. */
export function fromFields(fields: Shown) {
  const known: Partial<View> = Object.fromEntries(Object.entries(fields).filter(([name]) => name in EMPTY));
  return { ...EMPTY, ...known };
}

/** The view after a diff: [code, value, ...]. Codes of a later version are passed over. */
export function patch(view: View, diff: unknown[]) {
  if (diff.length % 2) throw new RangeError("a diff has a value for each code");
  const values: Record<string, unknown> = {};
  for (let i = 0; i < diff.length; i += 2) {
    const code = Number(diff[i]);
    if (code < FIELDS.length) values[FIELDS[code]] = code === POINTS ? dense(view.points, diff[i + 1]) : diff[i + 1];
  }
  return { ...view, ...values } as View;
}

function dense(points: Uint8Array, changes: unknown) {
  if (!(changes instanceof Uint8Array) || changes.length % 2)
    throw new RangeError("points are bytes: index, count, ...");
  const counts = points.slice();
  for (let i = 0; i < changes.length; i += 2) {
    if (changes[i] >= counts.length) throw new RangeError(`there is no point ${changes[i]}`);
    counts[changes[i]] = changes[i + 1];
  }
  return counts;
}

/** The seats that the match waits for. */
export function toAct(view: View): number[] {
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

/** What a seat may lose now, as kinds: those that count by the rules, and one alone after it has borne off. */
export function resignable(view: View, seat: number) {
  const { backgammons = true, jacoby, automatic_doubles } = view.rules;
  const isTurned = view.owner !== null || (view.cube > 1 && !automatic_doubles);
  const isSingle = (jacoby && !isTurned) || row(view, seat)[0];
  return [1, 2, 3].slice(0, isSingle ? 1 : backgammons ? 3 : 2);
}

/** Whether the cube that is offered may be turned once more: a view tells an odd number of beavers by whose offer it is. */
export function mayBeaver({ rules, cube, offer, turn }: View) {
  const { beavers = 0, cube_cap } = rules;
  return 4 * cube <= (cube_cap || Infinity) && (beavers > 1 || (beavers === 1 && offer === turn));
}

/** A seat's 26 counts in its own numbering. */
export const row = (view: View, seat: number) => view.points.subarray(26 * seat, 26 * seat + 26);

export function pips(row: ArrayLike<number>) {
  let sum = 0;
  for (let point = 1; point <= 25; point++) sum += point * row[point];
  return sum;
}

/** CRC-32 of the first fields, as "Checksum" in the protocol says. */
export function checksum(view: View) {
  return crc32(
    encode(
      FIELDS.slice(0, CHECKED).map((name) => view[name]),
      true,
    ),
  );
}

function crc32(bytes: Uint8Array) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
