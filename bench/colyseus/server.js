// The same game as `bench/fast.py` on Colyseus, without a journal: rooms with two seats and people who watch.
//
// The documented way for a game in turns: handlers in `messages`, answers by what they return, and one `broadcast` of
// what has changed (no schema state: it would be sent at the patch rate and not when it changes).
// `node server.js PORT` prints the port it listens on.

import { Room, defineRoom, defineServer } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { START, movable, played } from "./rules.js";

const [PHASE, TURN, DICE, POINTS, LAST, ROLLS, GAME, READY] = [3, 4, 5, 6, 7, 8, 14, 16]; // codes in a diff

const die = () => 1 + Math.floor(6 * Math.random());

class Backgammon extends Room {
  patchRate = 1000; // nothing is sent then, but a room without it ticks its clock 60 times a second

  seq = 1;
  phase = "open";
  turn = 0;
  board = START;
  dice = [];
  rolls = 0;
  game = 0;
  ready = [false, false];
  players = [];

  messages = {
    move: (client, { seq, moves }, context) => this.play(client, seq, moves, context),
    ready: (client) => this.makeReady(client),
  };

  onJoin(client, options) {
    if (!options?.watch) {
      this.players.push(client);
      if (this.players.length === 2) this.show(this.begin());
    }
    client.send("snapshot", this.snapshot());
  }

  snapshot() {
    const view = { phase: this.phase, turn: this.turn, dice: this.dice, points: Buffer.from(this.board) };
    return { match: this.roomId, seq: this.seq, view };
  }

  /** Tell everybody what has changed; the number of this change. */
  show(changes) {
    this.broadcast("update", [++this.seq, changes]);
    return this.seq;
  }

  /** Set up the checkers and roll for who begins. */
  begin() {
    this.board = START;
    this.phase = "move";
    this.game++;
    this.ready = [false, false];
    const one = die();
    let two = die();
    while (one === two) two = die();
    this.turn = Number(two > one);
    this.dice = [Math.max(one, two), Math.min(one, two)];
    this.rolls++;
    return [
      ...[PHASE, "move", TURN, this.turn, DICE, this.dice, POINTS, Buffer.from(START.flatMap((n, place) => [place, n]))],
      ...[LAST, [], ROLLS, this.rolls, GAME, this.game, READY, this.ready],
    ];
  }

  /** Roll for the next seat that can play; who cannot is added to `last`. */
  rollOn(last) {
    for (;;) {
      this.turn = 1 - this.turn;
      this.dice = [die(), die()];
      this.rolls++;
      const me = 26 * this.turn;
      if (this.dice.some((one) => movable(this.board, me, 26 - me, one))) return;
      last.push([this.turn, ...this.dice]);
    }
  }

  /** A turn of the seat on roll. */
  play(client, seq, moves, context) {
    const seat = this.players.indexOf(client);
    if (this.phase !== "move" || seat !== this.turn || seq !== this.seq) return context.reject("not_your_turn");
    const after = played(this.board, seat, this.dice, moves);
    if (after === null) return context.reject("illegal_play");
    const points = [];
    for (let place = 0; place < 52; place++) {
      if (after[place] !== this.board[place]) points.push(place, after[place]);
    }
    this.board = after;
    const last = [[seat, ...this.dice, ...moves.flat()]];
    const changes = [POINTS, Buffer.from(points)];
    if (after[26 * seat] === 15) {
      this.phase = "ready";
      changes.push(PHASE, "ready", DICE, [], LAST, last);
    } else {
      this.rollOn(last);
      changes.push(TURN, this.turn, DICE, this.dice, LAST, last, ROLLS, this.rolls);
    }
    return this.show(changes);
  }

  /** A player wants the next game. */
  makeReady(client) {
    this.ready[this.players.indexOf(client)] = true;
    return this.show(this.ready.every(Boolean) ? this.begin() : [READY, this.ready]);
  }
}

const transport = new WebSocketTransport();
const server = defineServer({ transport, greet: false, rooms: { backgammon: defineRoom(Backgammon) } });
await server.listen(Number(process.argv[2]), "127.0.0.1", 4096);
console.log(transport.server.address().port);
