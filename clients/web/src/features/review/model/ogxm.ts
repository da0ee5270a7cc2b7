/**
 * A match as OpenGammon and HedgeHog write it (`.ogxm`, version 2): sections of records, in which a mask says what is
 * there. Source: "OGXM format specification" 2.2; the engine writes it in `ogxm.py`.
 */

import type { Rows } from "../../../core/model/scenes.ts";
import { Bytes } from "./bytes.ts";
import { type Cell, type Game, type Kind, type Setup, type Sheet, VARIANTS } from "./sheet.ts";

const [HEAD, SECTION, END] = [16, 9, 4]; // bytes
const CUBE: Record<number, Kind> = { 21: "double", 22: "take", 23: "drop", 32: "beaver", 33: "beaver", 37: "drop" };
const [SET, SET_CUBE, ESCAPE, NOBODY, BAR] = [31, 36, 63, 2, 25];
const IGNORED = [24, 25, 26, 27, 28, 29, 30]; // the end of a game: its winner and points are told
const SWITCHES = ["Crawford", "Jacoby", "Beaver"]; // by bit
const KEY = "x-tavla-"; // of the notes that Tavla has written
const FACES = [1, 2, 3, 4, 5, 6];
const DICE = FACES.flatMap((low) => FACES.slice(low - 1).map((high) => [low, high])); // by action

type About = ReturnType<typeof aboutOf>;

/** @throws for what is no such file */
export function readOgxm(data: Uint8Array): Sheet {
  const head = new DataView(data.buffer, data.byteOffset);
  if (head.getUint16(8, true) !== 2 || head.getUint32(12, true) !== data.length) throw new TypeError("no match");
  const file = new Bytes(data.subarray(0, -END));
  file.take(HEAD);
  let about: About | null = null;
  const [games, notes]: [Game[], [string, string][]] = [[], []];
  while (!file.isAtEnd) {
    const title = file.take(SECTION);
    const size = new DataView(title.buffer, title.byteOffset).getUint32(4, true);
    const [name, section] = [String.fromCharCode(...title.subarray(0, 4)), new Bytes(file.take(size))];
    if (name === "MTCH") about = aboutOf(section);
    if (name === "ANNO") notes.push(...notesOf(section));
    if (name === "GAME" && about) games.push(gameOf(section, about, games.length + 1));
  }
  if (!about) throw new TypeError("no match");
  return { length: about.length, tags: new Map([...about.tags, ...notes]), games };
}

/** A record, and whether it has the field of a bit. */
function record(from: Bytes) {
  const body = new Bytes(from.take(from.number()));
  const mask = BigInt(body.number());
  return { body, has: (bit: number) => ((mask >> BigInt(bit)) & 1n) === 1n };
}

/** Of the match. score: before the next game. */
function aboutOf(section: Bytes) {
  const { body, has } = record(section);
  const number = (bit: number) => (has(bit) ? body.number() : 0);
  const word = (bit: number) => (has(bit) ? body.text(body.number()) : "");
  const length = body.number();
  const tags = new Map([["Variation", VARIANTS[body.number()] ?? "?"]]);
  const names = [word(0), word(1)];
  const rules = number(2);
  for (const [bit, name] of SWITCHES.entries()) tags.set(name, (rules >> bit) & 1 ? "On" : "Off");
  if (has(3)) body.number(); // the cube's limit, which is among our notes
  const score: [number, number] = has(4) ? [body.number(), body.number()] : [0, 0];
  return { length, tags, names, score, isCrawfordDone: has(11) };
}

/** The notes to the match that are ours. */
function notesOf(section: Bytes) {
  const notes: [string, string][] = [];
  while (!section.isAtEnd) {
    const { body, has } = record(section);
    const [scope] = [body.number(), body.number()];
    const value = body.text(body.number());
    const key = has(0) ? body.text(body.number()) : "";
    if (!scope && key.startsWith(KEY)) notes.push([key.slice(KEY.length), value]);
  }
  return notes;
}

function gameOf(section: Bytes, about: About, number: number): Game {
  const { body, has } = record(section);
  const [winner, points] = [has(0) ? body.number() : -1, has(1) ? body.number() : 0];
  const board = has(3) ? rowsOf(new Int8Array(body.take(BAR + 1))) : null;
  const [cube, owner] = [has(4) ? body.number() : 1, has(5) ? body.number() : NOBODY];
  const cells: Cell[] = board
    ? [{ seat: 0, kind: "set", setup: { rows: board, turn: null, cube, owner: owner === NOBODY ? -1 : owner } }]
    : [];
  while (!section.isAtEnd) {
    const [ply, last] = [plyOf(section), cells.at(-1)];
    const next = cellsOf(ply);
    if (next.length === 1 && last?.setup && next[0].setup && !next[0].setup.rows)
      Object.assign(last.setup, { cube: next[0].setup.cube, owner: next[0].setup.owner });
    else cells.push(...next);
  }
  const { names, score, isCrawfordDone } = about;
  about.score = [score[0] + (winner === 0 ? points : 0), score[1] + (winner === 1 ? points : 0)];
  if (winner === 0 || winner === 1) cells.push({ seat: winner, kind: "win", points });
  return { number, names, score, cells, crawford: score[0] + score[1] ? !isCrawfordDone : null };
}

function plyOf(section: Bytes) {
  const first = section.byte();
  let action = first & 63;
  const dice: number[] | undefined = DICE[action];
  const steps: number[] = [];
  for (let left = dice ? (dice[0] === dice[1] ? 4 : 2) : 0; left > 0; left--) {
    const step = section.byte();
    if (!step) break;
    steps.push(step);
  }
  const ply = { seat: (first >> 6) & 1, action, dice, steps, board: null as Int8Array | null, cube: 0, owner: NOBODY };
  if (first < 128) return ply;
  const { body, has } = record(section);
  if (has(0)) ply.dice = [...body.take(2)];
  if (has(1)) body.number();
  if (has(2)) ply.cube = body.number();
  if (has(4)) body.take(4);
  if (has(5)) ply.steps = [...body.take(body.number())];
  if (has(6)) ply.board = new Int8Array(body.take(BAR + 1));
  if (has(7) && action === ESCAPE) action = body.number();
  else if (has(7)) body.number();
  if (has(8)) ply.owner = body.number();
  return { ...ply, action };
}

function cellsOf({ seat, action, dice, steps, board, cube, owner }: ReturnType<typeof plyOf>): Cell[] {
  if (CUBE[action]) return [{ seat, kind: CUBE[action] }];
  if (IGNORED.includes(action)) return [];
  if (action === SET_CUBE)
    return [{ seat, kind: "set", setup: { rows: null, turn: null, cube, owner: owner === NOBODY ? -1 : owner } }];
  const play = steps.map((step) => {
    const from = seat ? step & 31 : BAR - (step & 31);
    return `${from}/${Math.max(0, from - (step >> 5))}`;
  });
  const rolled: Cell[] = dice ? [{ seat, kind: "roll", dice, play: board ? "" : play.join(" ") }] : [];
  if (action !== SET && !rolled.length) throw new TypeError("an unknown act");
  if (action !== SET || !board) return rolled;
  const setup: Setup = { rows: rowsOf(board), turn: dice ? 1 - seat : seat, cube: 1, owner: -1 };
  return [...rolled, { seat, kind: "set", setup }];
}

/** A board as black counts, white's checkers above zero. */
const rowsOf = (board: Int8Array): Rows => {
  const row = (count: (point: number) => number) =>
    Array.from(board, (_, point) => (point ? Math.max(0, count(point)) : 0));
  return [row((point) => board[BAR - point]), row((point) => -board[point])];
};
