/**
 * A connection to the server that is renewed by itself. Requests that were not answered are sent again under their old
 * ids, so that each acts once.
 */
import type * as m from "../../../../../protocol/tavla.d.ts";
import type { Browser, Socket } from "../device/browser.ts";
import { decode, encode } from "../model/msgpack.ts";
import { said } from "../texts/text.ts";

const SUBPROTOCOL = "tavla.v1";
const QUIET_MS = 1500; // without a word from the server: then it is asked whether it lives
const ANSWER_MS = 1200; // to a ping; with QUIET_MS a dead link is known within 3 s
const SOON_MS = 2500; // after the last word, the next one has come by then on a line that is steady
const HELLO_MS = 3000; // for a connection to be made; every other one may take twice as long, for slow lines
const FIRST_WAIT_MS = 250; // at most, before the first try to come back; doubles with each
const REMOVED = 4003; // the code with which a moderator's sending away closes
const LAST_WAIT_MS = 1000; // after a cut a player is back in the match within 2 s
const OFFLINE_MS = 10_000; // between two tries without a network: Chromium has those wait 5 s who have failed 16 times in a minute
const BUSY_MS = 1000; // before a request is sent again that the server could not serve

/** The fields of a request, without its type and id. */
export type Fields<T extends m.Request["type"]> = Omit<Extract<m.Request, { type: T }>, "type" | "id">;

/** Type of the answer by request, if not ok. */
type Answers = {
  answer: m.Snapshot | m.Ok;
  attach: m.Snapshot | m.Ok;
  challenge: m.Snapshot | m.Challenged;
  create: m.Snapshot;
  create_tournament: m.Organised;
  friends: m.Following;
  daily: m.Puzzle;
  fair_play: m.Figures;
  history: m.Played;
  join: m.Snapshot;
  join_review: m.Review;
  list: m.Listing;
  look_deeper: m.DeeperLook;
  past_tournaments: m.Held;
  profile: m.Career;
  read_file: m.SharedFile;
  collect: Partial<m.Collected>; // to all pieces but the last it is ok
  collection: m.Collected;
  read_collected: m.CollectedFile;
  record: m.Recorded;
  rematch: m.Snapshot | m.Challenged;
  solve: m.Puzzle;
  start_review: m.Review;
  top: m.Leaders;
  tournament_record: m.TournamentRecorded;
};
type AnswerTo<T> = T extends keyof Answers ? Answers[T] : m.Ok;

/** A request was refused. code: stable, see the protocol. seq: the version of the match, of an action. */
export class Refused extends Error {
  code: string;
  after: number;
  seq: number | null;

  /** @param after seconds to wait before it is asked again; 0 = not known */
  constructor(code: string, text: string, after = 0, seq: number | null = null) {
    super(text);
    this.code = code;
    this.after = after;
    this.seq = seq;
  }
}

export const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

export type Receiver = {
  hello: () => Record<string, unknown>; // what to say first on each connection
  welcome: (welcome: m.Welcome) => void; // on each connection; what is sent now goes before what waits
  unwelcome: (refused: Refused) => void; // hello was refused
  receive: (message: m.Reply | m.Update) => void;
  removed: (why: string) => void; // by a moderator: then there is no new connection by itself
  link: (online: boolean) => void; // it was lost, or is back
};

type Waiting = {
  bytes: Uint8Array<ArrayBuffer>;
  again: boolean;
  resolve: (answer: m.Reply) => void;
  reject: (error: Error) => void;
};

export class Connection {
  url: string;
  receiver: Receiver;
  browser: Browser;
  online = false;
  steady = 0; // since when the server has answered soon, by our clock, and this page did not stand still
  heard = [0, 0]; // when the last word came, by our clock and by the computer's, which goes on while that sleeps
  nextId = Math.floor(Math.random() * 2 ** 47);
  waiting: Map<number, Waiting> = new Map();
  attempt = 0;
  retryAfter = 0;
  helloId = -1;
  isRemoved = false; // by a moderator: nothing is done by itself
  closing = ""; // why the server closes
  socket: Socket | null = null;
  stop = () => {}; // calls off what is due next

  constructor(url: string, receiver: Receiver, browser: Browser) {
    this.url = url;
    this.receiver = receiver;
    this.browser = browser;
    browser.onOnline(() => this.isRemoved || (this.online ? this.ping() : this.restart()));
    browser.onShown(() => this.isRemoved || this.hurry());
    this.open();
  }

  /** The one thing that is due next. A page that stood still reads what has come before the second half begins. */
  schedule(does: () => void, ms: number) {
    const half = (then: () => void) => (this.stop = this.browser.later(then, ms / 2));
    this.stop();
    half(() => half(does));
  }

  send(bytes: Uint8Array<ArrayBuffer>) {
    this.socket?.send(bytes);
  }

  /** Connect again now, if we wait for that; ask whether the connection lives, if there is one. */
  hurry() {
    if (this.browser.isHidden()) return;
    if (this.socket === null) this.open();
    else if (this.online) this.ping();
  }

  /** Begin anew, as another player. */
  restart() {
    if (this.socket) this.socket.onopen = this.socket.onclose = this.socket.onmessage = null;
    this.socket?.close();
    this.online = false;
    this.open();
  }

  open() {
    this.isRemoved = false;
    const socket = this.browser.connect(this.url, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.schedule(() => this.lost(socket), HELLO_MS * (1 + (this.attempt % 2)));
    socket.onopen = () => this.hello();
    socket.onclose = ({ code }) => this.lost(socket, code);
    socket.onmessage = ({ data }) => {
      // Messages of the server have the types of the protocol; the fields of a view are checked where they are read.
      if (socket === this.socket) this.receive(decode(new Uint8Array(data)) as m.Reply | m.Update);
    };
  }

  /** Say hello: on a new connection, or once more, when a spectator sits down. */
  hello() {
    this.helloId = this.nextId++;
    this.send(encode({ type: "hello", id: this.helloId, ...this.receiver.hello() }));
  }

  /** The connection has ended, or is dead. @param code with which it was closed */
  lost(socket: Socket, code = 0) {
    if (socket !== this.socket) return;
    this.isRemoved = code === REMOVED;
    socket.onclose = socket.onmessage = null;
    socket.close();
    this.socket = null;
    this.stop();
    const most = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.attempt++);
    const wait = this.browser.isOffline() ? OFFLINE_MS : most * Math.random();
    if (this.isRemoved) this.receiver.removed(this.closing);
    else this.schedule(() => this.open(), Math.max(wait, 1000 * this.retryAfter));
    this.retryAfter = 0;
    this.online = false;
    this.receiver.link(false);
  }

  receive(message: m.Reply | m.Update) {
    if (this.online) this.listen();
    if (!Array.isArray(message)) {
      if (message.type === "closing") {
        this.retryAfter = message.retry_after ?? 0;
        this.closing = said(message);
      }
      const id = "id" in message ? message.id : null;
      if (id === this.helloId) return this.answerHello(message);
      if (typeof id === "number") this.settle(id, message);
    }
    this.receiver.receive(message);
  }

  answerHello(message: m.Reply) {
    if (message.type === "error") return this.receiver.unwelcome(new Refused(message.code, said(message)));
    if (message.type !== "welcome") return;
    const isNew = !this.online;
    if (isNew) {
      this.attempt = 0;
      this.online = true;
      this.listen();
    }
    const before = [...this.waiting];
    this.receiver.welcome(message);
    if (!isNew) return;
    for (const [id, { bytes, again }] of before) {
      if (again) this.send(bytes);
      else this.waiting.delete(id);
    }
    this.receiver.link(true);
  }

  /** A request was answered. */
  settle(id: number, message: m.Reply) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    const isRefused = message.type === "error";
    if (isRefused && message.code === "unavailable") {
      this.browser.later(() => this.online && this.send(waiting.bytes), BUSY_MS); // with the same id: it acts once
      return;
    }
    this.waiting.delete(id);
    if (isRefused) waiting.reject(new Refused(message.code, said(message), message.retry_after, message.seq));
    else waiting.resolve(message);
  }

  /**
   * Ask for something until it is answered, however often the connection is lost; or, if it is not to be sent again,
   * once: then no answer may come.
   */
  ask<T extends m.Request["type"]>(type: T, fields: Fields<T>, again = true): Promise<AnswerTo<T>> {
    const id = this.nextId++;
    const bytes = encode({ type, id, ...fields });
    const answer = new Promise<m.Reply>((resolve, reject) => this.waiting.set(id, { bytes, again, resolve, reject }));
    if (this.online) this.send(bytes);
    return answer as Promise<AnswerTo<T>>; // the protocol says so
  }

  /** Something was heard: the next word is due in a while. */
  listen() {
    const now = [this.browser.now(), Date.now()];
    if (now.some((time, clock) => Math.abs(time - this.heard[clock]) > SOON_MS)) this.steady = now[0];
    this.heard = now;
    this.schedule(() => this.ping(), QUIET_MS);
  }

  ping() {
    const { socket } = this;
    if (this.browser.isHidden() || !socket) return; // a page in front finds out soon enough
    void this.ask("ping", {}, false);
    this.schedule(() => this.lost(socket), ANSWER_MS);
  }
}
