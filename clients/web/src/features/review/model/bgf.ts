/**
 * A match in BGBlitz's own format (`.bgf`), with what its judge has found: a line of JSON, then a tree of values in Smile,
 * a binary JSON. Sources: files of BGBlitz and how gvformat reads them; "Efficient JSON-compatible binary format: Smile".
 */

import type { Finding } from "../../../../../../protocol/tavla.d.ts";
import { notation } from "../../../core/model/notation.ts";
import type { Rows } from "../../../core/model/scenes.ts";
import { Bytes, inflated } from "./bytes.ts";
import { withoutStarts } from "./mat.ts";
import { type FileMatch, LEAST, toldBy } from "./reading.ts";
import { type Cell, type Game, type Kind, matchOf } from "./sheet.ts";

const MOST_VALUES = 2_000_000; // of a tree; a match of 289 turns has 88,000
const MOST_POINTS = 1_000_000; // of a score or length
const MOST_STEPS = 4; // of a play
const SIGN = ":)\n"; // of a tree
const SHORTEST = [1, 33, 2, 34]; // bytes of the shortest text of each kind, which has 32 lengths
const FIXED = ["", null, false, true];
const GREEN = -1; // as a player; green is the first seat
const ACTS: Record<number, Kind> = { 1: "double", 2: "take", 3: "drop" }; // in place of a die
const BEST: Record<string, string> = { double: "no double", "no double": "double", take: "drop", drop: "take" };
const UNJUDGED = -98; // what is less is no loss

/** Values of a file, as its writer has shaped them: any may be of another kind, or not there. Numbers may be texts. */
type Hops = { from: number[]; to: number[] };
type Entry = Hops & {
  player: number;
  red: number;
  green: number;
  dancingEquity?: unknown;
  moveAnalysis?: { move: Hops }[];
  luck?: { mode: string; luckPlain: string; luckWeighted: string } | null;
  pr?: { cubeError: string; checkerError: string } | null;
};
type Played = {
  scoreGreen: number;
  scoreRed: number;
  wonPoints?: number;
  isCrawford: boolean;
  initial: { points: number[]; cube: number; cubeOwner: number };
  moves: Entry[];
};
type Performance = { cubeCnt: number; checkerCnt: number; cubeError: string; checkerError: string };
type Tree = {
  matchlen: number;
  nameGreen: string;
  nameRed: string;
  finalGreen: number;
  finalRed: number;
  games: Played[];
  prGreen?: Performance;
  prRed?: Performance;
} & Partial<Record<"useCrawford" | "useJacoby" | "useBeaver" | "useCube", boolean>>;

/** A tree of values. Each method @throws for what is none. */
class Smile extends Bytes {
  names: string[] = [];
  count = 0;

  /** @returns undefined for the end of an array */
  value(): unknown {
    if (++this.count > MOST_VALUES) throw new RangeError("too many");
    const sign = this.byte();
    if (sign >= 0x40 && sign < 0xc0) return this.text((sign & 31) + SHORTEST[(sign >> 5) - 2]);
    if (sign >= 0xc0 && sign < 0xe0) return signed(sign & 31);
    if (sign >= 0x20 && sign < 0x24) return FIXED[sign & 31];
    if (sign === 0x24 || sign === 0x25) return this.integer();
    if (sign === 0xe0 || sign === 0xe4) return this.longText();
    if (sign === 0xf8) return this.array();
    if (sign === 0xfa) return this.object();
    if (sign === 0xf9) return undefined;
    throw new TypeError("no value");
  }

  array() {
    const found: unknown[] = [];
    for (let one = this.value(); one !== undefined; one = this.value()) found.push(one);
    return found;
  }

  object() {
    const found: [string, unknown][] = [];
    for (let name = this.name(); name !== null; name = this.name()) found.push([name, this.value()]);
    return Object.fromEntries(found);
  }

  /** @returns null for the end of an object */
  name() {
    const sign = this.byte();
    if (sign === 0xfb) return null;
    if (sign >= 0x40 && sign < 0x80) return this.names[sign & 63];
    if (sign >= 0x30 && sign < 0x34) return this.names[256 * (sign & 3) + this.byte()];
    if (sign < 0x80 || sign > 0xf7) throw new TypeError("no name");
    const name = this.text(sign < 0xc0 ? sign - 0x7f : sign - 0xbe);
    this.names.push(name);
    return name;
  }

  /** In groups of seven bits, the highest first; the last group has six, and a mark. */
  integer() {
    for (let value = 0; ; ) {
      const byte = this.byte();
      if (byte & 128) return signed(value * 64 + (byte & 63));
      value = value * 128 + byte;
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError("too large");
    }
  }

  longText() {
    const text = this.text(Math.max(0, this.data.indexOf(0xfc, this.at) - this.at));
    this.byte();
    return text;
  }
}

const signed = (number: number) => (number % 2 ? -(number + 1) / 2 : number / 2);

function points(value: unknown) {
  const number = Number(value ?? 0);
  if (!Number.isInteger(number) || number < 0 || number > MOST_POINTS) throw new TypeError("no points");
  return number;
}

/** The steps of a play; a checker that has moved twice may have one. */
const hopsOf = ({ from, to }: Hops) =>
  from
    .slice(0, MOST_STEPS)
    .map((point, at) => [Number(point), Math.max(0, Number(to[at]))])
    .filter(([point]) => point > 0);

/** A board by red's points, green's checkers above 0; then the bar of each. */
function rowsOf(board: number[]): Rows {
  const [green, red] = [board.slice(0, 24).reverse(), board.slice(0, 24)];
  const own = (row: number[], sign: number, bar: unknown) => [
    0,
    ...row.map((count) => Math.max(0, sign * Number(count))),
    Number(bar ?? 0),
  ];
  return [own(green, 1, board[24]), own(red, -1, board[25])];
}

/** The match in a file, and what its judge has found in each game. */
class BgfReading {
  findings: Finding[] = [];
  luck = [0, 0];

  /** @param after the game that follows; else the match, with its last score */
  game(played: Played, number: number, names: string[], after: [unknown, unknown]): Game {
    const { initial, isCrawford } = played;
    const score: [number, number] = [points(played.scoreGreen), points(played.scoreRed)];
    const gains = after.map((now, seat) => points(now) - score[seat]);
    const winner = Number(gains[1] > gains[0]);
    const [cube, owner] = [Number(initial.cube ?? 1), Number(initial.cubeOwner ?? 0)];
    const isTurned = cube > 1 && { cube, owner: owner ? Number(owner !== GREEN) : -1 };
    const setup = { rows: rowsOf(initial.points), turn: null, cube: null, owner: null, ...isTurned };
    const cells: Cell[] = [{ seat: 0, kind: "set", setup }, ...this.cells(played.moves, number)];
    const won = points(played.wonPoints) || gains[winner];
    if (won > 0) cells.push({ seat: winner, kind: "win", points: won });
    return { number, names, score, cells, crawford: Boolean(isCrawford) };
  }

  cells(entries: Entry[], game: number) {
    let turn = 1;
    return entries.flatMap((entry): Cell[] => {
      const { player, from, to, red, green, dancingEquity, moveAnalysis, luck, pr } = entry;
      const seat = Number(player !== GREEN);
      const judge = (error: unknown, done: string, best = BEST[done]) => {
        const loss = -Number(error ?? -Number.POSITIVE_INFINITY);
        if (loss > LEAST && loss < -UNJUDGED && done !== best)
          this.findings.push([game, turn, seat, done, best, loss, null]);
      };
      if (from[0] === -1) {
        const kind = ACTS[red]; // or it is the end of a game
        if (kind) judge(pr?.cubeError, kind);
        return kind ? [{ seat, kind }] : [];
      }
      const isStuck = (dancingEquity ?? null) !== null;
      const words = (hops: Hops) => notation(hopsOf(hops), []);
      judge(pr?.cubeError, "no double");
      const [best] = moveAnalysis ?? [];
      if (best) judge(pr?.checkerError, words(entry), words(best.move));
      this.luck[seat] += Number((luck?.mode === "Money" ? luck.luckPlain : luck?.luckWeighted) ?? 0);
      turn++;
      const dice = (isStuck ? [from[0], to[0]] : [red, green]).map(Number);
      return [{ seat, kind: "roll", dice, ...(!isStuck && { hops: hopsOf(entry) }) }];
    });
  }
}

/** The match in a file. @throws for a file that is none */
export async function readBgf(file: Uint8Array<ArrayBuffer>): Promise<FileMatch> {
  const body = file.subarray(file.indexOf(10) + 1);
  const format = ({ 31: "gzip", 120: "deflate" } as const)[body[0]];
  const smile = new Smile(format ? await inflated(body, undefined, format) : body);
  if (smile.text(SIGN.length) !== SIGN) throw new TypeError("no tree");
  smile.byte(); // which features of Smile are used
  const tree = smile.value() as Tree;
  const names = [String(tree.nameGreen), String(tree.nameRed)];
  const reading = new BgfReading();
  const games = tree.games.map((played, at) => {
    const next = tree.games[at + 1];
    const after = next ? [next.scoreGreen, next.scoreRed] : [tree.finalGreen, tree.finalRed];
    return reading.game(played, at + 1, names, after as [unknown, unknown]);
  });
  const switches = { Crawford: tree.useCrawford, Jacoby: tree.useJacoby, Beaver: tree.useBeaver };
  const tags = new Map(Object.entries(switches).map(([name, isOn]) => [name, isOn ? "On" : "Off"]));
  if (tree.useCube === false) tags.set("CubeLimit", "1");
  const match = matchOf(withoutStarts({ length: points(tree.matchlen), tags, games }));
  const both = [tree.prGreen, tree.prRed];
  const counts = both.map((one) => points(one?.cubeCnt) + points(one?.checkerCnt));
  if (!counts.some(Boolean)) return match;
  const lost = both.map((one) => -Number(one?.cubeError ?? 0) - Number(one?.checkerError ?? 0));
  return { ...match, ...toldBy("BGBlitz", counts, lost, reading.luck, reading.findings) };
}
