/**
 * Positions as programs write them: XGID, OpenGammon's OGID, and GNU Backgammon's Position ID, alone or with a Match ID. Pure.
 * Sources: eXtreme Gammon's help, "XGID"; the GNU Backgammon manual, "A technical description of the Position ID" and "of
 * the Match ID". The engine reads them in `xgid.py` and `gnuid.py`.
 */
import { across, BAR } from "../../../core/board/plan.ts";
import type { Decision } from "../../../core/model/decisions.ts";
import { whole } from "../../../core/model/plays.ts";
import { begin } from "../../../core/model/record.ts";
import type { Rows } from "../../../core/model/scenes.ts";
import { isOff, mayDouble, stakesOf } from "../../../core/model/stakes.ts";
import { lettered } from "./files.ts";

/** seat: on roll, or who has doubled. owner: of the cube; -1 = none. length: 0 = money. cap: highest cube; 1 = there is none. */
export type Setup = {
  rows: Rows;
  seat: number;
  dice: number[];
  isOffered: boolean;
  cube: number;
  owner: number;
  score: [number, number];
  length: number;
  isCrawford: boolean;
  isJacoby: boolean;
  beavers: boolean;
  cap: number;
};

const NO_CAP = 2 ** 32;
const MOST_LENGTH = 64;
/** The fields of an XGID, and the shape of each. */
const FIELDS = [
  ["board", "[-A-Oa-o]{26}"],
  ["power", "\\d{1,2}"],
  ["owner", "-1|0|1"],
  ["turn", "-1|1"],
  ["roll", "00|[1-6]{2}|D{1,2}"],
  ["score", "\\d{1,4}"],
  ["score", "\\d{1,4}"],
  ["flags", "[0-3]"],
  ["length", "\\d{1,2}"],
  ["power", "\\d{1,2}"],
] as const;
const XGID = new RegExp(`^(?:XGID=)?${FIELDS.map(([, shape]) => `(${shape})`).join(":")}$`);
const OGID =
  /^(?:OGID[=:])?([0-9a-p]+):([0-9a-p]+):([BWND?])([0-9])([OTPN]):([1-6]{2}|):([WB])(?::([A-Z]{0,2})(?::(\d{1,4}):(\d{1,4})(?::(\d{1,2})([LCG]?)\d*(?::\d*){0,2})?)?)?$/;
const GNU = /^([A-Za-z0-9+/]{14})(?::([A-Za-z0-9+/]{12}))?$/;

const parse = (text: string) => xgid(XGID.exec(text)) ?? ogid(OGID.exec(text)) ?? gnu(GNU.exec(text));

/** The position of a text; null: none that can be. */
export function readSetup(text: string): Setup | null {
  const found = parse(text.trim());
  return found && !impossible(found) ? found : null;
}

/** What is wrong with a text that `readSetup` does not take, as the texts name it. */
export function faultOf(text: string) {
  const said = text.trim();
  const found = parse(said);
  if (found) return impossible(found) || "form";
  if (OGID.test(said)) return "bar";
  if (/^(OGID|[0-9a-p]+:[0-9a-p]+:[BWND?])/.test(said)) return "ogid";
  const fields = said.replace("XGID=", "").split(":");
  if (fields.length !== FIELDS.length) return said.startsWith("XGID=") ? "fields" : "form";
  return FIELDS.find(([, shape], index) => !new RegExp(`^(${shape})$`).test(fields[index]))?.[0] ?? "bar";
}

/** Why there can be no such position; "": there can. */
function impossible({ rows, seat, score, length, isCrawford, isOffered, cube, owner }: Setup) {
  if (rows.some((row) => row[0] < 0)) return "many";
  if (rows.some(isOff)) return "none";
  if (rows[0].some((count, point) => point && point < 25 && count && rows[1][25 - point])) return "meets";
  if (length > MOST_LENGTH) return "length";
  if (length > 0 && Math.max(...score) >= length) return "over";
  if (cube > NO_CAP) return "power";
  if (isOffered && owner === 1 - seat) return "offer";
  if (!isCrawford) return "";
  if (Math.max(...score) !== length - 1) return "crawford";
  return cube > 1 || owner >= 0 || isOffered ? "turned" : "";
}

/** A checker put elsewhere, points as the bottom counts them; of two on the bar or off, of who is on roll. null: not there. */
export function carried(setup: Setup, from: number, to: number): Setup | null {
  const { rows, seat } = setup;
  const own = (side: number, point: number) => (side ? across(point) : point);
  const side = rows[seat][own(seat, from)] ? seat : 1 - seat;
  const row = [...rows[side]];
  if (to < 0 || !row[own(side, from)]) return null;
  row[own(side, from)]--;
  row[own(side, to)]++;
  const changed: Setup = { ...setup, rows: side ? [rows[0], row] : [row, rows[1]] };
  return impossible(changed) ? null : changed;
}

/** The same with something changed about the match or its cube, and with what follows from that. */
export function changed(setup: Setup, change: Partial<Setup>): Setup {
  const next = { ...setup, ...change };
  const { seat, length, cube, isJacoby, beavers } = next;
  const score = next.score.map((points) => Math.max(0, Math.min(points, length - 1))) as Setup["score"];
  // A cube in the middle is at 1, and one that was turned is somebody's.
  const owner = "owner" in change ? next.owner : cube === 1 ? -1 : next.owner < 0 ? seat : next.owner;
  const value = owner < 0 ? 1 : Math.max(2, cube);
  const isNear = length > 1 && Math.max(...score) === length - 1;
  return {
    ...next,
    score,
    owner,
    cube: value,
    isOffered: next.isOffered && owner !== 1 - seat,
    isCrawford: next.isCrawford && isNear && owner < 0 && !next.isOffered,
    isJacoby: isJacoby && !length,
    beavers: beavers && !length,
  };
}

/** The same as an XGID. */
export function xgidOf(setup: Setup) {
  const { rows, seat, dice, isOffered, cube, owner, score, length, isCrawford, isJacoby, beavers, cap } = setup;
  const letter = (point: number) => {
    const [bottom, top] = [point ? rows[0][point] : 0, point < 25 ? rows[1][25 - point] : 0];
    return bottom ? String.fromCharCode(64 + bottom) : top ? String.fromCharCode(96 + top) : "-";
  };
  const board = Array.from({ length: 26 }, (_, point) => letter(point)).join("");
  const roll = isOffered ? "D" : dice.join("") || "00";
  const flags = length ? Number(isCrawford) : Number(isJacoby) + 2 * Number(beavers);
  const side = (one: number) => (one < 0 ? 0 : 1 - 2 * one);
  const most = cap === NO_CAP ? 10 : Math.log2(cap);
  return `XGID=${[board, Math.log2(cube), side(owner), side(seat), roll, ...score, flags, length, most].join(":")}`;
}

/** The decision there; null: there are no dice, and no player may double. */
export function askedIn(setup: Setup): Decision | null {
  const { rows, seat, dice, isOffered, cube, owner, score, length, isCrawford, isJacoby, cap } = setup;
  const rules = { length, cube: cap > 1, cube_cap: cap, crawford: length > 0, jacoby: isJacoby };
  const start = begin({});
  const at = { ...start, rows, score, crawford: isCrawford, cube: { ...start.cube, value: cube, owner } };
  if (!dice.length && !mayDouble(at, rules, seat)) return null;
  const question: Decision["question"] = {
    position: { mine: rows[seat], theirs: rows[1 - seat] },
    dice,
    stakes: stakesOf(at, rules, seat),
    opening: false,
  };
  const what = dice.length ? "play" : isOffered ? "take" : "double";
  const decider = what === "take" ? 1 - seat : seat;
  return { number: 1, seat: decider, turn: 1, what, done: false, moves: [], words: "", key: "", at, question };
}

/** A money game before the roll, of which nothing more is told. */
const PLAIN: Omit<Setup, "rows"> = {
  seat: 0,
  dice: [],
  isOffered: false,
  cube: 1,
  owner: -1,
  score: [0, 0],
  length: 0,
  isCrawford: false,
  isJacoby: false,
  beavers: false,
  cap: NO_CAP,
};

function xgid(form: RegExpExecArray | null): Setup | null {
  if (!form) return null;
  const [, board, power, owner, turn, dice, bottom, top, flags, length, cap] = form;
  const rows = lettered(board);
  if (rows[0][0] || rows[1][0]) return null; // on the bar of the other
  const isOffered = dice.startsWith("D");
  // Below the cube that stands or is offered the cap says nothing.
  const isNoCap = Number(cap) < Number(power) + Number(isOffered) || (!Number(cap) && (isOffered || owner !== "0"));
  return {
    rows: [whole(rows[0]), whole(rows[1])],
    seat: turn === "1" ? 0 : 1,
    dice: /^[1-6]/.test(dice) ? [Number(dice[0]), Number(dice[1])] : [],
    isOffered,
    cube: 2 ** Number(power),
    owner: owner === "0" ? -1 : owner === "1" ? 0 : 1,
    score: [Number(bottom), Number(top)],
    length: Number(length),
    isCrawford: Number(length) > 0 && flags === "1",
    isJacoby: !Number(length) && Number(flags) % 2 === 1,
    beavers: !Number(length) && Number(flags) > 1,
    cap: isNoCap || Number(cap) === 10 ? NO_CAP : 2 ** Number(cap),
  };
}

/** White is the bottom. The seventh field is the player who has acted: the other one is on roll, or answers a double. */
function ogid(form: RegExpExecArray | null): Setup | null {
  if (!form) return null;
  const [, white, black, owner, power, action, dice, acted, state = "IW", own = "0", other = "0", length = "0", kind] =
    form;
  const rows = [white, black].map((pips, side) => {
    const row: number[] = Array(26).fill(0);
    for (const pip of pips) row[side ? parseInt(pip, 26) : BAR - parseInt(pip, 26)]++;
    return row;
  });
  if (rows[0][0] || rows[1][0]) return null; // on the bar of the other
  const isOffered = action === "O" || state === "D";
  const opens = state === "IW" && !dice; // white is to roll
  return {
    ...PLAIN,
    rows: [whole(rows[0]), whole(rows[1])],
    seat: opens || (acted === "W") === isOffered ? 0 : 1,
    dice: [...dice].map(Number),
    isOffered,
    cube: 2 ** Number(power),
    owner: owner === "W" ? 0 : owner === "B" ? 1 : -1,
    score: [Number(own), Number(other)],
    length: Number(length),
    isCrawford: kind === "C",
    cap: owner === "D" ? 1 : NO_CAP,
  };
}

/** Bits of a Base64 text, from the least significant one. */
function bitsOf(text: string) {
  const bytes = [...atob(text)].map((letter) => letter.charCodeAt(0));
  let at = 0;
  const one = () => (bytes[at >> 3] >> (at++ & 7)) & 1;
  return {
    take: (count: number) => Array.from({ length: count }, one).reduce((sum, bit, index) => sum + bit * 2 ** index, 0),
    left: () => 8 * bytes.length - at,
  };
}

function gnu(form: RegExpExecArray | null): Setup | null {
  if (!form) return null;
  const bits = bitsOf(form[1]);
  const rows = [0, 1].map(() => {
    const row: number[] = Array(26).fill(0);
    for (let point = 1; point <= 25; point++) while (bits.left() && bits.take(1)) row[point]++;
    return whole(row);
  });
  const [theirs, mine] = rows;
  const about = form[2] ? matchOf(form[2]) : PLAIN;
  return { ...about, rows: about.seat ? [theirs, mine] : [mine, theirs] };
}

function matchOf(text: string): typeof PLAIN {
  const { take } = bitsOf(text);
  const [power, owner, seat, crawford] = [take(4), take(2), take(1), take(1)];
  take(4); // the game's state, and who decides
  const isOffered = take(1) === 1;
  take(2); // a resignation
  const [first, second, length, white, black, noJacoby] = [take(3), take(3), take(15), take(15), take(15), take(1)];
  return {
    ...PLAIN,
    seat,
    dice: first ? [first, second] : [],
    isOffered,
    cube: 2 ** power,
    owner: owner === 3 ? -1 : owner,
    score: [white, black],
    length,
    isCrawford: crawford === 1,
    isJacoby: !noJacoby,
  };
}
