/**
 * A match from games and cells, whatever file they were read in: the rules decide each turn, as if it were played now.
 * The engine does the same in `transcript.py` and `mat_rules.py`.
 */

import type { Rules } from "../../../../../../protocol/tavla.d.ts";
import { asMoves, legalPlays, onRoll, startRow, whole } from "../../../core/model/plays.ts";
import { starter } from "../../../core/model/record.ts";
import { faultOf, gameEnd } from "../../../core/model/referee.ts";
import { after, type Rows } from "../../../core/model/scenes.ts";
import { beginTurn, isDone, movesOf, typed } from "../../../core/model/turn.ts";
import { isPair } from "../../../core/model/view.ts";
import { type FileMatch, Reading } from "./reading.ts";

/** A position that was placed by hand; null = as it stands. Checkers that are off are not counted. owner: -1 = nobody. */
export type Setup = { rows: Rows | null; turn: number | null; cube: number | null; owner: number | null };
export type Kind = "roll" | "double" | "beaver" | "take" | "drop" | "win" | "loss" | "resign" | "set";
/**
 * A turn or an answer. play: as players write it, "" = none; hops: the same from point to point, by whatever way; points:
 * that are won or lost, 0 = not said.
 */
export type Cell = {
  seat: number;
  kind: Kind;
  dice?: number[];
  play?: string;
  hops?: number[][];
  points?: number;
  setup?: Setup;
};
/** crawford: whether it is the Crawford game; null = not told. */
export type Game = {
  number: number;
  names: string[];
  score: [number, number];
  cells: Cell[];
  crawford: boolean | null;
};
/** tags: of rules, by their names in a `.mat` file. hasMore: another match follows, which is not read. */
export type Sheet = { length: number; tags: Map<string, string>; games: Game[]; hasMore?: boolean };

export const VARIANTS = ["standard", "nackgammon", "hypergammon", "longgammon"];
export const WHOLE_MATCH = 1000; // points beyond the match's length: it was given up, not the game
const UNPLAYED: (Kind | undefined)[] = ["win", "loss", "resign", "set", undefined]; // the dice before it were not played
const NO_LIMIT = 1024; // a CubeLimit that others write for a cube without a cap
const MOST_TIES = 6;

class Illegal extends Error {}

/** @throws for what is no match, or cannot be played here */
export function matchOf(sheet: Sheet): FileMatch {
  const [first] = sheet.games;
  if (!first) throw new TypeError("no game");
  const replay = new Replay(rulesOf(sheet), first.score, first.number);
  replay.state.crawfordDone = isCrawfordDone(first, sheet.length);
  const ties = (sheet.tags.get("OpeningTies") ?? "").split(" ").map((count) => Math.min(Number(count) || 0, MOST_TIES));
  for (const [at, game] of sheet.games.entries()) {
    if (replay.isOver || replay.cut) break;
    replay.play(game, ties[at] ?? 0, sheet.games[at + 1]);
  }
  if (!replay.steps.some(({ what }) => what !== "game_started")) throw new TypeError("no play");
  return { ...replay.asFile(first.names), hasMore: sheet.hasMore };
}

/** The rules of the length and the tags, and as the games show that they must be. */
function rulesOf({ length, tags, games }: Sheet): Rules {
  const has = (name: string, usual = false) => (tags.get(name)?.toLowerCase() ?? (usual ? "on" : "")) === "on";
  const number = (name: string) => Number(/^\d{1,15}$/.exec(tags.get(name) ?? "")?.[0] ?? 0);
  const [limit, beaver] = [number("CubeLimit"), number("Beaver")];
  const variant = /^(?:standard|backgammon|(nack|hyper|long)gammon(?: \(3\))?)$/i.exec(
    tags.get("Variation") ?? "standard",
  );
  if (!variant) throw new TypeError("another game");
  const isMoney = !length;
  const near = games.find(({ score }) => Math.max(...score) === length - 1);
  const noCrawford = near && near !== games[0] && near.cells.some(({ kind }) => kind === "double");
  const opens = games.some(({ cells: [one] }) => one?.dice && one.dice[0] === one.dice[1]);
  const opening = tags.get("Opening")?.toLowerCase() ?? "roll_off";
  const rules = {
    length,
    variant: variant[1] ? `${variant[1].toLowerCase()}gammon` : "standard",
    cube: limit !== 1,
    cube_cap: number("CubeCap") || (limit > 1 && limit < NO_LIMIT ? limit : 0),
    crawford: !isMoney && has("Crawford", !noCrawford),
    jacoby: isMoney && limit !== 1 && has("Jacoby", hasJacoby(games)),
    beavers:
      isMoney && limit !== 1 ? Math.max(tags.has("Beaver") ? beaver || Number(has("Beaver")) : 1, beavers(games)) : 0,
    automatic_doubles: number("AutomaticDoubles"),
    opening: opening === "roll_off" && opens ? "seat_0" : opening,
    forfeit_multiplier: tags.has("ForfeitMultiplier") ? number("ForfeitMultiplier") : isMoney ? 3 : 0,
    resignations: has("Resignations", true),
    backgammons: has("Backgammons", true),
    cap_kept: has("CapKept"),
    hit_and_run: has("HitAndRun", true),
  } as Rules;
  if (length > 64 || !startRow(rules)) throw new TypeError("rules that are not played here");
  return rules;
}

/** False if a gammon counted that was won with a cube that was never turned. */
function hasJacoby(games: Game[]) {
  for (const [at, { cells, score }] of games.entries()) {
    const won = Math.max(
      0,
      ...cells.map(({ kind, points }) => (kind === "win" || kind === "loss" ? (points ?? 0) : 0)),
    );
    if (won < 2 || cells.some(({ kind }) => kind === "double")) continue;
    const next = games[at + 1]?.score;
    return next !== undefined && next[0] + next[1] - score[0] - score[1] === 1;
  }
  return true;
}

/** The most redoubles that followed one double. */
function beavers(games: Game[]) {
  let most = 0;
  for (const { cells } of games) {
    let row = 0;
    for (const { kind } of cells) {
      row = kind === "beaver" ? row + 1 : 0;
      most = Math.max(most, row);
    }
  }
  return most;
}

/** Of a record that begins within a match: both are near, or one doubles. */
function isCrawfordDone({ score, cells, crawford }: Game, length: number) {
  const near = score.filter((points) => points === length - 1).length;
  if (length < 2 || !near) return false;
  return crawford === null ? near === 2 || cells.some(({ kind }) => kind === "double") : !crawford;
}

export class Replay extends Reading {
  /** @throws Illegal for what the rules do not allow */
  act(what: string, ...facts: unknown[]) {
    const areDice = !what.endsWith("rolled") || isPair(facts.slice(-2)); // others go a million points far
    if (!areDice || faultOf(this.state, this.rules, what, facts)) throw new Illegal(what);
    this.add(what, ...facts);
  }

  get isPlayed() {
    return !["between", "over"].includes(this.state.phase);
  }

  /** Play a game, up to what cannot be. @param next the game after it */
  play(game: Game, ties: number, next: Game | undefined) {
    this.turn = 0;
    try {
      this.begin(game, ties);
      for (const [at, cell] of game.cells.entries()) this.cell(cell, game.cells.slice(at + 1, at + 3));
      if (next && this.isPlayed) this.breakOff(next.score);
    } catch (error) {
      if (!(error instanceof Illegal)) throw error;
      this.cut = { game: Math.max(1, this.state.game), turn: Math.max(1, this.turn) };
    }
  }

  begin({ score }: Game, ties: number) {
    const { rules, state } = this;
    const { length = 0 } = rules;
    if (length && `${score}` !== `${state.score}`) throw new Illegal("score");
    const isNear = Math.max(...state.score) === length - 1;
    this.add("game_started", Boolean(rules.crawford) && !state.crawfordDone && length > 1 && isNear);
    if (starter(this.state, rules) < 0) for (let tie = 0; tie < ties; tie++) this.act("opening_rolled", 1, 1);
  }

  cell(one: Cell, following: Cell[]) {
    const { seat, kind, points = 0, setup } = one;
    const { cube } = this.state;
    if (kind === "roll") this.roll(one, following[0]);
    else if (kind === "double") this.act("doubled", seat);
    else if (kind === "beaver") this.act("beavered", seat);
    else if (kind === "take") this.act("taken", seat);
    else if (kind === "drop") this.end(1 - seat, "drop");
    else if (kind === "set" && setup) this.setUp(setup, following[0]);
    else if (!this.isPlayed) return;
    else if (kind === "win") this.giveUp(1 - seat, points);
    else if (kind === "loss") this.giveUp(seat, points || cube.value);
    else if (!following.some((next) => next.kind === "win")) this.giveUp(seat, cube.value);
  }

  roll({ seat, dice = [], play, hops }: Cell, next: Cell | undefined) {
    const [high, low] = dice[0] < dice[1] ? [dice[1], dice[0]] : dice;
    const { phase, cube } = this.state;
    this.turn++;
    if (phase === "cube" && cube.count) this.act("taken", 1 - cube.offer);
    if (phase === "opening" && starter(this.state, this.rules) < 0)
      this.act("opening_rolled", ...(seat ? [low, high] : [high, low]));
    else this.act("rolled", seat, high, low);
    const { rows, phase: now } = this.state;
    if (now !== "move") throw new Illegal("roll");
    const base = onRoll(rows, seat, this.rules);
    let moves: [number, number][] = [];
    if (hops) {
      const rows = hops.reduce<Rows>((at, [from, to]) => after(at, { seat: 0, from, to }), [base.mine, base.theirs]);
      const made = legalPlays(base, dice).get(rows.join(";"));
      if (!made) throw new Illegal("play");
      moves = asMoves(made.steps);
    } else if (play) {
      const turn = typed(beginTurn(base, dice), play);
      if (!turn || !isDone(turn)) throw new Illegal("play");
      moves = movesOf(turn);
    } else {
      const [only, other] = legalPlays(base, dice).values();
      if (only.steps.length && UNPLAYED.includes(next?.kind)) return;
      if (other) throw new Illegal("no play");
      moves = asMoves(only.steps);
    }
    this.act("moved", seat, moves);
    if (gameEnd(this.state, this.rules, seat, "borne_off")) this.end(seat, "borne_off");
  }

  end(winner: number, ending: string) {
    const due = gameEnd(this.state, this.rules, winner, ending);
    if (!due) throw new Illegal(ending);
    this.add("game_ended", winner, ...due, ending);
    this.endMatch();
  }

  /** A game that breaks off, and another follows with this score: it was given up. */
  breakOff(score: [number, number]) {
    const gains = score.map((points, seat) => points - this.state.score[seat]);
    if (Math.min(...gains) || Math.max(...gains) <= 0) throw new Illegal("end");
    this.giveUp(gains.indexOf(0), Math.max(...gains));
  }

  /** A resignation, or a forfeit where a resignation cannot cost so much. */
  giveUp(loser: number, points: number) {
    const { score, cube, phase } = this.state;
    const { length = 0, forfeit_multiplier: times = 0, jacoby, backgammons, resignations } = this.rules;
    const needed = length - score[1 - loser];
    let [kind, rest] = [Math.floor(points / cube.value), points % cube.value];
    if (rest && length && points >= needed) [kind, rest] = [kind + 1, 0];
    if (kind > 3 && length && !times && (points >= needed || (kind % 4 === 0 && !rest)))
      return this.add("match_ended", 1 - loser, "forfeit");
    if (rest || !kind) throw new Illegal("points");
    const dearest = !resignations ? 0 : jacoby && !cube.turned ? 1 : backgammons ? 3 : 2;
    if (phase !== "opening" && kind > dearest && kind === times) return this.end(1 - loser, "forfeit");
    if (kind > 3 || (phase !== "opening" && kind > dearest)) throw new Illegal("points");
    if (phase === "opening") this.add("game_ended", 1 - loser, points, kind, "resignation");
    else {
      this.act("resignation_offered", loser, kind);
      return this.end(1 - loser, "resignation");
    }
    this.endMatch();
  }

  /** A position that was placed by hand: the game goes on from it. */
  setUp({ rows, turn, cube, owner }: Setup, next: Cell | undefined) {
    const { state } = this;
    const goesOn = next?.kind === "roll" || next?.kind === "double" ? next.seat : (turn ?? state.turn);
    if (!this.isPlayed || !isCube(cube ?? 1) || !(goesOn === 0 || goesOn === 1)) throw new Illegal("set-up");
    const changed = {
      rows: rows ? withOff(rows, state.rows) : state.rows,
      cube: { ...state.cube, value: cube ?? state.cube.value, owner: owner ?? state.cube.owner, offer: -1 },
      phase: "roll" as const,
      turn: goesOn,
      dice: [],
      last: [],
    };
    this.put({ what: "position_set", facts: [], before: state, now: { ...state, ...changed } });
  }
}

/** The variant whose games begin so; undefined: none does. */
export const startOf = (rows: Rows) =>
  VARIANTS.find((variant) => {
    const row = startRow({ variant } as Rules);
    return rows.every((one) => `${one}` === `${row}`);
  });

const isCube = (value: number) => value > 0 && value <= 2 ** 32 && Number.isInteger(Math.log2(value));

/** A board with what was borne off. @throws Illegal where there are too many checkers, or two sides on a point */
function withOff(rows: Rows, before: Rows): Rows {
  const all = before[0].reduce((sum, count) => sum + count, 0);
  const found = rows.map((row) => whole(row, all));
  const meets = found[0].some((count, point) => point && point < 25 && count && found[1][25 - point]);
  if (meets || found.some((row) => row.length !== 26 || row.some((count) => !(count >= 0)))) throw new Illegal("board");
  return found as Rows;
}
