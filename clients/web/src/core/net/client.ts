/**
 * The page's state: the player, the matches that it follows, the lobby's lists. Its listeners hear of each
 * change.
 */

import type * as m from "../../../../../protocol/tavla.d.ts";
import type { Browser } from "../device/browser.ts";
import type { Store } from "../device/store.ts";
import { text } from "../texts/text.ts";
import { Connection, type Refused, reason } from "./connection.ts";
import { IGNORED, NAMES, TOKEN } from "./keys.ts";
import { withLedger } from "./ledgers.ts";
import { followLobby, followTournament } from "./lists.ts";
import type { Match } from "./match.ts";
import { attachMatch, followMatch } from "./matches.ts";
import { guestName } from "./players.ts";
import { Pledges } from "./pledges.ts";
import { applyMessage, applyUpdate } from "./reduce.ts";
import { commit } from "./seeds.ts";
import { Waiters } from "./waiters.ts";

const TRIES = 6; // for a guest's name that is free

export type Lists = {
  tables: Record<string, m.Table>;
  matches: Record<string, m.Table>;
  people: Record<string, m.Person>;
  seekers: Record<string, m.Seeker>;
  tournaments: Record<string, m.Tournament>;
  chat: Record<string, m.Line>;
  tournament: Record<string, m.Tournament>; // one row
};

export class Client {
  storage: Store;
  browser: Browser;
  waiters: Waiters;
  changed: () => void;
  pledges: Pledges;
  me: m.Welcome | null = null;
  online = true; // until we know better: a page that has just come says nothing of lost connections
  matches: Map<string, Match> = new Map();
  board = ""; // the match that is on the screen, by its id or its table
  /** Tables whose match has been asked for, and is not here yet. */
  awaited: Map<string, Promise<Match>> = new Map();
  vanished: Set<string> = new Set(); // matches that the ledger looks for
  lists: Lists = { tables: {}, matches: {}, people: {}, seekers: {}, tournaments: {}, chat: {}, tournament: {} };
  listing = false; // whether the lists are followed
  atTournament = ""; // of the match on the screen
  chatting = false; // whether the lobby's chat is, with them
  /** News of matches that are not on the screen, by match. */
  news: Map<string, "ended" | "seated"> = new Map();
  /** Of whom we would hear nothing. */
  ignored: Set<string>;
  /** Comes in as another player. */
  entering: { hello: Record<string, unknown>; resolve: () => void; reject: (refused: Refused) => void } | null = null;
  challenges: Map<string, m.Challenged> = new Map();
  asked: Set<string> = new Set(); // challenges of this page
  declined: Set<string> = new Set(); // challenges that came to nothing
  programs: Set<string> = new Set(); // whom we have asked for a match against the computer
  onMatched: (match: string) => void = () => {};
  onFriend: (notice: m.Friend) => void = () => {};
  onCalled: (call: m.Called | m.Seated) => void = () => {}; // by a tournament
  onShared: (news: m.Review | m.Said) => void = () => {}; // of a shared review
  seeking: { rules: m.Create["rules"]; commitment: string } | null = null;
  sought: { rules: m.Create["rules"]; commitment: string } | null = null; // what was sought last
  found = ""; // the match that came of it
  /** The commitments that we have sent, by the ids of the requests. */
  sent: Map<number, string> = new Map();
  told = ""; // a message of the server's operators
  alarm = ""; // what the ledger says against the server, which no message of it takes away
  notice = ""; // the last sentence for the player
  sitting = false; // looks for a guest's name
  tries = 0;
  connection: Connection;

  /** @param changed called after each change */
  constructor(url: string, storage: Store, browser: Browser, changed: () => void) {
    this.storage = storage;
    this.browser = browser;
    this.waiters = new Waiters(browser);
    this.changed = () => {
      this.waiters.wake();
      changed();
    };
    this.pledges = new Pledges(storage);
    this.ignored = new Set(storage.read(IGNORED, []));
    this.connection = new Connection(url, this, browser);
    // Another tab has logged in or out, or taken a name: this one does the same.
    browser.onStored((key, value) => {
      if (key === TOKEN && value !== this.me?.token) this.connection.restart();
      if (key !== NAMES || !value || !this.me?.token || this.storage.getItem(TOKEN) !== this.me.token) return;
      this.me = { ...this.me, name: value };
      this.changed();
    });
  }

  get name() {
    return this.me?.name ?? "";
  }

  hello() {
    if (this.entering) return this.entering.hello;
    const token = this.storage.getItem(TOKEN);
    if (token) return { token };
    return this.sitting ? { name: guestName(this) } : { watch: true };
  }

  welcome(welcome: m.Welcome) {
    if (this.me && this.me.player !== welcome.player) this.chatting = false;
    this.me = welcome;
    this.entering?.resolve();
    this.entering = null;
    this.challenges.clear(); // those that are open are told anew
    if (welcome.kind === "account") this.chatting = true;
    for (const id of welcome.ended ?? []) this.news.set(id, "ended");
    if (welcome.token) {
      this.storage.setItem(TOKEN, welcome.token);
      this.storage.setItem(NAMES, welcome.name);
      this.sitting = false;
    } else if (this.sitting) this.connection.hello(); // the player wished to sit down meanwhile
    for (const match of this.matches.values()) this.showRefusal(attachMatch(this, match));
    if (this.listing) followLobby(this, true);
    followTournament(this, this.atTournament, "");
    if (this.seeking)
      this.showRefusal(commit(this, "seek", { rules: this.seeking.rules }, {}, "", this.seeking.commitment, false));
    const follow = () => {
      for (const id of welcome.matches ?? []) if (!this.matches.has(id)) this.showRefusal(followMatch(this, id));
      if (this.pledges.all().length) withLedger(({ findVanished }) => findVanished(this, welcome));
    };
    Promise.allSettled(this.awaited.values()).then(follow); // the address may name one of them by its table
    this.changed();
  }

  unwelcome(refused: Refused) {
    if (this.entering) {
      this.entering.reject(refused);
      this.entering = null;
    } else if (refused.code === "bad_token") this.storage.removeItem(TOKEN);
    else if (!this.sitting || this.tries > TRIES || refused.code === "banned") {
      this.sitting = false;
      this.say(refused.message);
      return;
    }
    this.connection.hello();
  }

  /** A moderator has sent us away: we come back when the player asks for it. */
  removed(why: string) {
    this.told = why;
  }

  /** The player has read it: then we come back, if we were sent away. */
  closeNotice(kind: "alarm" | "told") {
    this[kind] = "";
    this.connection.hurry();
    this.changed();
  }

  /** Words for the time without a connection. */
  get offline() {
    return this.connection.isRemoved ? text.sentAway : text.offline;
  }

  link(online: boolean) {
    this.online = online;
    this.changed();
  }

  receive(message: m.Reply | m.Update) {
    if (Array.isArray(message)) applyUpdate(this, message);
    else applyMessage(this, message);
    this.changed();
  }

  showRefusal(asked: Promise<unknown>) {
    asked.catch((error) => this.say(reason(error)));
  }

  say(words: string) {
    this.notice = words;
    this.changed();
  }
}
