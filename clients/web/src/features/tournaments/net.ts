/** Tournaments: the list, the entrants, and what a player does there. Their matches are played on the first page. */

import type * as m from "../../../../../protocol/tavla.d.ts";
import type { Browser } from "../../core/device/browser.ts";
import type { Store } from "../../core/device/store.ts";
import { askedOptions } from "../../core/model/rules.ts";
import { Client, type Lists } from "../../core/net/client.ts";
import { ENTERED } from "../../core/net/keys.ts";
import { ensurePlayer } from "../../core/net/players.ts";
import { commit } from "../../core/net/seeds.ts";
import { said } from "../../core/texts/text.ts";
import { pairsOf, ranked } from "./model/ranks.ts";

export class TournamentClient extends Client {
  declare lists: Lists & {
    standings: Record<string, m.Standing>;
    pairings: Record<string, m.Pairing>; // of rounds
  };
  id: string;
  waits = ""; // the commitment to the seed of the next match; "" = none is waited for
  returns = false; // waits for one as soon as the match that is played now is over
  done = ""; // why there are no more matches for one
  isRead = false; // the lists are here
  record: m.TournamentRecorded | null = null; // all that was played, as far as it was asked for
  codes = new Map<string, string>(); // of the matches of a private tournament

  /** @param id of the tournament that is looked at; "" = none */
  constructor(url: string, storage: Store, browser: Browser, id: string, changed: () => void) {
    super(url, storage, browser, changed);
    this.id = id;
    this.lists = { ...this.lists, standings: {}, pairings: {} };
  }

  get tournament(): m.Tournament | undefined {
    return this.lists.tournaments[this.id];
  }

  /** Our own row of the standings. */
  get own(): m.Standing | undefined {
    return this.lists.standings[this.name];
  }

  welcome(welcome: m.Welcome) {
    if (this.me?.token && this.me.player !== welcome.player) this.waits = "";
    super.welcome({ ...welcome, matches: [], ended: [] }); // they are followed where they are played
    this.showRefusal(this.follow().then(() => this.read()));
  }

  async follow() {
    await this.connection.ask("subscribe", { what: "tournaments" }, false);
    if (!this.id) return;
    if (!this.tournament) await this.readRow().catch(() => {}); // then there is none
    const { id, tournament, record } = this;
    if (!tournament) return;
    if (tournament.over && record) return this.showRecord(record);
    for (const what of ["standings", "pairings"] as const)
      await this.connection.ask("subscribe", { what, tournament: id }, false);
  }

  /** The row of one that the list has not: it is private, or was over long ago. */
  async readRow() {
    this.record = await this.connection.ask("tournament_record", { tournament: this.id });
    const { about, pairings = [] } = this.record;
    this.noteCodes(pairings);
    if (about) this.lists = { ...this.lists, tournaments: { ...this.lists.tournaments, [this.id]: about } };
  }

  /** A tournament that was over long ago has no lists. */
  showRecord({ players = [], pairings = [] }: m.TournamentRecorded) {
    const ofRounds = pairings.filter(({ round }) => round).map((one, index) => [index, one]);
    this.lists = {
      ...this.lists,
      standings: Object.fromEntries(players),
      pairings: Object.fromEntries(ofRounds),
    };
  }

  /** The address of a match; with its code, in a private tournament. */
  at = (match: string) => (this.codes.has(match) ? `/m/${match}#${this.codes.get(match)}` : `/m/${match}`);

  noteCodes(rows: (m.Standing | m.Pairing)[]) {
    for (const { match, code } of rows) if (match && code) this.codes.set(match, code);
  }

  /** Ask for what was played; again, for the next page of it. */
  async readRecord() {
    const { record, id: tournament } = this;
    const page = await this.connection.ask("tournament_record", { tournament, after: record?.next ?? 0 });
    const before = record?.next ? record : null;
    this.noteCodes(page.pairings ?? []);
    this.record = before
      ? { ...before, pairings: [...(before.pairings ?? []), ...(page.pairings ?? [])], next: page.next }
      : page;
    this.changed();
  }

  /** The lists are here: wait on, or come back after a match. */
  async read() {
    this.isRead = true;
    const { storage, own, tournament, lists } = this;
    const entered = storage.getItem(ENTERED) ?? "";
    if (lists.tournaments[entered]?.over) storage.removeItem(ENTERED);
    else if (entered === this.id && tournament) this.returns = Boolean(own) && !this.waits;
    this.changed();
    if (this.waits) await this.wait();
    else await this.comeBack();
  }

  receive(message: m.Reply | m.Update) {
    const type = Array.isArray(message) ? "" : message.type;
    if (type === "unpaired" || type === "matched") this.waits = "";
    if (!Array.isArray(message) && message.type === "unpaired" && message.over) this.done = said(message);
    if (!Array.isArray(message) && message.type === "called" && this.knows(message)) this.changed();
    else super.receive(message);
    if (type === "listing" || type === "changes") this.listBoards();
    this.showRefusal(this.comeBack());
  }

  /** Whether the page does by itself what a call is for, or shows it: the player is looking at this tournament. */
  knows({ tournament, what }: m.Called) {
    if (tournament !== this.id) return false;
    if (what === "come" && this.storage.getItem(ENTERED) === this.id) this.returns = !this.waits;
    return !this.browser.isHidden() && (what !== "come" || this.returns);
  }

  /** The leaders' matches, for the board that shows one; none may be watched without the code of a private tournament. */
  listBoards() {
    const { rules, private: hidden } = this.tournament ?? {};
    const { standings, pairings } = this.lists;
    if (hidden) this.noteCodes([...Object.values(standings), ...Object.values(pairings)]);
    const pairs = hidden ? [] : pairsOf(ranked(standings));
    const table = ([match, one, other]: (typeof pairs)[number]): [string, m.Table] => [
      match,
      { name: match, players: [one.name, other.name], rules, since: -one.place },
    ];
    this.lists = { ...this.lists, matches: Object.fromEntries(pairs.map(table)) };
  }

  async comeBack() {
    if (!this.returns || this.own?.match || this.browser.isHidden()) return;
    await this.enter();
  }

  /** Wait for a match from now on: come, or come back. */
  async enter() {
    await ensurePlayer(this);
    this.waits = this.pledges.make(this.tournament && askedOptions(this.tournament.rules ?? {}));
    this.returns = false; // not before: in between nothing would be waited for
    this.storage.setItem(ENTERED, this.id);
    this.changed();
    await this.wait();
  }

  wait() {
    return commit(this, "enter_tournament", { tournament: this.id }, {}, "", this.waits, false).catch((error) => {
      this.waits = "";
      if (error.code !== "tournament_over") throw error;
      this.storage.removeItem(ENTERED);
      this.done = error.message;
      this.changed();
    });
  }

  async leave() {
    this.storage.removeItem(ENTERED);
    this.waits = "";
    this.returns = false;
    this.changed();
    await this.connection.ask("leave_tournament", { tournament: this.id });
  }

  /** The page is left: a player who is not here is not to be paired until they are back, but called to the next round. */
  hide() {
    if (this.waits) void this.connection.ask("leave_tournament", { tournament: this.id, returns: true }, false);
  }
}
