/** Tournaments: which there are, who is in one, and what one does there. Their matches are played on the first page. */

import type { Reply, Standing, Tournament, Update, Welcome } from "../../../../protocol/tavla.d.ts";
import type { Browser } from "../device/browser.ts";
import type { Store } from "../device/store.ts";
import type { Lists } from "./client.ts";
import { Client, ENTERED } from "./client.ts";
import { ensurePlayer } from "./players.ts";
import { commit } from "./seeds.ts";

export class TournamentClient extends Client {
  declare lists: Lists & { tournaments: Record<string, Tournament>; standings: Record<string, Standing> };
  id: string;
  waits = ""; // the commitment to the seed of the next match; "" = none is waited for
  returns = false; // waits for one as soon as the match that is played now is over
  isRead = false; // the lists are here

  /** @param id of the tournament that is looked at; "" = none */
  constructor(url: string, storage: Store, browser: Browser, id: string, changed: () => void) {
    super(url, storage, browser, changed);
    this.id = id;
    this.lists = { ...this.lists, tournaments: {}, standings: {} };
  }

  get tournament(): Tournament | undefined {
    return this.lists.tournaments[this.id];
  }

  /** One's own row of the standings. */
  get own(): Standing | undefined {
    return this.lists.standings[this.name];
  }

  welcome(welcome: Welcome) {
    if (this.me?.token && this.me.player !== welcome.player) this.waits = "";
    super.welcome({ ...welcome, matches: [], ended: [] }); // they are followed where they are played
    const asked: Promise<unknown>[] = [this.connection.ask("subscribe", { what: "tournaments" }, false)];
    if (this.id) asked.push(this.connection.ask("subscribe", { what: "standings", tournament: this.id }, false));
    this.showRefusal(Promise.all(asked).then(() => this.read()));
  }

  /** The lists are here: wait on, or come back, as one who has been away for a match. */
  async read() {
    this.isRead = true;
    const { storage, own, tournament } = this;
    if (storage.getItem(ENTERED) === this.id) {
      if (tournament && !tournament.over) this.returns = Boolean(own) && !this.waits;
      else storage.removeItem(ENTERED);
    }
    this.changed();
    if (this.waits) await this.wait();
    else await this.comeBack();
  }

  receive(message: Reply | Update) {
    if (!Array.isArray(message) && message.type === "unpaired" && message.tournament === this.id) this.waits = "";
    if (!Array.isArray(message) && message.type === "matched") this.waits = "";
    super.receive(message);
    this.showRefusal(this.comeBack());
  }

  async comeBack() {
    if (!this.returns || this.own?.match || this.browser.isHidden()) return;
    await this.enter();
  }

  /** Wait for a match from now on: come, or come back. */
  async enter() {
    this.returns = false;
    await ensurePlayer(this);
    this.waits = this.pledges.make();
    this.storage.setItem(ENTERED, this.id);
    this.changed();
    await this.wait();
  }

  wait() {
    return commit(this, "enter_tournament", { tournament: this.id }, this.waits, false).catch((error) => {
      this.waits = "";
      throw error;
    });
  }

  /** Wait for a match no longer. */
  async leave() {
    this.storage.removeItem(ENTERED);
    this.waits = "";
    this.returns = false;
    this.changed();
    await this.connection.ask("leave_tournament", { tournament: this.id });
  }

  /** The page is left: whoever is not here is not to be paired, until they are back. */
  hide() {
    if (this.waits) void this.connection.ask("leave_tournament", { tournament: this.id }, false);
  }
}
