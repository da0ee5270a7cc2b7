/** Playback of the scenes of a match: shown one after the other, and spoken. */
import { settings, stepMs } from "../../core/device/settings.ts";
import { play } from "../../core/device/sounds.ts";
import { asSound } from "../../core/look/story.ts";
import { rowsOf, type Scene } from "../../core/model/scenes.ts";
import * as turns from "../../core/model/turn.ts";
import type { Parts } from "./screen.tsx";

type Shown = Parts<"board" | "match" | "paint" | "setState" | "voice" | "words">;

const FIRST_MS = 3000; // until the opening roll is shown without a click

export class Playback {
  screen: Shown;
  queue: Scene[] = [];
  scene: Scene | null = null; // the one that is shown
  timer: ReturnType<typeof setTimeout> | undefined;

  constructor(screen: Shown) {
    this.screen = screen;
  }

  /** Whether something is shown that has happened, or is still to be. */
  get isOn() {
    return this.scene !== null || this.queue.length > 0;
  }

  /** Whether the match is further than the board: then what is said around it waits. */
  get isAhead() {
    return this.isOn || (stepMs() > 0 && this.screen.match.news.length > 0);
  }

  /** Whether the player may roll for first. */
  get asksFirst() {
    return this.scene?.what === "first" && !this.scene.dice.length;
  }

  /**
   * A game's opening roll waits for the player's click, where that is wished for. It was rolled, and the opponent has
   * seen it: what is shown waits, and no longer than half of a turn's free time, so that no click costs any reserve.
   */
  withFirst(scene: Scene): Scene[] {
    const { match } = this.screen;
    const { view, what } = scene;
    const { clock, dice, game, last, rules, turn } = view;
    const isRolled = ["roll_off", game > 1 || "winner"].includes(rules.opening ?? "");
    const isIn = what === "game" && dice.length && !last.length && isRolled && match.seat !== null;
    if (!isIn || settings.first === "on" || (clock && clock[2] < 2 * FIRST_MS)) return [scene];
    const waits: Scene = { ...scene, what: "first", rows: rowsOf(view) };
    return [scene, waits, { ...waits, dice: turn ? [dice[1], dice[0]] : dice }];
  }

  /** Tell what is new, and begin to show it. */
  catchUp() {
    const { match, voice } = this.screen;
    const news = this.notMade(match.news);
    const had = match.news.length > 0;
    match.news = [];
    if (news.some(({ rows }) => rows)) match.turn = null;
    for (const scene of news) voice.say(this.screen.words(scene));
    if (stepMs()) this.queue.push(...news.flatMap((scene) => this.withFirst(scene)));
    else for (const scene of news) this.sound(scene);
    if (this.queue.length && !this.scene) this.next();
    else if (had) this.screen.setState({}); // what has waited is said
  }

  /** Without what the player has made on this board: it was seen and said. */
  notMade(news: Scene[]) {
    const { turn, seat } = this.screen.match;
    if (!turn?.steps.length) return news;
    const { mine, theirs } = turns.position(turn);
    const rows = String(seat ? [theirs, mine] : [mine, theirs]);
    const made = news.findIndex(
      (scene) => scene.what === "moved" && scene.whole && scene.seat === seat && String(scene.rows) === rows,
    );
    return news.slice(made + 1);
  }

  /** Show the next scene; the last one is followed by what is now. */
  next() {
    this.stop();
    const wasOn = this.scene !== null && !this.asksFirst;
    let scene = this.queue.shift();
    for (; scene; scene = this.queue.shift()) {
      this.sound(scene);
      if (scene.rows) break;
    }
    this.scene = scene ?? null;
    if (scene) {
      const ms = stepMs();
      const shown = this.asksFirst ? FIRST_MS : scene.what === "moved" ? ms + 60 : 2 * ms;
      this.timer = setTimeout(() => this.next(), shown);
      if (wasOn) return this.screen.paint(ms); // around the board nothing changes between two scenes
    }
    this.screen.setState({ chosen: null });
  }

  skip() {
    this.queue = [];
    this.next();
  }

  /** End the scene at once, so that a tap or a key counts. */
  hurry() {
    if (!this.isOn) return;
    this.skip();
    this.screen.paint(0);
    this.screen.board.settle();
  }

  stop() {
    clearTimeout(this.timer);
  }

  sound(scene: Scene) {
    const { match } = this.screen;
    const sound = asSound(scene, scene.seat === match.seat);
    if (sound) play(sound);
  }
}
