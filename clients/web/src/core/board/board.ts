/**
 * The board, drawn as SVG: it shows a picture and says which point was chosen, by tap, drag or key. It knows no rules.
 */
import { settings } from "../device/settings.ts";
import { text } from "../texts/text.ts";
import { Checkers } from "./checkers.ts";
import { addLights, paintGround } from "./ground.ts";
import { listenToKeyboard } from "./keyboard.ts";
import { showArrows, showCounts, showMarks } from "./marks.ts";
import type { Picture } from "./picture.ts";
import { BAR, OFF, type Plan, planOf, WIDTH } from "./plan.ts";
import { listenToPointer } from "./pointer.ts";
import { draw } from "./svg.ts";
import { showThings, tumble } from "./things.ts";
import { describe, makeZones } from "./zones.ts";

/** Whether this is a phone that is held upright. */
export const isUpright = () => innerWidth < 700 && innerHeight > innerWidth * 1.5;

const nothing = () => {};
/** Receiver of what is done on the board: nothing follows. */
const DEAF = {
  point: nothing as (point: number) => unknown, // a point was tapped, or Enter was pressed on it
  pick: nothing as (from: number) => unknown, // whether the checker there can be dragged; it is chosen then
  drop: nothing as (from: number, to: number) => void, // a checker was dragged there
  dice: nothing, // the dice were tapped
  cube: nothing,
  touch: nothing, // a finger came down, whatever comes of it
};

export class Board {
  on: typeof DEAF;
  plan: Plan = { height: 0, mirrored: false };
  picture: Picture | null = null;
  focused = 6;
  isTop = false; // the half in which the keyboard walks
  numbers: SVGElement[] = []; // of the points, on the frame
  zoneOf: ReturnType<typeof makeZones> = [];
  dragged = false;
  grabbed = false; // a checker, by one finger or the mouse: no other takes one meanwhile
  rolled = ""; // the dice that were shown last
  drawn: Map<unknown, string> = new Map(); // what was shown last, of each part: the same again costs nothing
  root = document.createElement("div");
  ground = draw("svg", { class: "ground", "aria-hidden": "true" }); // a layer of its own: it is painted once
  svg = draw("svg", { class: "board", role: "group", "aria-label": text.board });
  edge = draw("g", { "aria-hidden": "true" }, this.svg);
  checkers = new Checkers(draw("g", { class: "stones" }, this.svg));
  marks = draw("g", { class: "marks" }, this.svg); // above the checkers: one marks a blot
  counts = draw("g", { class: "counts" }, this.svg);
  hints = draw("g", { class: "hints" }, this.svg);
  zones = draw("g", {}, this.svg);
  things = draw("g", { class: "things" }, this.svg); // above the zones: the dice can be tapped

  /** @param on nothing follows from what it leaves out */
  constructor(on: Partial<typeof DEAF> = {}) {
    this.on = { ...DEAF, ...on };
    this.root.className = "wood";
    this.root.append(this.ground, this.svg);
    addLights(draw("defs", {}, this.svg));
    listenToPointer(this);
    listenToKeyboard(this);
    this.layout();
  }

  /** @param tall for a phone held upright */
  layout(tall = false) {
    const plan = planOf(tall, settings.home === "left");
    if (plan.height === this.plan.height && plan.mirrored === this.plan.mirrored) return;
    this.plan = plan;
    for (const svg of [this.svg, this.ground]) {
      svg.setAttribute("viewBox", `0 0 ${WIDTH} ${plan.height}`);
      svg.classList.toggle("tall", tall);
    }
    this.numbers = paintGround(this.ground, this.edge, plan);
    this.zoneOf = makeZones(this);
    for (const checker of this.checkers.all) checker.at = "";
    this.drawn.clear();
    if (this.picture) this.show(this.picture, 0);
  }

  /** Show a picture. duration: of what moves, in ms. */
  show(picture: Picture, duration: number) {
    if (!this.changes(this, [picture, [...picture.sources], [...picture.targets]]) && !this.dragged) return;
    const rolled = `${picture.diceMine} ${picture.dice.map(({ value }) => value)}`;
    const isRoll = duration > 0 && rolled !== this.rolled && picture.dice.length > 0;
    this.rolled = rolled;
    this.picture = picture;
    this.svg.classList.toggle("flipped", picture.colour === 1);
    this.checkers.show(this.plan, picture, duration);
    showCounts(this, picture);
    showMarks(this, picture);
    showArrows(this, picture);
    showThings(this, picture);
    if (isRoll) tumble(this.things, picture.diceMine);
    describe(this, picture);
  }

  /** True if a part is to be drawn anew: nothing is laid out for one that is as it was. */
  changes(part: unknown, what: unknown) {
    const now = JSON.stringify(what);
    if (this.drawn.get(part) === now) return false;
    this.drawn.set(part, now);
    return true;
  }

  /** All that moves is at its end. */
  settle() {
    for (const one of this.svg.getAnimations({ subtree: true })) one.finish();
  }

  /** The keyboard goes on to the next of these points, from the highest one down. */
  focusNext(points: number[], isBack: boolean) {
    points.sort((a, b) => (isBack ? a - b : b - a));
    if (points.length) this.focus(points[(points.indexOf(this.focused) + 1) % points.length]);
  }

  /** Who plays by keys goes on to the next checker that can move, where this one cannot. */
  goOn(left: number[]) {
    if (document.activeElement?.matches("[data-point]:focus-visible") && !left.includes(this.focused))
      this.focusNext(left, false);
  }

  focus(point: number) {
    this.zoneOf[this.focused].zone.setAttribute("tabindex", "-1");
    this.focused = point;
    if (point !== BAR && point !== OFF) this.isTop = point > 12;
    const { zone } = this.zoneOf[point];
    zone.setAttribute("tabindex", "0");
    zone.focus();
  }
}
