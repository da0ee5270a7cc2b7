/**
 * The record of a match judged by the rules: each number of the dice used once and in order, by the right side, each roll followed
 * by its play, every play legal, cube and score. Pure.
 */

import { text } from "../texts/text.ts";
import { heldBy, played, startRow } from "./plays.ts";
import type { Rows } from "./scenes.ts";
import { rowsOf } from "./scenes.ts";
import type { View } from "./view.ts";
import { isPair } from "./view.ts";

export type AtRoll = (number: number) => string;

const MOST_CUBE = 2 ** 32;
const NUMBERS = new Set(["rolled", "opening_rolled"]);
const ASIDE = ["created", "seated", "revealed", "forked", "ruled", "readied", "auto_set", "abort_asked"]; // nothing on the board follows from them

export const isOff = (row: number[]) => row.every((count, point) => !count || point === 0);

/** What bearing off against these checkers wins. */
const lossKind = (loser: number[]) => (loser[0] ? 1 : loser.some((count, point) => count && point > 18) ? 3 : 2);

export class Referee {
  rules: Record<string, any>;
  limit: number;
  roll: ((k: number) => number[]) | null;
  rolls = 0;
  /** Who rolled what, as `Witness.rolls` has it; a tie that is rolled again is "". */
  shown: string[] = [""];
  /** The turns, as `Witness.turns` has them. */
  turns: string[] = [""];
  phase: "between" | "opening" | "roll" | "move" | "cube" | "over" = "between";
  score = [0, 0];
  turn = 0;
  game = 0;
  crawfordDone = false;
  crawford = false;
  winner = -1; // of the last game
  dice: number[] = [];
  resigned: [number, number] | null = null;
  row: number[];
  rows: Rows;
  cube = { value: 1, owner: -1, offer: -1, holder: -1, count: 0, turned: false };

  /** @param roll the dice by number; null as long as the seeds are not known */
  constructor(rules: Record<string, any>, roll: ((k: number) => number[]) | null) {
    this.rules = { opening: "roll_off", length: 7, cube: true, backgammons: true, ...rules };
    this.limit = rules.cube_cap || MOST_CUBE;
    this.roll = roll;
    this.row = startRow(this.rules) ?? Array(26).fill(0);
    this.rows = [this.row, this.row];
  }

  /** Take an event over; what is wrong with it, "" = nothing. @param event without its place and time */
  take([what, ...facts]: any[]) {
    if (this.phase === "over" && what !== "match_ended" && Object.hasOwn(DOES, what))
      return text.faultOrder(this.rolls);
    if (!Object.hasOwn(DOES, what)) return "";
    if (what === "moved" && this.phase === "move" && facts[0] !== this.turn) return text.faultSide(this.rolls);
    return DOES[what](this, facts) ? "" : (WRONG[what] ?? text.faultOrder)(this.rolls);
  }

  draw(seat: number, dice: number[]) {
    this.rolls++;
    this.shown.push("");
    this.turns.push("");
    if (!isPair(dice) || (this.roll && `${this.roll(this.rolls)}` !== `${dice}`)) return false;
    if (seat < 0) return true;
    this.turn = seat;
    this.dice = dice.toSorted((a, b) => b - a);
    this.shown[this.rolls] = `${[seat, ...this.dice]}`;
    this.phase = "move";
    return true;
  }

  /** The seat that begins a game; -1 = the opening roll says. */
  get starter() {
    const { opening } = this.rules;
    if (opening === "roll_off" || (opening === "winner" && this.winner < 0)) return -1;
    return opening === "winner" ? this.winner : 0;
  }

  /** Whether this seat may double now. */
  mayDouble(seat: number) {
    const { value, owner } = this.cube;
    const { cube, length } = this.rules;
    return (
      Boolean(cube) &&
      !this.crawford &&
      value < this.limit &&
      owner !== 1 - seat &&
      (!length || value < length - this.score[seat])
    );
  }

  /** A game is lost, at so many times the cube. */
  worth(kind: number) {
    const counted = this.rules.jacoby && !this.cube.turned ? 1 : this.rules.backgammons ? kind : Math.min(kind, 2);
    return [this.cube.value * counted, counted];
  }

  /** What a game's end has to be, [points, kind]; null: it cannot end so now. */
  ended(winner: number, ending: string) {
    const loser = 1 - winner;
    if (ending === "borne_off")
      return this.phase === "roll" && isOff(this.rows[winner]) ? this.worth(lossKind(this.rows[loser])) : null;
    if (ending === "drop") return this.phase === "cube" && this.cube.offer === winner ? [this.cube.value, 1] : null;
    if (ending === "resignation") return this.resigned?.[0] === loser ? this.worth(this.resigned[1]) : null;
    const times = this.rules.forfeit_multiplier;
    return ending === "forfeit" && times && this.phase !== "between" ? [this.cube.value * times, times] : null;
  }
}

/** What each event does; false: it cannot follow. */
const DOES: Record<string, (at: Referee, facts: any[]) => boolean> = {
  game_started: (at, [crawford]) => {
    const { length } = at.rules;
    const best = Math.max(...at.score);
    const isCrawford = Boolean(at.rules.crawford) && !at.crawfordDone && at.game > 0 && best === length - 1;
    if (at.phase !== "between" || crawford !== isCrawford || (length && best >= length)) return false;
    at.crawfordDone ||= crawford;
    at.crawford = crawford;
    at.game++;
    at.rows = [at.row, at.row];
    at.cube = { value: 1, owner: -1, offer: -1, holder: -1, count: 0, turned: false };
    at.phase = at.rules.opening === "seat_0" || at.starter < 0 ? "opening" : "roll";
    at.turn = Math.max(0, at.starter);
    return true;
  },
  opening_rolled: (at, dice) => {
    if (at.phase !== "opening" || at.starter >= 0) return false;
    const isTie = dice[0] === dice[1];
    if (isTie && !at.crawford && at.cube.value < 2 ** (at.rules.automatic_doubles ?? 0)) at.cube.value *= 2;
    return at.draw(isTie ? -1 : Number(dice[1] > dice[0]), dice);
  },
  rolled: (at, [seat, ...dice]) => {
    const isDue = at.phase === "roll" ? !isOff(at.rows[1 - at.turn]) : at.phase === "opening" && at.starter === 0;
    return isDue && !at.resigned && seat === at.turn && at.draw(seat, dice);
  },
  moved: (at, [seat, moves]) => {
    if (at.phase !== "move" || at.resigned || seat !== at.turn) return false;
    const after = played({ mine: at.rows[seat], theirs: at.rows[1 - seat], held: heldBy(at.rules) }, at.dice, moves);
    if (!after) return false;
    at.rows = seat ? [after.theirs, after.mine] : [after.mine, after.theirs];
    at.turns[at.rolls] = `${[seat, ...at.dice, ...moves.flat()]}`;
    at.phase = "roll";
    at.turn = 1 - seat;
    return true;
  },
  doubled: (at, [seat]) => {
    if (at.phase !== "roll" || at.resigned || seat !== at.turn || !at.mayDouble(seat) || isOff(at.rows[1 - seat]))
      return false;
    at.cube = { ...at.cube, offer: seat, holder: 1 - seat, count: 0 };
    at.phase = "cube";
    return true;
  },
  taken: (at, [seat]) => {
    if (at.phase !== "cube" || at.resigned || seat !== 1 - at.cube.offer) return false;
    const value = 2 * at.cube.value;
    at.cube = {
      ...at.cube,
      value,
      owner: value === at.limit && !at.rules.cap_kept ? -1 : at.cube.holder,
      offer: -1,
      turned: true,
    };
    at.phase = "roll";
    return true;
  },
  beavered: (at, [seat]) => {
    const { value, offer, count } = at.cube;
    if (
      at.phase !== "cube" ||
      at.resigned ||
      seat !== 1 - offer ||
      count >= (at.rules.beavers ?? 0) ||
      4 * value > at.limit
    )
      return false;
    at.cube = { ...at.cube, value: 2 * value, offer: seat, count: count + 1, turned: true };
    return true;
  },
  resignation_offered: (at, [seat, value]) => {
    if (at.resigned || at.phase === "between" || at.phase === "opening") return false;
    at.resigned = [seat, value];
    return true;
  },
  resignation_refused: (at, [seat]) => {
    if (at.resigned?.[0] !== 1 - seat) return false;
    at.resigned = null;
    return true;
  },
  game_ended: (at, [winner, points, kind, ending]) => {
    if (`${at.ended(winner, ending)}` !== `${[points, kind]}`) return false;
    at.score = at.score.map((before, seat) => before + (seat === winner ? points : 0));
    Object.assign(at, { winner, resigned: null, crawford: false, phase: "between", dice: [] });
    return true;
  },
  match_ended: (at, [winner, ending]) => {
    const { length } = at.rules;
    const best = Math.max(...at.score);
    const [white, black] = at.score;
    if (ending === "score" && (at.phase !== "between" || !length || best < length || at.score[winner] !== best))
      return false;
    if (ending === "left" && (length || winner !== (white === black ? null : Number(black > white)))) return false;
    if (at.phase === "over" && ending !== "voided") return false;
    at.phase = "over";
    return true;
  },
  cancelled: (at) => {
    at.phase = "over";
    return !at.game;
  },
};

/** What is wrong, when it is not the order of events. */
const WRONG: Record<string, AtRoll> = {
  moved: (number) => text.faultIllegal(number),
  doubled: (number) => text.faultCube(number),
  taken: (number) => text.faultCube(number),
  beavered: (number) => text.faultCube(number),
  game_ended: (number) => text.faultScore(number),
  match_ended: (number) => text.faultScore(number),
};

/**
 * A record judged, up to what is wrong first. sound: how many of its events hold; -1: of a later version, it cannot be judged. rolls, turns: what happened in them, by number.
 * @param view the last one
 */
export function judge(
  view: View,
  events: unknown[][],
  roll: ((k: number) => number[]) | null,
): { fault: string; sound: number; rolls: string[]; turns: string[] } {
  const referee = new Referee(view.rules, roll);
  const found = (fault: string, sound: number) => ({ fault, sound, rolls: referee.shown, turns: referee.turns });
  const isLater = events.some((event) => !Object.hasOwn(DOES, String(event[2])) && !ASIDE.includes(String(event[2])));
  if (isLater || !startRow(view.rules)) return found("", -1);
  for (const [index, event] of events.entries()) {
    const before = referee.rolls;
    let fault: string;
    try {
      fault = referee.take(event.slice(2));
    } catch {
      fault = text.faultOrder(referee.rolls); // values that cannot be
    }
    if (fault && referee.rolls > before && NUMBERS.has(String(event[2]))) fault = text.faultDice(referee.rolls);
    if (fault) return found(fault, index);
  }
  return found(agrees(referee, view), events.length);
}

/** What of a view does not follow from the record; "" = all of it does. */
function agrees(referee: Referee, view: View) {
  const { rolls, score, game, phase, rows, cube } = referee;
  if (rolls !== view.rolls) return text.faultTold(view.rolls, rolls);
  const isSame = `${score}` === `${view.score}` && game === view.game && (phase === "over") === (view.phase === "over");
  const isCube = cube.value === view.cube && cube.owner === (view.owner ?? -1);
  return isSame && (!game || (isCube && `${rows}` === `${rowsOf(view)}`)) ? "" : text.faultEnd;
}
