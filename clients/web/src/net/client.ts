/** What the page knows: who one is, the matches that it follows, the lobby's lists. Tells those who draw when it changes. */

import type {
  Career,
  Challenged,
  Create,
  Leader,
  Line,
  Person,
  Played,
  Reply,
  Said,
  Seeker,
  Snapshot,
  Table,
  Update,
  Welcome,
} from "../../../../protocol/tavla.d.ts";
import type { Store } from "../device/store.ts";
import type { Scene, Told } from "../model/scenes.ts";
import { begin, tell } from "../model/scenes.ts";
import type { Turn } from "../model/turn.ts";
import type { Judged, Verdict } from "../model/verdict.ts";
import { isPlayed, isVoid, judged, wrongSeeds } from "../model/verdict.ts";
import type { View } from "../model/view.ts";
import { CLOCK, checksum, fromFields, patch, readable, toAct, unreadable } from "../model/view.ts";
import type { Own } from "../model/witness.ts";
import { Witness } from "../model/witness.ts";
import { said, text } from "../texts/text.ts";
import { Connection, Refused } from "./connection.ts";
import { Pledges } from "./pledges.ts";

const TOKEN = "tavla.token";
const NAMES = "tavla.name";
const IGNORED = "tavla.ignored";
const LISTS = ["tables", "matches", "people", "seekers"] as const;
const SAID = 100; // lines that are kept of what was said at a match
const TRIES = 6; // for a guest's name that is free
const NEWS = 100; // scenes of a match that nobody looks at
const COMPUTER_MS = 10_000; // a program answers a challenge at once
const FREE_MS = 3000; // until a program has room again, as one that has just come
const REVEALED_MS = 3000; // for an answer to our seed, when the match is void meanwhile
const MOST_EVENTS = 100_000; // of a record: more than any match has

/** A match that is followed. */
export class Match {
  id: string;
  code = "";
  epoch = 0;
  seq = 0;
  seen = 0; // the version of the view that was shown last
  seat: number | null = null;
  replaced = false;
  online: [boolean, boolean] = [false, false];
  view: View = fromFields({});
  since = 0; // when the time of the one to act began, by performance.now()
  /** When the other's match may be claimed, by performance.now(). */
  claimAt: number | null = null;
  watchers: string[] = [];
  watching = 0;
  said: Said[] = [];
  saidBefore = 0; // lines that are kept no more
  hush = false; // what the watchers say is not wanted
  turn: Turn | null = null; // half made
  witness = new Witness();
  waived = 0; // of its faults, those in spite of which the player goes on
  own: Own | null = null; // what we have sent for it, as far as it was looked up
  /** Whether the server has taken our seed. */
  revealed: "" | "sent" | "yes" | "refused" = "";
  revealedBy: unknown = null; // the connection that our seed was sent by
  verdict: Verdict | null = null;
  next = ""; // the rematch
  told: Told | null = null;
  news: Scene[] = []; // what happened and was not shown yet, in order

  constructor(id: string) {
    this.id = id;
  }

  /** A new view: what it tells is added to the news. @param isNext no view before it was missed */
  take(view: View, own: Own, isNext: boolean) {
    this.view = view;
    this.code = view.code || this.code;
    this.witness.see(view, own, isNext);
    const { told, scenes } = this.told ? tell(this.told, view) : { told: begin(view), scenes: [] };
    this.told = told;
    this.news = [...this.news, ...scenes].slice(-NEWS);
  }

  /** What was shown last has not happened: nothing is told from there to the view that comes next. */
  forget() {
    this.told = null;
    this.news = [];
    this.revealed = "";
    this.witness.forget();
  }

  /** Whether something is wrong with it, and the player has not said to go on. */
  get isStopped() {
    return this.witness.faults.length > this.waived;
  }

  /** The other one is away: the match may be claimed in so many seconds. @param seconds null = is here */
  waitFor(seconds: number | null) {
    this.claimAt = seconds === null ? null : performance.now() + 1000 * seconds;
  }

  hear(line: Said) {
    this.saidBefore += this.said.length >= SAID ? 1 : 0;
    this.said = [...this.said.slice(1 - SAID), line];
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
    const free = clock[2] - (performance.now() - this.since);
    return { free: Math.max(0, free), reserve: Math.max(0, clock[seat] + Math.min(0, free)), runs };
  }
}

export class Client {
  storage: Store;
  changed: () => void;
  pledges: Pledges;
  me: Welcome | null = null;
  online = true; // until we know better: a page that has just come says nothing of lost connections
  matches: Map<string, Match> = new Map();
  lists: {
    tables: Record<string, Table>;
    matches: Record<string, Table>;
    people: Record<string, Person>;
    seekers: Record<string, Seeker>;
    chat: Record<string, Line>;
  } = { tables: {}, matches: {}, people: {}, seekers: {}, chat: {} };
  listing = false; // whether the lists are followed
  chatting = false; // whether the lobby's chat is, with them
  /** What happened where we were not looking, by match. */
  news: Map<string, "ended" | "seated"> = new Map();
  /** Of whom we would hear nothing. */
  ignored: Set<string>;
  entering: { hello: Record<string, unknown>; resolve: () => void; reject: (refused: Refused) => void } | null = null; // comes in as somebody else
  challenges: Map<string, Challenged> = new Map();
  declined: Set<string> = new Set(); // challenges that came to nothing
  programs: Set<string> = new Set(); // whom we have asked for a match against the computer
  onMatched: (match: string) => void = () => {};
  seeking: { rules: Create["rules"]; commitment: string } | null = null;
  sought: { rules: Create["rules"]; commitment: string } | null = null; // what was sought last
  found = ""; // the match that came of it
  /** The commitments that we have sent, by the ids of the requests. */
  sent: Map<number, string> = new Map();
  told = ""; // what those who run the server have to say
  notice = ""; // the last sentence for the player
  sitting = false; // looks for a guest's name
  tries = 0;
  connection: Connection;

  /** @param changed called after each change */
  constructor(url: string, storage: Store, changed: () => void) {
    this.storage = storage;
    this.changed = changed;
    this.pledges = new Pledges(storage);
    this.ignored = new Set(storage.read(IGNORED, []));
    this.connection = new Connection(url, this);
    // Another tab has come in as somebody, or has gone: then so have we.
    addEventListener(
      "storage",
      ({ key, newValue }) => key === TOKEN && newValue !== this.me?.token && this.connection.restart(),
    );
  }

  get name() {
    return this.me?.name ?? "";
  }

  // --- what the connection asks of us ---

  hello() {
    if (this.entering) return this.entering.hello;
    const token = this.storage.getItem(TOKEN);
    if (token) return { token };
    return this.sitting ? { name: this.guestName() } : { watch: true };
  }

  /** A name for one who gives none. The one from before, if there was one, and else some guest's. */
  guestName() {
    const before = this.tries++ ? null : this.storage.getItem(NAMES);
    return before ?? `guest${100 + Math.floor(Math.random() * 9900)}`;
  }

  welcome(welcome: Welcome) {
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
    } else if (this.sitting) this.connection.hello(); // somebody wished to sit down meanwhile
    for (const match of this.matches.values()) this.tell(this.attach(match));
    if (this.listing) for (const what of this.listed) this.tell(this.connection.ask("subscribe", { what }, false));
    if (this.seeking) this.tell(this.commit("seek", { rules: this.seeking.rules }, this.seeking.commitment, false));
    for (const id of welcome.matches ?? []) if (!this.matches.has(id)) this.tell(this.follow(id));
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

  link(online: boolean) {
    this.online = online;
    for (const { witness } of this.matches.values()) witness.sent = null; // as above
    this.changed();
  }

  receive(message: Reply | Update) {
    if (Array.isArray(message)) this.update(message);
    else this.message(message);
    this.changed();
  }

  // --- what arrives ---

  message(message: Reply) {
    switch (message.type) {
      case "snapshot":
        return this.snapshot(message);
      case "heartbeat":
        return this.heartbeat(message.matches);
      case "presence": {
        const match = this.matches.get(message.match);
        if (!match) return;
        match.online[message.seat] = message.online;
        if (message.seat !== match.seat) match.waitFor(message.online ? null : (message.claim_after ?? null));
        return;
      }
      case "replaced": {
        const match = this.matches.get(message.match);
        if (match) match.replaced = true;
        return;
      }
      case "listing":
        if (message.what in this.lists) this.lists = { ...this.lists, [message.what]: message.rows };
        return;
      case "changes": {
        if (!(message.what in this.lists)) return;
        const rows = { ...this.lists[message.what as "tables"], ...message.set };
        for (const key of message.gone ?? []) delete rows[key];
        this.lists = { ...this.lists, [message.what]: rows };
        return;
      }
      case "matched":
        this.bind(
          this.sent.get(message.seek ?? -1) ?? (this.pledges.sentFor(message.match) || this.seeking?.commitment),
          message.match,
        );
        this.sought = this.seeking ?? this.sought;
        this.found = message.seek ? message.match : "";
        this.seeking = null;
        this.onMatched(message.match);
        return;
      case "seeking":
        this.seeking = message.on ? (this.seeking ?? this.sought) : null;
        return;
      case "challenged":
        this.bind(this.sent.get(message.id ?? -1), message.challenge); // the match will have its id
        this.challenges.set(message.challenge, message);
        return;
      case "unchallenged":
        if (message.why !== "accepted") this.declined.add(message.challenge);
        this.toldNo(this.challenges.get(message.challenge), message.why);
        this.challenges.delete(message.challenge);
        return;
      case "rematched": {
        const match = this.matches.get(message.match);
        if (match) match.next = message.next;
        return;
      }
      case "said":
        this.matches.get(message.match)?.hear(message);
        return;
      case "seated":
        this.news.set(message.match, "seated");
        return;
      case "notice":
        this.told = said(message);
        return;
      case "ended":
        this.news.set(message.match, "ended");
        return;
      case "watchers": {
        const match = this.matches.get(message.match);
        if (match) [match.watchers, match.watching] = [message.names ?? [], message.count];
        return;
      }
    }
  }

  snapshot(snapshot: Snapshot) {
    const match = this.matches.get(snapshot.match) ?? new Match(snapshot.match);
    this.matches.set(match.id, match);
    this.bind(this.sent.get(snapshot.id ?? -1), match.id);
    this.challenges.delete(match.id); // it has come to this match
    if (match.epoch && (snapshot.epoch > match.epoch || snapshot.seq < match.seq)) {
      match.forget();
      this.say(text.forgotten);
    }
    const isNext = snapshot.seq <= match.seen + 1;
    match.epoch = snapshot.epoch;
    match.seq = snapshot.seq;
    match.seat = snapshot.seat ?? null;
    match.own = null;
    match.replaced = false;
    match.online = [...snapshot.online] as [boolean, boolean];
    match.since = performance.now() - (snapshot.elapsed ?? 0);
    if (match.seat !== null) match.waitFor(snapshot.claim_after?.[1 - match.seat] ?? null);
    this.show(match, fromFields(snapshot.view), isNext);
  }

  update([id, seq, diff]: Update) {
    const match = this.matches.get(id);
    if (!match || seq <= match.seq) return;
    if (seq > match.seq + 1) return this.tell(this.attach(match));
    match.seq = seq;
    if (diff.some((code, index) => index % 2 === 0 && code === CLOCK)) match.since = performance.now();
    this.show(match, patched(match.view, diff), seq === match.seen + 1);
  }

  heartbeat(states: [string, number, number, number][]) {
    for (const [id, epoch, seq, sum] of states) {
      const match = this.matches.get(id);
      if (!match || (epoch === match.epoch && seq < match.seq)) continue;
      if (epoch === match.epoch && seq === match.seq && sum !== checksum(match.view)) match.seq = 0;
      if (epoch !== match.epoch || seq !== match.seq) this.tell(this.attach(match));
    }
  }

  /** @param view null: it cannot be read */
  show(match: Match, view: View | null, isNext: boolean) {
    if (!view) {
      match.witness.add(text.faultAbsurd("?"));
      match.seq = 0; // a heartbeat will bring it whole
      return;
    }
    for (const field of unreadable(view)) match.witness.add(text.faultAbsurd(field));
    view = readable(view, match.view);
    match.own ??= this.own(match, view);
    match.take(view, match.own, isNext);
    match.seen = match.seq;
    if (view.phase === "reveal") this.reveal(match);
    if (view.phase === "over" && !match.verdict) this.ended(match);
  }

  // --- the dice ---

  /** Ask for a seat, with a commitment to a fresh seed. */
  commit<T extends "create" | "join" | "challenge" | "answer" | "rematch" | "seek">(
    type: T,
    fields: any,
    commitment: string = this.pledges.make(),
    again: boolean = true,
  ) {
    this.sent.set(this.connection.nextId, commitment);
    return this.connection.ask(type, { ...fields, commitment }, again);
  }

  /** Note for which match a commitment of ours was sent. */
  bind(commitment: string | undefined, match: string) {
    if (commitment) this.pledges.bind(commitment, match);
  }

  /** What we have sent for a match, and saw when we revealed. */
  own({ id, seat }: Match, view: View): Own {
    const shown = seat === null ? "" : view.commitments[seat];
    const pledges = seat === null ? {} : this.pledges.all();
    const sent = seat === null ? "" : Object.hasOwn(pledges, shown) ? shown : this.pledges.sentFor(id);
    const pledge = sent ? pledges[sent] : undefined;
    const isRevealed = pledge?.match === id;
    return { seat, sent, server: (isRevealed && pledge.server) || "", other: (isRevealed && pledge.other) || "" };
  }

  /** Show our seed, if the match waits for it and nothing is wrong. */
  reveal(match: Match) {
    const { seat, view } = match;
    if (seat === null || !view.unrevealed.includes(seat) || match.isStopped || match.revealed) return;
    const seed = this.pledges.reveal(match.id, view, seat);
    match.own = null;
    if (seed === null) return this.say(text.cannotReveal);
    match.revealed = "sent";
    match.revealedBy = this.connection.socket;
    this.connection.ask("reveal", { match: match.id, seq: match.seq, seed }).then(
      () => {
        match.revealed = "yes";
        this.pledges.taken(view.commitments[seat]);
      },
      (error) => {
        match.revealed = "refused";
        this.say(error.message);
      },
    );
  }

  /** A match is over: what is to be said of it. */
  ended(match: Match) {
    const { view, witness, seat } = match;
    if (isPlayed(view)) return void this.check(match);
    if (isVoid(view) && seat !== null && view.unrevealed.includes(seat)) return void this.blamed(match);
    const wrong = witness.faults[0] || (isVoid(view) ? wrongSeeds(view, witness.server) : "");
    if (wrong) match.verdict = { sound: false, text: text.wrong(wrong) };
  }

  /** The server says that we have not shown our seed. */
  async blamed(match: Match) {
    const { view, revealedBy, witness } = match;
    const seat = match.seat as number;
    const pledge = this.pledges.all()[view.commitments[seat]];
    match.verdict = { sound: null, text: text.notRevealed };
    if (match.revealed === "sent") await new Promise((resolve) => setTimeout(resolve, REVEALED_MS)); // an answer may be under way
    const isTaken = match.revealed === "yes" || pledge?.taken || Boolean(witness.seeds[seat]);
    const hasCome = this.online && revealedBy === this.connection.socket;
    if (isTaken || (match.revealed === "sent" && hasCome)) {
      match.verdict = { sound: false, text: text.blamed };
      const { players, commitment, commitments, seed, unrevealed } = view;
      const said = { players, commitment, commitments, seed, unrevealed };
      this.pledges.prove({
        match: match.id,
        seat,
        revealed: pledge?.seed,
        taken: isTaken,
        said,
        time: new Date().toISOString(),
      });
    } else if (match.revealed === "sent") match.verdict = { sound: null, text: text.revealLost };
    this.changed();
  }

  /** Judge a match that is over by its record. */
  async check(match: Match) {
    match.verdict = { sound: null, text: text.checking };
    try {
      match.verdict = (await this.judged(match.id, match.code)).verdict;
      if (match.verdict.sound && match.own?.sent) this.pledges.keep(match.own.sent, null);
    } catch (error) {
      const fault = match.witness.faults[0] || wrongSeeds(match.view, match.witness.server);
      const unknown = { sound: null, text: `${text.notChecked} ${(error as Error).message}` };
      match.verdict = fault ? { sound: false, text: text.wrong(fault) } : unknown;
    }
    this.changed();
  }

  /** What of a match's record holds, and what is to be said of it. */
  async judged(id: string, code: string): Promise<Judged & { view: View }> {
    const { events, view } = await this.record(id, code);
    const [field] = unreadable(view);
    if (field) throw new Error(text.faultAbsurd(field));
    const match = this.matches.get(id);
    return { view, ...judged(id, view, events, match ? match.witness : null) };
  }

  /** All that has happened in a match, and how it stands. */
  async record(match: string, code: string): Promise<{ events: any[][]; view: View }> {
    const events: any[][] = [];
    let view = null;
    for (let after = 0; ; ) {
      const page = await this.patiently(() => this.connection.ask("record", { match, after, code }));
      view ??= fromFields(page.view);
      events.push(...(page.events ?? []));
      if (!page.next) return { events, view };
      if (!(page.next > after) || events.length > MOST_EVENTS) throw new Error(text.faultEnd);
      after = page.next;
    }
  }

  /** Ask again for what was asked for too often. */
  async patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== "too_many" || !error.after) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000 * error.after));
      }
    }
  }

  /** The player goes on in spite of what is wrong. */
  goOn(match: Match) {
    match.waived = match.witness.faults.length;
    if (match.view.phase === "reveal") this.reveal(match);
    this.changed();
  }

  // --- what a player asks for ---

  /** Be somebody: a guest with a name that is free, if one has only looked on. */
  async sit() {
    if (this.me?.token) return;
    this.sitting = true;
    this.tries = 0;
    if (this.online && this.me) this.connection.hello();
    while (!this.me?.token) {
      if (!this.sitting) throw new Refused("hello_first", this.notice);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  attach(match: Match) {
    const have = match.seq ? { epoch: match.epoch, seq: match.seq, checksum: checksum(match.view) } : {};
    return this.connection
      .ask("attach", { table: match.id, ...have, code: match.code, hush: match.hush }, false)
      .then((answer) => {
        if (answer.type !== "ok") return; // a snapshot, which says the same
        match.since = performance.now() - (answer.elapsed ?? 0);
        match.seat = answer.seat ?? null;
        match.replaced = false;
        this.changed();
      });
  }

  /** Follow a match or a table by its name. */
  async follow(table: string, code: string = ""): Promise<Match> {
    const known = this.matches.get(table);
    if (known) return known;
    const snapshot = await this.connection.ask("attach", { table, code });
    const match = this.matches.get(snapshot.match) as Match;
    match.code ||= code;
    return match;
  }

  /** Follow the lobby's lists, or no longer. */
  list(on: boolean) {
    if (this.listing === on) return;
    this.listing = on;
    if (!this.me) return; // with the welcome
    for (const what of this.listed) this.tell(this.connection.ask(on ? "subscribe" : "unsubscribe", { what }, false));
  }

  /** The lists that are followed in the lobby. */
  get listed() {
    return this.chatting ? [...LISTS, "chat" as const] : LISTS;
  }

  /** Follow the lobby's chat, too. */
  openChat() {
    this.chatting = true;
    this.tell(this.connection.ask("subscribe", { what: "chat" }, false));
  }

  /** Follow a match no longer, unless we play it. */
  forget(id: string) {
    const match = this.matches.get(id);
    if (!match || (match.seat !== null && match.view.phase !== "over")) return;
    this.matches.delete(id);
    this.tell(this.connection.ask("detach", { match: id }, false));
  }

  /** What is refused is told to the player. */
  tell(asked: Promise<unknown>) {
    asked.catch((error) => this.say(error.message));
  }

  /** An action in a match. */
  act(match: Match, type: any, fields: Record<string, unknown> = {}) {
    this.notice = "";
    const asked = this.connection.ask(type, { match: match.id, seq: match.seq, ...fields } as any);
    asked.catch(() => (match.witness.sent = null)); // refused: another device of ours may play it otherwise
    this.tell(asked);
  }

  /** A table of one's own; the id of its match. */
  async create(wish: Omit<Create, "type" | "id">) {
    await this.sit();
    const snapshot = await this.commit("create", wish);
    return snapshot.match as string;
  }

  /** Sit down at a table that has a free seat. */
  async join(table: string, code: string = "") {
    await this.sit();
    const snapshot = await this.commit("join", { table, code });
    return snapshot.match as string;
  }

  /** Quick match: `onMatched` tells when there is an opponent. @param seeker the one to play, if still there */
  async seek(rules: Create["rules"], seeker: string = "") {
    await this.sit();
    const seeking = { rules, commitment: this.pledges.make() };
    const asked = this.commit("seek", { rules, seeker }, seeking.commitment);
    this.seeking = seeking;
    this.changed();
    await asked.catch((error) => {
      this.seeking = null;
      throw error;
    });
  }

  unseek() {
    this.seeking = null;
    this.changed();
    this.tell(this.connection.ask("unseek", {}, false));
  }

  /** Ask someone for a match. */
  async challenge(player: string, rules: Create["rules"], side: Create["side"] = "either") {
    await this.sit();
    return this.commit("challenge", { player, rules, side });
  }

  /** Take one's own challenge back. */
  async withdraw(challenge: string) {
    this.challenges.delete(challenge);
    this.changed();
    await this.connection.ask("withdraw", { challenge });
  }

  /** Our challenge came to nothing: a person has said no, or nothing. */
  toldNo(challenge: Challenged | undefined, why: string) {
    if (!challenge || challenge.by !== this.name || this.isProgram(challenge.to)) return;
    if (why === "declined" || why === "expired") this.say(text.declined(challenge.to));
  }

  isProgram(name: string) {
    return this.lists.people[name]?.kind === "bot" || this.programs.has(name);
  }

  async answer(challenge: string, accept: boolean) {
    this.challenges.delete(challenge);
    this.changed();
    const fields = { challenge, accept };
    const answer = await (accept ? this.commit("answer", fields) : this.connection.ask("answer", fields));
    return accept ? (answer.match as string) : "";
  }

  /** Another match with the same opponent. @returns its id, if it begins at once */
  async rematch(match: Match): Promise<string> {
    const answer = await this.commit("rematch", { match: match.id });
    return answer.type === "snapshot" ? answer.match : "";
  }

  /** A match against a program that is here; the first that takes the challenge. */
  async playComputer(rules: Create["rules"], level: string, side: Create["side"] = "either") {
    await this.sit();
    const until = performance.now() + FREE_MS;
    do {
      const { rows } = await this.connection.ask("list", { what: "people" });
      for (const name of suitable(rows, { ...rules }, level)) {
        const match = await this.challengeProgram(name, rules, side);
        if (match) return match;
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    } while (performance.now() < until);
    throw new Refused("no_computer", text.noComputer);
  }

  async challengeProgram(name: string, rules: Create["rules"], side: Create["side"]): Promise<string> {
    let challenge = "";
    this.programs.add(name);
    try {
      ({ challenge } = await this.challenge(name, rules, side));
    } catch {
      return "";
    }
    const until = performance.now() + COMPUTER_MS;
    while (!this.matches.has(challenge)) {
      if (this.declined.has(challenge) || performance.now() > until) return "";
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return challenge;
  }

  talk(match: Match, words: { text?: string; phrase?: any }) {
    this.notice = "";
    const to = match.seat === null ? "watchers" : "players";
    this.tell(this.connection.ask("say", { match: match.id, to, ...words }, false));
  }

  /** Say something in the lobby. */
  async chat(words: { text?: string; phrase?: any }) {
    this.notice = "";
    await this.sit();
    await this.connection.ask("chat", words, false);
  }

  /** Hear nothing more of someone, or hear them again. */
  async ignore(player: string, on: boolean) {
    await this.sit();
    await this.connection.ask("ignore", { player, on });
    if (on) this.ignored.add(player);
    else this.ignored.delete(player);
    this.storage.setItem(IGNORED, JSON.stringify([...this.ignored]));
    this.changed();
  }

  /** Tell the moderators of someone. @param match where; "" = elsewhere */
  async report(player: string, reason: string, match: string) {
    await this.sit();
    await this.connection.ask("report", { player, reason, match });
  }

  /** Hear nothing more of what watchers say, or hear it again. */
  async hush(match: Match, on: boolean) {
    match.hush = on;
    this.changed();
    await this.attach(match);
  }

  // --- who one is, and was ---

  /** Come in as somebody else than before. */
  comeIn(hello: Record<string, unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.entering = { hello, resolve, reject };
      this.connection.restart();
    });
  }

  async logIn(name: string, password: string) {
    await this.comeIn({ name, password });
  }

  /** Have a name of one's own: as a guest, or with a password for good. @param password "" = none */
  async become(name: string, password: string) {
    if (!this.me?.token || this.me.kind !== "guest" || this.me.name !== name) await this.comeIn({ name });
    if (!password) return;
    await this.connection.ask("register", { password });
    this.me = { ...(this.me as Welcome), kind: "account" };
    this.changed();
  }

  /** @param everywhere on all devices */
  async logOut(everywhere: boolean) {
    await this.connection.ask("logout", { everywhere });
    for (const key of [TOKEN, NAMES]) this.storage.removeItem(key);
    this.seeking = null;
    this.matches.clear();
    this.connection.restart();
  }

  profile(name: string): Promise<Career> {
    return this.connection.ask("profile", { name });
  }

  /** A page of what somebody has played. @param after `next` of the page before */
  history(name: string, after: string): Promise<Played> {
    return this.connection.ask("history", { name, after });
  }

  async top(): Promise<Leader[]> {
    return (await this.connection.ask("top", {})).leaders;
  }

  /** A sentence for the player. */
  say(words: string) {
    this.notice = words;
    this.changed();
  }
}

/** @returns null: it cannot be read */
function patched(view: View, diff: unknown[]): View | null {
  try {
    return patch(view, diff);
  } catch {
    return null;
  }
}

/** The programs that have room for a match by these rules: those of the level first. */
export function suitable(people: Record<string, Person>, rules: Record<string, unknown>, level: string) {
  const usual = { variant: "standard", length: 7, cube: true, ...rules } as Record<string, unknown>;
  const fits = Object.entries(people).filter(
    ([, one]) =>
      one.places &&
      Object.entries(one.rules ?? {}).every(
        ([name, values]) => !(name in usual) || values.includes(usual[name] as any),
      ),
  );
  fits.sort(
    ([, a], [, b]) => Number(b.level === level) - Number(a.level === level) || (b.places ?? 0) - (a.places ?? 0),
  );
  return fits.map(([name]) => name);
}
