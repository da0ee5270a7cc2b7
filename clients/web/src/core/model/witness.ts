/**
 * Views of a match while it is played. The first value of everything stays, and each new view has to follow from the
 * one before it; anything else is a fault, told in a sentence. Pure.
 */

import { text } from "../texts/text.ts";
import { gamesOver, provenDice, shownLink } from "./chain.ts";
import { isHash, keeps } from "./dice.ts";
import { highFirst, startRow } from "./plays.ts";
import { afterTurn, type Rows, rowsOf } from "./scenes.ts";
import { isOff } from "./stakes.ts";
import { binding, termsOf } from "./terms.ts";
import type { View } from "./view.ts";

/**
 * seat: ours; sent: the commitment that we sent, "" = not from here; server, other: those that we saw when we revealed
 * our seed; burnt: links of no game that were told before
 */
export type Own = { seat: number | null; sent: string; server: string; other: string; burnt?: number };

/** Whether a game, or the match, has ended. */
const hasEnded = (view: View) => view.outcome !== null || view.phase === "over";

/** Whether a game begins with one die of each player. */
const isRolledOff = ({ rules, game }: View) =>
  rules.opening === "roll_off" || (rules.opening === "winner" && game === 1);

/** Whether another value was seen before; the first one stays. */
function isOther<Key>(known: Map<Key, string>, key: Key, seen: string) {
  if (!known.has(key)) known.set(key, seen);
  return known.get(key) !== seen;
}

const nameOf = (view: View, seat: number) => view.players[seat] ?? text.someone;

export class Witness {
  faults: string[] = [];
  /**
   * Rolls by "link:number", of the server's seeds: seat, the higher die, the lower one. Where the match was put back, a
   * number may come again with another link.
   */
  rolls: Map<string, string> = new Map();
  lost: Set<string> = new Set(); // of those, what the store may have lost
  /** The whole turns, as `last` has them, by the number of their roll. */
  turns: Map<number, string> = new Map();
  proven = 0; // the last link whose rolls were found to follow from the seeds
  seed = ""; // the newest of the server's
  newest = 0; // its number
  burnt = 0; // links that are of no game, since they were known when the match was put back
  unlinked = 0; // rolls up to this one may have been of an earlier link
  server = ""; // its commitment, as first shown
  terms = ""; // as first shown
  commitments: (string | undefined)[] = [undefined, undefined];
  seeds: [string, string] = ["", ""];
  most = 0; // rolls that were counted
  before: View | null = null;
  waiting: number | null = null; // of the rolls counted, those that were not played; null = not known
  match: string;

  constructor(match: string) {
    this.match = match;
  }

  /**
   * Forget the last view, which has not happened: the next one need not follow from it. Dice stay: they hang on their
   * numbers alone.
   */
  forget() {
    this.before = this.waiting = null;
    this.most = 0;
    this.commitments = [undefined, undefined];
    this.seeds = ["", ""];
    this.turns.clear();
    this.lost = new Set(this.rolls.keys());
  }

  add(fault: string) {
    if (!this.faults.includes(fault)) this.faults.push(fault);
  }

  /** Note what a view shows. @param isNext no view between this one and the one before was missed */
  recordView(view: View, own: Own, isNext: boolean) {
    this.recordPromises(view, own);
    this.recordSeed(view, own.burnt);
    const waiting = this.waitingIn(view, isNext);
    if (view.rolls < this.most) this.add(text.faultCount(this.most, view.rolls));
    this.most = Math.max(this.most, view.rolls);
    if (waiting !== null) this.recordDice(view, waiting);
    this.recordTerms(view);
    this.recordGames(view);
    if (isNext && this.before && this.waiting !== null && waiting !== null)
      this.follow(this.before, view, this.waiting, waiting);
    this.before = view;
    this.waiting = waiting;
  }

  /** Number of counted rolls that are not played: 0 or 1, null if that cannot be told. */
  waitingIn(view: View, isNext: boolean) {
    if (view.dice.length) return 1;
    if (!hasEnded(view) || view.outcome?.[3] === "borne_off" || !view.rolls) return 0;
    return isNext && this.before?.game === view.game ? this.waiting : null;
  }

  recordPromises(view: View, { seat, sent, server, other }: Own) {
    const { commitment, commitments, seeds, players } = view;
    if (![commitment, ...commitments].every(isHash) && (view.rolls || view.phase === "reveal"))
      this.add(text.faultNoCommitment);
    this.server ||= commitment;
    if (commitment !== this.server || (server && commitment !== server)) this.add(text.faultCommitment);
    for (const one of [0, 1]) {
      if (players[one] === null) continue;
      this.commitments[one] ??= commitments[one];
      if (commitments[one] !== this.commitments[one]) this.add(text.faultCommitment);
      if (seeds[one] !== this.seeds[one] && (this.seeds[one] || !keeps(seeds[one], commitments[one])))
        this.add(text.faultSeed(nameOf(view, one)));
      this.seeds[one] ||= seeds[one];
      if (view.rolls && !seeds[one]) this.add(text.faultNoSeed(nameOf(view, one)));
    }
    if (seat === null || !sent) return;
    if (commitments[seat] !== sent) this.add(text.faultOwn);
    const isPutBack = view.outcome?.[3] === "put_back"; // maybe to before both sat
    if (server && !isPutBack && commitments[1 - seat] !== other) this.add(text.faultCommitment);
  }

  recordTerms(view: View) {
    const shown = termsOf(this.match, view);
    if (!view.game) this.terms = shown; // until it begins another player may sit down
    this.terms ||= shown;
    const isHidden = !shown && view.game > 0 && view.phase !== "over";
    if (isHidden || (shown && shown !== this.terms)) this.add(text.faultTerms);
  }

  /** The newest seed is of the last game that is over; a later one tells that the match was put back. */
  recordSeed(view: View, known = 0) {
    const link = view.seed === this.seed ? this.newest : shownLink(view, this.server);
    if (link < this.newest) return this.add(view.seed && link < 0 ? text.otherServerSeed : text.faultPutBack);
    const burnt = link - gamesOver(view);
    if (burnt > this.burnt) {
      this.burnt = burnt;
      this.unlinked = view.rolls;
      if (burnt > known) this.add(text.faultPutBack);
    }
    this.seed = view.seed;
    this.newest = link;
  }

  /** The newest seed is not that of the last game that is over; a match that is void shows none for the game in hand. */
  seedFault(view: View) {
    const lacking = gamesOver(view) + this.burnt - this.newest;
    const isVoided = view.phase === "over" && view.outcome?.[3] === "voided";
    if (!lacking || (isVoided && lacking === 1)) return "";
    return view.seed ? text.otherServerSeed : text.noSeedShown;
  }

  /** The rolls of each game that is over follow from its seed. */
  recordGames(view: View) {
    const due = gamesOver(view) + this.burnt;
    if (due <= this.proven || view.phase === "over") return;
    this.proven = due;
    const fault = this.seedFault(view);
    if (fault) return this.add(fault);
    const roll = provenDice(view, binding(this.terms));
    for (const [key, shown] of this.rolls) {
      const [link, number] = key.split(":").map(Number);
      const dice = roll(link, number);
      if (dice && `${highFirst(dice)}` !== shown.slice(2)) this.add(text.faultDice(number));
    }
  }

  recordDice({ dice, rolls, last, turn, game }: View, waiting: number) {
    const see = (number: number, seen: string) => {
      if (number <= this.unlinked) return;
      const key = `${game + this.burnt}:${number}`;
      this.lost.delete(key);
      if (isOther(this.rolls, key, seen)) this.add(text.faultOtherDice(number));
    };
    if (dice.length) see(rolls, `${[turn, ...dice]}`);
    last.forEach((one, index) => {
      const number = rolls - waiting - last.length + 1 + index;
      see(number, `${one.slice(0, 3)}`);
      if (isOther(this.turns, number, `${one}`)) this.add(text.faultOtherPlay(number));
    });
  }

  /** A view follows from the one before it. */
  follow(before: View, now: View, wasWaiting: number, waiting: number) {
    const isNew = now.game !== before.game;
    const done = isNew ? before.rolls : before.rolls - wasWaiting;
    const count = now.rolls - waiting - done; // turns that were played
    if (isNew && (now.game !== before.game + 1 || (before.game && !hasEnded(before))))
      return this.add(text.faultJump(now.rolls));
    const { last } = now;
    const ties = isNew && isRolledOff(now) ? count - last.length : 0;
    const known = last.length - count + ties; // turns that were shown before
    const isAsBefore =
      known === 0 || (known > 0 && !isNew && `${last.slice(0, known)}` === `${before.last.slice(0, known)}`);
    if (ties < 0 || count - ties < 0 || !isAsBefore || (count - ties > 0 && !isNew && hasEnded(before)))
      return this.add(text.faultJump(now.rolls));
    this.play(before, now, last.slice(known), done + ties + 1);
  }

  /** The cube is turned by a take or a beaver alone, and points go to the player who has won them. */
  cube(before: View, now: View, number: number) {
    const isNew = now.game !== before.game;
    const isAsked = !isNew && before.offer !== null;
    if (!isNew && !isAsked && (now.cube !== before.cube || now.owner !== before.owner))
      this.add(text.faultCube(number));
    if (isAsked && now.cube !== before.cube && now.cube !== 2 * before.cube) this.add(text.faultCube(number));
    if (isNew && now.cube > 2 ** Number(now.rules.automatic_doubles ?? 0)) this.add(text.faultCube(number));
    const [winner, points, , ending] = now.outcome ?? [null, 0];
    const score = before.score.map((one, seat) => one + (seat === winner && !hasEnded(before) ? points : 0));
    const isWon = ending !== "borne_off" || (winner !== null && isOff(rowsOf(now)[winner]));
    if (`${score}` !== `${now.score}` || !isWon) this.add(text.faultScore(number));
  }

  /**
   * The turns between two views are legal, of the right sides, and lead from one to the other.
   * @param number of the first
   */
  play(before: View, now: View, turns: number[][], number: number) {
    const isNew = now.game !== before.game;
    const start = startRow(now.rules);
    if (!start) return; // a game of a later version
    let rows: Rows = isNew ? [start, start] : rowsOf(before);
    let next: number | null = !isNew
      ? before.turn
      : isRolledOff(now)
        ? null
        : now.rules.opening === "winner"
          ? (before.outcome?.[0] ?? null)
          : 0;
    for (const turn of turns) {
      const [seat] = turn;
      if (next !== null && seat !== next) this.add(text.faultSide(number));
      const after = afterTurn(rows, now.rules, turn);
      if (!after) return this.add(text.faultIllegal(number));
      rows = after;
      next = 1 - seat;
      number++;
    }
    if (`${rows}` !== `${rowsOf(now)}`) this.add(text.faultBoard(number - 1));
    this.cube(before, now, number - 1);
    if (next !== null && now.turn !== next && !hasEnded(now) && now.phase !== "opening")
      this.add(text.faultSide(number));
  }
}
