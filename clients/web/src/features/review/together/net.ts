/** A shared review: who is there and leads, what all see, and what was said. */

import type { Review, ReviewScene, Said } from "../../../../../../protocol/tavla.d.ts";
import type { Client } from "../../../core/net/client.ts";
import type { Words } from "../../../core/net/matches.ts";

const SAID = 100; // lines that are kept
const PAUSE_MS = 150; // between two scenes that are shown: the server takes eight a second

export class SharedReview {
  client: Client;
  id: string;
  now: Review | null = null;
  said: (Said & { at: number })[] = [];
  saidBefore = 0;
  pending: ReviewScene | null = null; // shown, and not answered yet
  isSending = false;

  constructor(client: Client, id: string) {
    this.client = client;
    this.id = id;
  }

  get people() {
    return this.now?.people ?? [];
  }

  get leader() {
    return this.now?.leader ?? "";
  }

  get leads() {
    return this.leader !== "" && this.leader === this.client.name;
  }

  /** Whether we may take the lead, as the server sees it. */
  get mayTake() {
    const { maker = "" } = this.now ?? {};
    const { name } = this.client;
    return !this.leads && (maker ? maker === name : !this.leader && this.people[0] === name);
  }

  get scene(): ReviewScene {
    return this.pending ?? this.now?.scene ?? {};
  }

  /** Come in, or come back: with what was to be shown meanwhile. */
  async join() {
    this.now = await this.client.connection.ask("join_review", { review: this.id });
    this.client.changed();
    this.isSending = false; // what a lost connection took with it is never answered
    if (this.pending) await this.send();
  }

  /** The file, packed. */
  async file() {
    return (await this.client.connection.ask("read_file", {})).data as Uint8Array<ArrayBuffer>;
  }

  leave() {
    this.client.connection.ask("leave_review", {}, false).catch(() => {});
  }

  hear(message: Review | Said) {
    if (message.type === "review" && message.review === this.id) this.now = message;
    if (message.type !== "said" || message.match !== this.id) return;
    this.saidBefore += this.said.length >= SAID ? 1 : 0;
    this.said = [...this.said.slice(1 - SAID), { ...message, at: Date.now() }];
  }

  say(words: Words) {
    return this.client.connection.ask("say", { match: this.id, to: "watchers", ...words }, false);
  }

  lead(player: string | null) {
    return this.client.connection.ask("lead_review", { player }, false);
  }

  /** Show something to all: of what changes quickly, the last. */
  show(change: ReviewScene) {
    this.pending = { ...this.scene, ...change };
    this.client.changed();
    if (this.client.online) this.client.showRefusal(this.send());
  }

  private async send() {
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (let scene: ReviewScene | null = null; this.pending && scene !== this.pending; ) {
        scene = this.pending;
        await this.client.connection.ask("show_review", { scene }, false);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    } finally {
      this.pending = null;
      this.isSending = false;
      this.client.changed();
    }
  }
}
