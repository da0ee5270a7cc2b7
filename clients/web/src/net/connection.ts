/**
 * A connection to the server that is renewed by itself. Requests that were not answered are sent again under their old
 * ids, so that each acts once.
 */
import { Decoder, Encoder } from "@msgpack/msgpack";
import type { Reply, Request, Update, Welcome } from "../../../../protocol/tavla.d.ts";
import { said } from "../texts/text.ts";

export type Link = { online: boolean; since: number };
export type Refusal = { code: string; text: string };

const SUBPROTOCOL = "tavla.v1";
const QUIET_MS = 1500; // without a word from the server: then it is asked whether it lives
const ANSWER_MS = 1200; // to a ping; with QUIET_MS a dead link is known within 3 s
const HELLO_MS = 3000; // for a connection to be made; every other one may take twice as long, for slow lines
const FIRST_WAIT_MS = 250; // at most, before the first try to come back; doubles with each
const REMOVED = 4003; // the code with which a moderator's sending away closes
const LAST_WAIT_MS = 1000; // whoever is back after a cut is in their match within 2 s

const encoder = new Encoder({ ignoreUndefined: true });
const decoder = new Decoder();

/** A request was refused. code: stable, see the protocol. */
export class Refused extends Error {
  code: string;
  after: number;

  /** @param after seconds to wait before it is asked again; 0 = not known */
  constructor(code: string, text: string, after: number = 0) {
    super(text);
    this.code = code;
    this.after = after;
  }
}

export type Receiver = {
  hello: () => Record<string, unknown>; // what to say first on each connection
  welcome: (welcome: Welcome) => void; // on each connection; what is sent now goes before what waits
  unwelcome: (refused: Refused) => void; // hello was refused
  receive: (message: Reply | Update) => void;
  removed: (why: string) => void; // by a moderator: then there is no new connection by itself
  link: (online: boolean) => void; // it was lost, or is back
};

export class Connection {
  url: string;
  receiver: Receiver;
  online = false;
  nextId = Math.floor(Math.random() * 2 ** 47);
  waiting: Map<
    number,
    { bytes: Uint8Array<ArrayBuffer>; again: boolean; resolve: (answer: any) => void; reject: (error: Error) => void }
  > = new Map();
  attempt = 0;
  retryAfter = 0;
  helloId = -1;
  isRemoved = false; // by a moderator: nothing is done by itself
  closing = ""; // why the server closes
  socket: WebSocket | null = null;
  timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(url: string, receiver: Receiver) {
    this.url = url;
    this.receiver = receiver;
    addEventListener("online", () => this.isRemoved || (this.online ? this.ping() : this.restart()));
    document.addEventListener("visibilitychange", () => this.isRemoved || this.hurry());
    this.open();
  }

  send(bytes: Uint8Array<ArrayBuffer>) {
    this.socket?.send(bytes);
  }

  /** Connect again now, if we wait for that; ask whether the connection lives, if there is one. */
  hurry() {
    if (document.visibilityState === "hidden") return;
    if (this.socket === null) this.open();
    else if (this.online) this.ping();
  }

  /** Begin anew, as somebody else. */
  restart() {
    if (this.socket) this.socket.onopen = this.socket.onclose = this.socket.onmessage = null;
    this.socket?.close();
    this.online = false;
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.timer = setTimeout(() => this.lost(socket), HELLO_MS * (1 + (this.attempt % 2)));
    socket.onopen = () => this.hello();
    socket.onclose = ({ code }) => this.lost(socket, code);
    socket.onmessage = ({ data }) => socket === this.socket && this.take(decoder.decode(new Uint8Array(data)));
  }

  /** Say hello: on a new connection, or once more, when one who has looked on sits down. */
  hello() {
    this.helloId = this.nextId++;
    this.send(encoder.encode({ type: "hello", id: this.helloId, ...this.receiver.hello() }));
  }

  /** The connection has ended, or is dead. @param code with which it was closed */
  lost(socket: WebSocket, code: number = 0) {
    if (socket !== this.socket) return;
    this.isRemoved = code === REMOVED;
    socket.onclose = socket.onmessage = null;
    socket.close();
    this.socket = null;
    clearTimeout(this.timer);
    const wait = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.attempt++) * Math.random();
    if (this.isRemoved) this.receiver.removed(this.closing);
    else this.timer = setTimeout(() => this.open(), Math.max(wait, 1000 * this.retryAfter));
    this.retryAfter = 0;
    this.online = false;
    this.receiver.link(false);
  }

  take(message: any) {
    if (this.online) this.listen();
    if (message.type === "closing") {
      this.retryAfter = message.retry_after ?? 0;
      this.closing = said(message);
    }
    if (message.id === this.helloId) return this.helloAnswered(message);
    if (message.id !== undefined && message.id !== null) this.answered(message);
    this.receiver.receive(message);
  }

  helloAnswered(message: any) {
    if (message.type === "error") return this.receiver.unwelcome(new Refused(message.code, said(message)));
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

  answered(message: any) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    if (message.type === "error" && message.code === "unavailable") {
      setTimeout(() => this.online && this.send(waiting.bytes), 1000); // with the same id: it acts once
      return;
    }
    this.waiting.delete(message.id);
    if (message.type === "error") waiting.reject(new Refused(message.code, said(message), message.retry_after));
    else waiting.resolve(message);
  }

  /**
   * Ask for something until it is answered, however often the connection is lost; or, if it is not to be sent again,
   * once: then no answer may come.
   */
  ask<T extends Request["type"]>(
    type: T,
    fields: Omit<Extract<Request, { type: T }>, "type" | "id">,
    again: boolean = true,
  ): Promise<any> {
    const id = this.nextId++;
    const bytes = encoder.encode({ type, id, ...fields });
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { bytes, again, resolve, reject }));
    if (this.online) this.send(bytes);
    return answer;
  }

  /** Something was heard: the next word is due in a while. */
  listen() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ping(), QUIET_MS);
  }

  ping() {
    const socket = this.socket;
    if (document.visibilityState === "hidden" || !socket) return; // a page in front finds out soon enough
    clearTimeout(this.timer);
    void this.ask("ping", {}, false);
    this.timer = setTimeout(() => this.lost(socket), ANSWER_MS);
  }
}
