/** A match that is followed: how it stands, who is there, and what was said and shown. */

import type { Recorded, Said } from "../../../../../protocol/tavla.d.ts";
import { type Entry, withScene } from "../model/moves.ts";
import { hasCube } from "../model/rules.ts";
import { begin, narrate, type Scene, type Told } from "../model/scenes.ts";
import type { Turn } from "../model/turn.ts";
import type { Verdict } from "../model/verdict.ts";
import { fromFields, toAct, type View } from "../model/view.ts";
import { type Own, Witness } from "../model/witness.ts";
import { text } from "../texts/text.ts";

const SAID = 100; // lines that are kept of what was said at a match
const NEWS = 100; // scenes of a match that is not on the screen

/** An action that was sent. version: as the match was then, "epoch:seq". seq: the one in which the server has done it. */
export type Sent = { type: string; fields: object; version: string; seq?: number };

export class Match {
  id: string;
  now: () => number;
  code = "";
  epoch = 0;
  seq = 0;
  seen = 0; // the version of the view that was shown last
  seat: number | null = null;
  replaced = false; // another window of ours plays it
  sits = true; // whether we have asked for our seat, should another window have it
  online: [boolean, boolean] = [false, false];
  view: View = fromFields({});
  since = 0; // when the time of the one to act began, by our clock
  held = 0; // when we took our seat in this window, by our clock
  line: unknown = null; // the connection by which we did
  before: { since: number; left: number } | null = null; // of our clock, in ms, at the last step
  absence: readonly number[] = [0, 0]; // how long each may be away, in s
  /** When the other's match may be claimed, by our clock. */
  claimAt: number | null = null;
  watchers: string[] = [];
  watching = 0;
  said: (Said & { at: number })[] = [];
  saidBefore = 0; // lines that are kept no more
  losses = 0; // how often the server has shown it as it was earlier
  hush = false; // what the watchers say is not wanted
  turn: Turn | null = null; // half made
  witness: Witness;
  waived = 0; // of its faults, those in spite of which the player goes on
  own: Own | null = null; // what we have sent for it, as far as it was looked up
  /** Whether the server has taken our seed. */
  revealed: "" | "sent" | "yes" | "refused" = "";
  revealedBy: unknown = null; // the connection that our seed was sent by
  verdict: Verdict | null = null;
  analysis: Recorded["analysis"]; // by the server's judge, if it has come to it when the record is read
  next = ""; // the rematch, as an address has it
  asked = ""; // an action that the server has yet to answer, and the seq that it is for
  requests: Set<Sent> = new Set(); // actions that may yet be done
  leftTo: Set<string> = new Set(); // what the server was told that it may do by itself
  told: Told | null = null;
  news: Scene[] = []; // what happened and was not shown yet, in order
  moves: Entry[] = []; // of this game
  hasGap = true; // moves before those are not known
  ratings: View["ratings"] = [null, null]; // before there were results

  /** @param now the clock, in ms */
  constructor(id: string, now: () => number) {
    this.id = id;
    this.now = now;
    this.witness = new Witness(id);
  }

  /** A new view: what it tells is added to the news. @param isNext no view before it was missed */
  applyView(view: View, own: Own, isNext: boolean) {
    this.view = view;
    if (view.phase !== "over") this.ratings = [this.ratings[0] ?? view.ratings[0], this.ratings[1] ?? view.ratings[1]];
    this.code = view.code || this.code;
    this.witness.recordView(view, own, isNext);
    const { told, scenes } = this.told ? narrate(this.told, view) : { told: begin(view), scenes: [] };
    this.told = told;
    this.news = [...this.news, ...scenes].slice(-NEWS);
    this.moves = scenes.reduce(withScene, this.moves);
    if (scenes.some(({ what }) => what === "missed")) this.hasGap = true;
  }

  /** The server has said whose the seat is: to ask it again on the same connection changes nothing. */
  hold(seat: number | null, line: unknown) {
    if (this.seat === null || this.replaced || this.line !== line) this.held = this.now();
    this.seat = seat;
    this.line = line;
    this.replaced = false;
  }

  /** Take back what was shown last: no scene leads from it to the next view. */
  forget() {
    this.told = null;
    this.news = [];
    this.hasGap = true;
    this.revealed = "";
    this.witness.forget();
  }

  /** Whether something is wrong with it, and the player has not said to go on. */
  get isStopped() {
    return this.witness.faults.length > this.waived;
  }

  /** The other one is away: the match may be claimed in so many seconds. @param seconds null = is here */
  waitFor(seconds: number | null) {
    this.claimAt = seconds === null ? null : this.now() + 1000 * seconds;
  }

  addLine(line: Said) {
    this.saidBefore += this.said.length >= SAID ? 1 : 0;
    this.said = [...this.said.slice(1 - SAID), { ...line, at: Date.now() }];
  }

  /** Seconds until the other's match may be claimed; null: it does not wait for them. */
  get claimIn() {
    return this.claimAt === null ? null : Math.ceil((this.claimAt - this.now()) / 1000);
  }

  /** The seat at the bottom. */
  get bottom(): 0 | 1 {
    return this.seat === 1 ? 1 : 0;
  }

  /** A player's name, as we are told of them. */
  nameOf = (seat: number) => (seat === this.seat ? text.You : (this.view.players[seat] ?? text.someone));

  /** Whether the opponent's offer waits for an answer. */
  get isAsked() {
    return this.isOurs && ["cube", "resign"].includes(this.view.phase);
  }

  /** Whether it waits for a player who is away, and may be claimed in a while. */
  get isWaiting() {
    const { view, seat, claimIn, online } = this;
    if (seat === null || claimIn === null || ["over", "open"].includes(view.phase)) return false;
    return !online[1 - seat] && toAct(view).includes(1 - seat) && !toAct(view).includes(seat);
  }

  /** Whether there is a cube that may be turned some time. */
  get hasCube() {
    return hasCube(this.view.rules) && this.view.phase !== "open";
  }

  get canDouble() {
    const { view, seat } = this;
    return this.hasCube && !view.crawford && (view.owner === null || view.owner === seat);
  }

  /** Whether something is wrong with what is being played, and the player has not said to go on. */
  get isHalted() {
    return this.isStopped && this.view.phase !== "over";
  }

  /** Whether it waits for us. */
  get isOurs() {
    return this.seat !== null && !this.replaced && !this.isStopped && toAct(this.view).includes(this.seat);
  }

  /** A seat's time in ms; null without a clock. */
  time(seat: number): { free: number; reserve: number; runs: boolean } | null {
    const { clock, phase } = this.view;
    if (!clock) return null;
    const runs = phase !== "ready" && phase !== "over" && toAct(this.view).includes(seat);
    if (!runs) return { free: 0, reserve: clock[seat], runs };
    const free = clock[2] - (this.now() - this.since);
    return { free: Math.max(0, free), reserve: Math.max(0, clock[seat] + Math.min(0, free)), runs };
  }
}
