/** The text of a `.mat` file taken apart into games and cells. The engine's `mat_text.py` says what the words mean. */

import { lettered } from "./files.ts";
import { type Cell, type Game, type Kind, type Setup, type Sheet, startOf } from "./sheet.ts";

const MOST_LETTERS = 500_000; // a long match takes a tenth
const MOST_LINE = 500; // letters; rows take about 70
const RIGHT = 15; // a cell that stands alone is the right player's from this column on
const SAME_CELL = 6; // blanks; a word so near behind dice belongs to them: `54: Concedes`
const TAG = /^[;#]\s*\[(\w[\w ]*?)\s+"(.*)"\]\s*$/;
const LENGTH = /^\s*(\d{1,9}) point match\b/i;
const GAME = /^\s*Game\s+(\d{1,9})\s*$/i;
const SCORES = /^\s*([^:]*?)\s*:\s*(\d{1,15})(?:\s+|(?=\D))([^:]*?)\s*:\s*(\d{1,15})\s*$/;
const RATING = /,\s*\d[\d.]*$/; // behind a name
const SET_POS = /^; Set Pos=([-A-Oa-o]{26})\/(-?)(\d{1,2})(?: \(cube (\d{1,15}), owner (-1|0|1), turn ([01])\))?$/;
const WORDS: Record<string, Kind> = {
  double: "double",
  redouble: "double",
  beaver: "beaver",
  raccoon: "beaver",
  take: "take",
  accept: "take",
  drop: "drop",
  pass: "drop",
  reject: "drop",
  win: "win",
  loss: "loss",
  lose: "loss",
  resign: "resign",
  concede: "resign",
};
const CELL = new RegExp(
  `(?:(?<=[\\s)])|^)(?:([1-6][1-6]|00):(?:\\s*illegal play\\s*(\\([^)]*\\)|))?|(${Object.keys(WORDS).join("|")})(?:e?s)?(?=\\s|$))`,
  "gi",
);

/** @throws for what is no such text */
export function readMat(text: string): Sheet {
  if (text.length > MOST_LETTERS) throw new RangeError("too long");
  const sheet: Sheet = { length: -1, tags: new Map(), games: [] };
  let isNamed = true; // the game has its line of names and score
  for (const whole of text.split("\n")) {
    const line = untabbed(whole.trimEnd());
    const [tag, length, game] = [TAG.exec(line), LENGTH.exec(line), GAME.exec(line)];
    const isFirst = sheet.length < 0;
    if (/^[;#]/.test(line) && !SET_POS.test(line)) {
      if (tag && (isFirst || !sheet.games.length)) sheet.tags.set(tag[1], tag[2]);
    } else if (line.length > MOST_LINE) throw new RangeError("too long a line");
    else if (!line || (isFirst && !length)) continue;
    else if (length) {
      if (!isFirst) {
        sheet.hasMore = true;
        break;
      }
      sheet.length = Number(length[1]);
    } else if (!isNamed) {
      sheet.games.push(headed(line, sheet.games.pop() as Game));
      isNamed = true;
      const [one] = sheet.games.slice(-1);
      if (sheet.games.length > 1 && sheet.length && one.number === 1 && `${one.score}` === "0,0") {
        sheet.games.pop();
        sheet.hasMore = true;
        break;
      }
    } else if (game) {
      sheet.games.push({ number: Number(game[1]), names: [], score: [0, 0], cells: [], crawford: null });
      isNamed = false;
    } else if (!sheet.games.length) throw new TypeError("no game");
    else sheet.games[sheet.games.length - 1].cells.push(...cellsOf(line));
  }
  if (!isNamed) throw new TypeError("no names");
  return withoutStarts(sheet);
}

/** A line with blanks in place of its tabs. */
const untabbed = (line: string) =>
  line.split("\t").reduce((done, part) => done.padEnd(8 * Math.floor(done.length / 8 + 1)) + part);

function headed(line: string, game: Game): Game {
  const found = SCORES.exec(line);
  if (!found) throw new TypeError("no names");
  const names = [found[1], found[3]].map((name) => name.replace(RATING, ""));
  return { ...game, names, score: [Number(found[2]), Number(found[4])] };
}

/** The cells of a line. One alone is in the left or the right column, of two each is in its own. */
function cellsOf(line: string): Cell[] {
  const set = SET_POS.exec(line);
  if (set) return [{ seat: 0, kind: "set", setup: placed(set) }];
  const begin = /^\s*\d+\)/.exec(line)?.[0].length ?? 0;
  const found = [...line.slice(begin).matchAll(CELL)];
  const isEnd = (word: string | undefined) => ["loss", "resign"].includes(WORDS[word?.toLowerCase() ?? ""]);
  const belongs = (at: number) => {
    const before = found[at - 1];
    const near = before && found[at].index - before.index - before[0].length <= SAME_CELL;
    return Boolean(before?.[1]) && isEnd(found[at][3]) && near;
  };
  if (line.slice(begin, begin + (found[0]?.index ?? line.length)).trim()) throw new TypeError("no row");
  const firsts = found.filter((_, at) => !belongs(at));
  let seat = Number(firsts.length === 1 && begin + found[0].index >= RIGHT);
  return found.flatMap((one, at) => {
    if (at && firsts.includes(one)) seat = 1;
    const rest = line.slice(begin + one.index + one[0].length, found[at + 1] && begin + found[at + 1].index).trim();
    return cell(seat, one, rest);
  });
}

function cell(seat: number, [, dice, illegal, word]: RegExpMatchArray, rest: string): Cell[] {
  if (!dice) {
    const number = /^(?:(?:=>|to) *)?(\d{1,15})?/i.exec(rest);
    return [{ seat, kind: WORDS[word.toLowerCase()], points: Number(number?.[1] ?? 0) }];
  }
  if (dice === "00") return [{ seat, kind: "resign" }]; // before the roll
  const play = rest.replace(/^[ ?]+|[ ?]+$/g, "");
  const rolled = {
    seat,
    kind: "roll" as const,
    dice: [...dice].map(Number),
    play: /^cannot move$/i.test(play) ? "" : play,
  };
  return illegal === undefined ? [rolled] : [rolled, { seat, kind: "set", setup: afterIllegal(illegal, seat) }];
}

/** The board that Snowie's text has behind an illegal play of this seat; the player on roll comes first in it. */
function afterIllegal(text: string, seat: number): Setup {
  const fields = text.replace(/[()]/g, "").split(";");
  const points = fields.slice(12, 38).map(Number);
  if (fields.length < 38 || points.some(Number.isNaN)) throw new TypeError("no board");
  const [first, other] = [points, points.toReversed().map((count) => -count)].map((row) =>
    row.map((count, point) => (point ? Math.max(0, count) : 0)),
  );
  return { rows: fields[4].trim() === "1" ? [other, first] : [first, other], turn: 1 - seat, cube: null, owner: null };
}

/** eXtreme Gammon's remark: 26 letters, and the cube as a power of two. */
function placed([, letters, sign, power, cube, owner, turn]: RegExpExecArray): Setup {
  const rows = lettered(letters);
  if (cube) return { rows, turn: Number(turn), cube: Number(cube), owner: Number(owner) };
  return { rows, turn: null, cube: 2 ** Number(power), owner: Number(power) ? Number(!sign) : -1 };
}

/** Without illegal plays that lead to where the games of a variant begin, and with that variant. */
export function withoutStarts({ tags, games, ...sheet }: Sheet): Sheet {
  const named = new Map(tags);
  const begun = games.map((game) => {
    const place = game.cells.slice(0, 2).findIndex(({ kind }) => kind === "set");
    const setup = game.cells[place]?.setup;
    const variant = setup?.rows && setup.cube === null && startOf(setup.rows);
    if (!variant) return game;
    named.set("Variation", variant);
    return { ...game, cells: game.cells.slice(place + 1) };
  });
  return { ...sheet, tags: named, games: begun };
}
