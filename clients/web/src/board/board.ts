/**
 * The board, drawn as SVG: it shows a position and says which point was chosen, by tap, drag or key. It knows no rules.
 *
 * Points are in the numbering of the player at the bottom: 1 to 24, 25 = bar, 0 = off. Lengths are units of the
 * drawing.
 */
import { text } from "../texts/text.ts";

export type Die = {
  value: number;
  used: boolean;
};
export type Picture = {
  mine: ArrayLike<number>; // 26 counts of the player at the bottom, in that player's own numbering
  theirs: ArrayLike<number>; // 26 counts of the other one, in the other's numbering
  colour: 0 | 1; // of the player at the bottom: 0 = white
  dice: Die[]; // in the order in which they are used
  diceMine: boolean; // whose dice they are
  cube: { value: number; place: "mine" | "theirs" | "middle" | "offered by me" | "offered to me" } | null;
  sources: Set<number>; // points from which a checker may be moved
  chosen: number | null; // the point whose checker is to be moved
  targets: Set<number>; // where it may go
  last: { from: number; to: number; mine: boolean }[]; // the steps to be marked
  arrows: [number, number][]; // hints: steps that may be made
  cubeText: string; // the cube in words
  canSwap: boolean; // whether the dice may be swapped
  past: { dice: number[]; mine: boolean } | null; // the dice of the turn before, where there are none yet
};

const COLUMN = 50;
const RADIUS = 23;
const SIDE = 10; // frame to the left and right
const TRAY = 226; // of either player
const EDGE = 24; // frame above and below, with the numbers of the points
const WIDTH = 14 * COLUMN + 2 * SIDE;
const HEIGHT = { wide: 610, tall: 800 };
const DIE = 46;
const BAR = 25;
const OFF = 0;
const SVG = "http://www.w3.org/2000/svg";
const DRAG = 6; // pixels: less is a tap
const THROW_MS = 300; // of dice
const TILT = [-5, 4, 3, -4]; // degrees: no two dice lie alike
/** Light falls from the upper left; a stop's colour, and how much of it. */
const LIGHTS: [string, string, Record<string, number>, [number, string, number?][]][] = [
  [
    "light",
    "radialGradient",
    { cx: 0.36, cy: 0.3, r: 0.85 },
    [
      [0, "--ivory-lit"],
      [0.55, "--ivory"],
      [1, "--ivory-dim"],
    ],
  ],
  [
    "dark",
    "radialGradient",
    { cx: 0.36, cy: 0.3, r: 0.85 },
    [
      [0, "--ebony-lit"],
      [0.6, "--ebony"],
      [1, "--ebony-dim"],
    ],
  ],
  [
    "fall",
    "radialGradient",
    {},
    [
      [0.7, "#000", 0.4],
      [1, "#000", 0],
    ],
  ],
  [
    "sheen",
    "linearGradient",
    { x2: 1, y2: 1 },
    [
      [0, "#fff", 0.16],
      [0.5, "#fff", 0],
      [1, "#000", 0.16],
    ],
  ],
  [
    "hollow",
    "linearGradient",
    { x2: 0, y2: 1 },
    [
      [0, "#000", 0.45],
      [0.06, "#000", 0],
      [0.96, "#fff", 0],
      [1, "#fff", 0.1],
    ],
  ],
  [
    "barrel",
    "linearGradient",
    {},
    [
      [0, "#fff", 0.1],
      [0.5, "#fff", 0],
      [0.5, "#000", 0.12],
      [1, "#000", 0.3],
    ],
  ],
];
/** Where the pips of a die are, from -1 to 1. */
const PIPS: Record<number, [number, number][]> = {
  1: [[0, 0]],
  2: [
    [-1, -1],
    [1, 1],
  ],
  3: [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  4: [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ],
  5: [
    [-1, -1],
    [1, -1],
    [0, 0],
    [-1, 1],
    [1, 1],
  ],
  6: [
    [-1, -1],
    [1, -1],
    [-1, 0],
    [1, 0],
    [-1, 1],
    [1, 1],
  ],
};

function draw(name: string, attributes: Record<string, string | number>, parent?: Element): SVGElement {
  const element = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent?.append(element);
  return element;
}

/** The column of a point, from the left; the tray is the last one. */
function column(point: number) {
  if (point === OFF) return 13;
  if (point === BAR) return 6;
  if (point <= 12) return point <= 6 ? 13 - point : 12 - point;
  return point <= 18 ? point - 13 : point - 12;
}

/** Who is told of what is done on the board. */
export type Listener = {
  point: (point: number) => void; // a point was tapped, or Enter was pressed on it
  pick: (from: number) => boolean; // whether the checker there can be dragged; it is chosen then
  drop: (from: number, to: number) => void; // a checker was dragged there
  dice: () => void; // the dice were tapped
  touch: () => void; // a finger came down, whatever comes of it
};

export class Board {
  on: Listener;
  mirrored = false;
  height = HEIGHT.wide;
  picture: Picture | null = null;
  checkers: { element: SVGElement; mine: boolean; point: number; at: string; slot: number }[] = [];
  focused = 6;
  isTop = false; // the half in which the keyboard walks
  numbers: SVGElement[] = []; // of the points, on the frame
  rolled = ""; // what was shown last: the same again costs nothing
  shown = ""; // what was shown last: the same again costs nothing
  drawn: Map<unknown, string> = new Map(); // the same of each part
  root = document.createElement("div");
  ground = draw("svg", { class: "ground", "aria-hidden": "true" }); // a layer of its own: it is painted once
  svg = draw("svg", { class: "board", role: "group", "aria-label": text.board });
  edge = draw("g", {}, this.svg);
  marks = draw("g", { class: "marks" }, this.svg);
  stones = draw("g", { class: "stones" }, this.svg);
  counts = draw("g", { class: "counts" }, this.svg);
  hints = draw("g", { class: "hints" }, this.svg);
  zones = draw("g", {}, this.svg);
  things = draw("g", { class: "things" }, this.svg); // above the zones: the dice can be tapped
  zoneOf: Map<number, SVGElement> = new Map();
  dragged: boolean | undefined;

  constructor(on: Listener) {
    this.on = on;
    this.root.className = "wood";
    this.root.append(this.ground, this.svg);
    lights(draw("defs", {}, this.svg));
    this.listen();
    this.layout(false, false);
  }

  // --- the ground ---

  /** @param tall for a phone held upright @param mirrored the home is on the left */
  layout(tall: boolean, mirrored: boolean) {
    const height = tall ? HEIGHT.tall : HEIGHT.wide;
    if (this.zoneOf.size && height === this.height && mirrored === this.mirrored) return;
    this.height = height;
    this.mirrored = mirrored;
    for (const svg of [this.svg, this.ground]) {
      svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
      svg.classList.toggle("tall", tall);
    }
    this.ground.replaceChildren();
    this.edge.replaceChildren();
    const whole = { width: WIDTH, height, rx: 14 };
    draw("rect", { class: "frame", ...whole }, this.ground);
    this.grain(whole);
    draw("rect", { class: "lit", ...whole, fill: "url(#sheen)" }, this.ground);
    draw("rect", { class: "rail", x: 1, y: 1, width: WIDTH - 2, height: height - 2, rx: 13 }, this.ground);
    for (const first of [0, 7]) this.field(first, 6);
    this.field(13, 1);
    for (let point = 1; point <= 24; point++) this.triangle(point);
    const inside = { y: EDGE, width: 6 * COLUMN, height: height - 2 * EDGE, rx: 4 };
    for (const first of [0, 7])
      draw("rect", { class: "lit", x: this.left(first, 6), ...inside, fill: "url(#sheen)" }, this.ground);
    for (const first of [0, 7])
      draw("rect", { class: "lit", x: this.left(first, 6), ...inside, fill: "url(#hollow)" }, this.ground);
    draw("rect", { class: "lit", x: this.left(6, 1), ...inside, width: COLUMN, fill: "url(#barrel)" }, this.ground);
    this.makeZones();
    for (const checker of this.checkers) checker.at = "";
    this.drawn.clear();
    this.shown = "";
    if (this.picture) this.show(this.picture, 0);
  }

  /** The left edge of some columns. */
  left(first: number, columns: number) {
    return this.mirrored ? WIDTH - SIDE - (first + columns) * COLUMN : SIDE + first * COLUMN;
  }

  field(first: number, columns: number) {
    const size = { width: columns * COLUMN, height: this.height - 2 * EDGE, rx: 4 };
    const place = { x: this.left(first, columns), y: EDGE, ...size };
    draw("rect", { class: columns > 1 ? "field" : "tray", ...place }, this.ground);
    if (columns > 1) return;
    for (const y of [EDGE, this.height - EDGE - TRAY]) {
      draw("rect", { class: "lit", ...place, y, height: TRAY, fill: "url(#hollow)" }, this.ground);
    }
  }

  /** The grain of the wood. */
  grain(whole: Record<string, number>) {
    const defs = draw("defs", {}, this.ground);
    const filter = draw("filter", { id: "grain", x: 0, y: 0, width: 1, height: 1 }, defs);
    draw("feTurbulence", { type: "fractalNoise", baseFrequency: "0.012 0.35", numOctaves: 3, seed: 4 }, filter);
    draw("feColorMatrix", { values: "0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  0 0 0 -1.1 .62" }, filter);
    draw("rect", { class: "lit grain", ...whole, filter: "url(#grain)" }, this.ground);
  }

  /** The middle of a point's column. */
  x(point: number) {
    const x = SIDE + (column(point) + 0.5) * COLUMN;
    return this.mirrored ? WIDTH - x : x;
  }

  triangle(point: number) {
    const top = point > 12;
    const x = this.x(point);
    const base = top ? EDGE : this.height - EDGE;
    const tip = top ? this.height / 2 - 46 : this.height / 2 + 46;
    const near = tip + (top ? -14 : 14); // where it begins to be round
    const d = `M${x - COLUMN / 2 + 1} ${base}L${x - 2.5} ${near}Q${x} ${tip} ${x + 2.5} ${near}L${x + COLUMN / 2 - 1} ${base}Z`;
    draw("path", { class: `point ${column(point) % 2 === Number(top) ? "even" : "odd"}`, d }, this.ground);
    const label = draw("g", { class: "number" }, this.edge);
    draw("rect", { x: x - 19, y: top ? 2 : this.height - EDGE + 2, width: 38, height: EDGE - 4, rx: 8 }, label);
    draw("text", { x, y: top ? EDGE - 7 : this.height - 7 }, label).textContent = String(point);
    this.numbers[point] = label;
  }

  /**
   * The number of a point on the frame: it is marked when the last turn began or ended there.
   * @param mine in whose numbering
   */
  numberOf(point: number, mine: boolean) {
    return point === OFF || point === BAR ? undefined : this.numbers[mine ? point : 25 - point];
  }

  makeZones() {
    this.zones.replaceChildren();
    const middle = this.height / 2;
    for (let point = 0; point <= BAR; point++) {
      const zone = draw(
        "g",
        { role: "button", tabindex: point === this.focused ? 0 : -1, "data-point": point },
        this.zones,
      );
      const isHalf = point !== BAR;
      const y = point > 12 && isHalf ? 0 : isHalf ? middle : 0;
      const box = { x: this.x(point) - COLUMN / 2, y, width: COLUMN, height: isHalf ? middle : this.height };
      draw("rect", { class: "zone", ...box }, zone);
      draw(
        "rect",
        { class: "ring", x: box.x + 2, y: box.y + 2, width: COLUMN - 4, height: box.height - 4, rx: 8 },
        zone,
      );
      if (point === OFF) draw("title", {}, zone);
      this.zoneOf.set(point, zone);
    }
  }

  // --- a position ---

  /** Show a picture. duration: of what moves, in ms. */
  show(picture: Picture, duration: number) {
    const shown = JSON.stringify([picture, [...picture.sources], [...picture.targets], this.height, this.mirrored]);
    if (shown === this.shown && !this.dragged) return;
    this.shown = shown;
    const rolled = `${picture.diceMine} ${picture.dice.map(({ value }) => value)}`;
    const isRoll = duration > 0 && rolled !== this.rolled && picture.dice.length > 0;
    this.rolled = rolled;
    this.picture = picture;
    this.svg.classList.toggle("flipped", picture.colour === 1);
    this.makeCheckers(picture);
    this.place(picture.mine, true, duration);
    this.place(picture.theirs, false, duration);
    this.showCounts(picture);
    this.showMarks(picture);
    this.showArrows(picture);
    this.showThings(picture);
    if (isRoll) this.tumble(picture.diceMine);
    this.describe(picture);
  }

  /** Whether a part is to be drawn anew: what is as it was stays as it is, so that nothing is laid out for it. */
  changes(part: unknown, what: unknown) {
    const now = JSON.stringify(what);
    if (this.drawn.get(part) === now) return false;
    this.drawn.set(part, now);
    return true;
  }

  makeCheckers({ mine, theirs }: Picture) {
    for (const isMine of [true, false]) {
      const total = Array.from(isMine ? mine : theirs).reduce((sum, count) => sum + count, 0);
      const have = this.checkers.filter((checker) => checker.mine === isMine);
      for (const { element } of have.slice(total)) element.remove();
      const gone = new Set(have.slice(total));
      this.checkers = this.checkers.filter((checker) => !gone.has(checker));
      for (let i = have.length; i < total; i++) {
        const element = draw("g", { class: `checker ${isMine ? "mine" : "theirs"}` }, this.stones);
        draw("circle", { class: "shade", r: RADIUS + 5, cx: 1.5, cy: 4 }, element);
        draw("circle", { class: "body", r: RADIUS - 0.5 }, element);
        draw("circle", { class: "rim", r: RADIUS - 6 }, element);
        draw("path", { class: "glint", d: "M-12.7 -11.4A17 17 0 0 1 12.7 -11.4" }, element);
        this.checkers.push({ element, mine: isMine, point: -1, at: "", slot: 0 });
      }
    }
  }

  /** Move as few checkers as lead to the counts. */
  place(counts: ArrayLike<number>, mine: boolean, duration: number) {
    const own = this.checkers.filter((checker) => checker.mine === mine);
    const at: Map<number, typeof own> = new Map();
    for (const checker of own) at.set(checker.point, [...(at.get(checker.point) ?? []), checker]);
    const spare = [...at].flatMap(([point, here]) =>
      here.sort((a, b) => a.slot - b.slot).slice(point < 0 ? 0 : counts[point]),
    );
    spare.sort((a, b) => b.point - a.point);
    for (let point = BAR; point >= 0; point--) {
      const stay = (at.get(point) ?? []).slice(0, counts[point]);
      stay.forEach((checker, slot) => this.put(checker, point, slot, counts[point], duration));
      for (let slot = stay.length; slot < counts[point]; slot++) {
        const checker = spare.shift() as (typeof own)[0];
        this.stones.append(checker.element); // above the others while it moves
        this.put(checker, point, slot, counts[point], checker.point < 0 ? 0 : duration);
      }
    }
  }

  put(checker: (typeof this.checkers)[0], point: number, slot: number, count: number, duration: number) {
    const [x, y] = this.spot(checker.mine, point, slot, count);
    const at = `translate(${x}px, ${y}px) scale(1, ${point === OFF ? 0.27 : 1})`;
    const before = checker.at;
    Object.assign(checker, { point, slot, at });
    checker.element.classList.toggle("top", slot === count - 1);
    if (at === before) return;
    checker.element.style.transform = at;
    if (before && duration) {
      checker.element.animate([{ transform: before }, { transform: at }], { duration, easing: "ease-in-out" });
    }
  }

  /** Where a checker is drawn. @param point in its owner's numbering */
  spot(mine: boolean, point: number, slot: number, count: number): [number, number] {
    const middle = this.height / 2;
    const away = mine ? 1 : -1; // down the board for the player at the bottom
    if (point === BAR) return [this.x(BAR), middle + away * (52 + slot * Math.min(46, 190 / count))];
    if (point === OFF) return [this.x(OFF), middle + away * (middle - EDGE - 9 - slot * 13.5)];
    const seen = mine ? point : 25 - point;
    const room = middle - EDGE - RADIUS - 40;
    const step = Math.min(2 * RADIUS, (room - RADIUS) / Math.max(1, count - 1));
    const from = RADIUS + 1 + slot * step;
    return [this.x(seen), seen > 12 ? EDGE + from : this.height - EDGE - from];
  }

  /** Numbers on points with more checkers than can be told at a glance. */
  showCounts({ mine, theirs }: Picture) {
    if (
      !this.changes(
        this.counts,
        [mine, theirs].map((one) => Array.from(one, (count) => (count < 6 ? 0 : count))),
      )
    )
      return;
    this.counts.replaceChildren();
    for (const isMine of [true, false]) {
      const counts = isMine ? mine : theirs;
      for (let point = 1; point <= BAR; point++) {
        if (counts[point] < 6) continue;
        const [x, y] = this.spot(isMine, point, counts[point] - 1, counts[point]);
        const label = draw("text", { class: `count ${isMine ? "mine" : "theirs"}`, x, y: y + 7 }, this.counts);
        label.textContent = String(counts[point]);
      }
    }
  }

  showMarks({ last, targets, mine, theirs }: Picture) {
    if (!this.changes(this.marks, [last, [...targets], targets.size && [mine, theirs]])) return;
    this.marks.replaceChildren();
    for (const label of Object.values(this.numbers)) label.classList.remove("left", "reached");
    for (const { from, to, mine: isMine } of last) {
      this.numberOf(from, isMine)?.classList.add("left");
      this.numberOf(to, isMine)?.classList.add("reached");
    }
    for (const point of targets) {
      const count = mine[point] + (point < BAR && point !== OFF ? theirs[25 - point] : 0);
      const hits = point !== OFF && point !== BAR && theirs[25 - point] === 1;
      const [x, y] = this.spot(true, point, point === OFF ? count : hits ? 0 : Math.min(count, 5), 5);
      const flat = point === OFF ? " scale(1 0.27)" : "";
      const ghost = draw("g", { class: "target", transform: `translate(${x} ${y})${flat}` }, this.marks);
      draw("circle", { r: RADIUS - 1 }, ghost);
    }
  }

  showArrows({ arrows, mine, theirs }: Picture) {
    if (!this.changes(this.hints, arrows.length && [arrows, mine, theirs])) return;
    this.hints.replaceChildren();
    const at = (point: number, more: number) => {
      const count = point === OFF ? 0 : mine[point] + (point < BAR ? theirs[25 - point] : 0) + more;
      return this.spot(true, point, Math.max(0, count - 1), Math.max(1, count));
    };
    for (const [from, to] of arrows) {
      const [[x1, y1], [x2, y2]] = [at(from, 0), at(to, 1)];
      const bend = this.height / 2 + ((y1 + y2) / 2 - this.height / 2) * 0.45;
      draw("path", { class: "hint", d: `M${x1} ${y1} Q${(x1 + x2) / 2} ${bend} ${x2} ${y2}` }, this.hints);
      const angle = Math.atan2(y2 - bend, x2 - (x1 + x2) / 2) * (180 / Math.PI);
      draw(
        "path",
        { class: "tip", d: "M4 0L-12 -8V8Z", transform: `translate(${x2} ${y2}) rotate(${angle})` },
        this.hints,
      );
    }
  }

  // --- dice and cube ---

  /** The dice are thrown from the roller's side, on an arc. */
  tumble(mine: boolean) {
    const from = mine ? 1 : -1;
    this.things.querySelectorAll(".die").forEach((die, index) => {
      const tilt = `rotate(${TILT[index]}deg)`;
      die.animate(
        [
          {
            transform: `translate(${40 + 30 * index}px, ${from * 210}px) scale(1.5) rotate(${-260 - 40 * index}deg)`,
            opacity: 0,
          },
          {
            transform: `translate(${26 + 20 * index}px, ${from * 60}px) scale(1.45) rotate(-120deg)`,
            opacity: 1,
            offset: 0.45,
          },
          { transform: `translate(4px, ${from * -6}px) scale(1.06) rotate(${TILT[index] - 18}deg)`, offset: 0.85 },
          { transform: tilt, opacity: 1 },
        ],
        { duration: THROW_MS, easing: "ease-out" },
      );
    });
  }

  /** All that moves is at its end. */
  settle() {
    for (const one of this.svg.getAnimations({ subtree: true })) one.finish();
  }

  showThings(picture: Picture) {
    const { dice, diceMine, cube, cubeText, canSwap, past } = picture;
    if (!this.changes(this.things, [dice, diceMine, cube, cubeText, canSwap, past])) return;
    this.things.replaceChildren();
    const middle = this.height / 2;
    if (past) {
      const group = draw("g", { class: `past ${past.mine ? "mine" : "theirs"}` }, this.things);
      past.dice.forEach((value, index) => this.die(group, "gone", { value, used: false }, past.mine, index, 2));
    }
    if (dice.length) {
      const x = this.middleOf(diceMine);
      const group = draw("g", { class: `dice ${diceMine ? "mine" : "theirs"}` }, this.things);
      const width = dice.length * (DIE + 8) - 8;
      if (canSwap) {
        for (const [name, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": text.swapDice })) {
          group.setAttribute(name, String(value));
        }
        group.classList.add("swap");
        draw("rect", { class: "zone", x: x - width / 2, y: middle - 46, width, height: 92 }, group);
      }
      dice.forEach((die, index) => this.die(group, "die", die, diceMine, index, dice.length));
      const d = `M${x - 9} ${middle - 38} h18 m-5 -5 l5 5 l-5 5 M${x + 9} ${middle + 38} h-18 m5 -5 l-5 5 l5 5`;
      if (canSwap) draw("path", { class: "arrows", d }, group);
    }
    if (cube) this.cube(cube, cubeText);
  }

  /** Where a player's dice lie: on the right of the one who looks, in the other half for the opponent. */
  middleOf(mine: boolean) {
    return mine ? (this.x(1) + this.x(6)) / 2 : (this.x(7) + this.x(12)) / 2;
  }

  die(group: Element, name: string, { value, used }: Die, mine: boolean, index: number, count: number) {
    const x = this.middleOf(mine) - (count * (DIE + 8) - 8) / 2 + index * (DIE + 8) + DIE / 2;
    const place = draw("g", { transform: `translate(${x} ${this.height / 2})` }, group);
    const one = draw("g", { class: used ? `${name} used` : name }, place);
    one.style.transform = `rotate(${TILT[index]}deg)`;
    const half = DIE / 2;
    draw("rect", { class: "cast", x: 2 - half, y: 4 - half, width: DIE, height: DIE, rx: 10 }, one);
    draw("rect", { class: "face", x: -half, y: -half, width: DIE, height: DIE, rx: 10 }, one);
    for (const [dx, dy] of PIPS[value]) draw("circle", { cx: 12 * dx, cy: 12 * dy, r: 4.7 }, one);
  }

  /** An offered one lies on the bar: what can be answered stands on either side of it. */
  cube({ value, place }: NonNullable<Picture["cube"]>, words: string) {
    const offered = place.startsWith("offered");
    const x = this.x(offered ? BAR : OFF);
    const y = this.height / 2 + (place === "mine" ? 52 : place === "theirs" ? -52 : 0);
    const group = draw(
      "g",
      { class: offered ? "cube offered" : "cube", transform: `translate(${x} ${y})`, role: "img", "aria-label": words },
      this.things,
    );
    draw("rect", { class: "cast", x: -19, y: -16, width: 40, height: 40, rx: 7 }, group);
    draw("rect", { class: "face", x: -20, y: -20, width: 40, height: 40, rx: 7 }, group);
    draw("rect", { class: "inlay", x: -15.5, y: -15.5, width: 31, height: 31, rx: 4 }, group);
    draw("text", { y: 7 }, group).textContent = String(place === "middle" && value === 1 ? 64 : value);
  }

  // --- in words ---

  describe({ mine, theirs, sources, chosen, targets, cubeText }: Picture) {
    for (const [point, zone] of this.zoneOf) {
      const other = theirs[point === OFF || point === BAR ? point : 25 - point];
      const words =
        point === OFF
          ? text.off(mine[OFF], other)
          : point === BAR
            ? text.bar(mine[BAR], other)
            : text.point(point, mine[point], other);
      const state = [
        targets.has(point) ? text.target : "",
        chosen === point ? text.chosen : sources.has(point) ? text.canMove : "",
      ].filter(Boolean);
      if (!this.changes(zone, [words, state, point === OFF && cubeText])) continue;
      zone.setAttribute("aria-label", [words, ...state].join(", "));
      if (point === OFF) (zone.lastChild as Element).textContent = [words, cubeText].filter(Boolean).join(". ");
      zone.classList.toggle("source", sources.has(point));
      zone.classList.toggle("chosen", chosen === point);
      zone.classList.toggle("goal", targets.has(point));
    }
    this.svg.classList.toggle("active", sources.size > 0);
    for (const { element, mine: isMine, point } of this.checkers) {
      element.classList.toggle("lifted", isMine && point === chosen && element.classList.contains("top"));
    }
  }

  // --- taps, drags, keys ---

  listen() {
    this.svg.addEventListener("click", (event) => {
      if (this.dragged) return;
      const target = event.target as Element;
      if (target.closest(".dice.swap")) return this.on.dice();
      const zone = target.closest("[data-point]");
      if (zone) this.on.point(Number(zone.getAttribute("data-point")));
    });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("focusin", ({ target }) => {
      const at = (target as Element).getAttribute("data-point"); // by Tab, or by a screen reader
      if (at && Number(at) !== this.focused) this.focus(Number(at));
    });
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.dragged = false;
  }

  grab(down: PointerEvent) {
    this.dragged = false;
    this.on.touch();
    const zone = (down.target as Element).closest("[data-point]");
    const from = zone ? Number(zone.getAttribute("data-point")) : -1;
    if (from < 0 || down.button || !this.picture?.sources.has(from)) return;
    const moving = this.checkers.findLast(
      (one) => one.mine && one.point === from && one.element.classList.contains("top"),
    );
    if (!moving) return;
    const drag = (move: PointerEvent) => {
      if (!this.dragged) {
        if (Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY) < DRAG || !this.on.pick(from)) return;
        this.dragged = true;
        this.svg.setPointerCapture(down.pointerId);
        this.stones.append(moving.element);
        moving.element.classList.add("held");
      }
      const [x, y] = this.inside(move);
      moving.element.style.transform = `translate(${x}px, ${y}px)`;
    };
    const end = (up: PointerEvent) => {
      this.svg.removeEventListener("pointermove", drag);
      this.svg.removeEventListener("pointerup", end);
      this.svg.removeEventListener("pointercancel", end);
      if (!this.dragged) return;
      moving.element.classList.remove("held");
      const [x, y] = this.inside(up);
      moving.at = `translate(${x}px, ${y}px) scale(1, 1)`;
      this.on.drop(from, up.type === "pointerup" ? this.pointAt(x, y) : from);
      setTimeout(() => (this.dragged = false)); // after the click that follows
    };
    this.svg.addEventListener("pointermove", drag);
    this.svg.addEventListener("pointerup", end);
    this.svg.addEventListener("pointercancel", end);
  }

  inside(event: PointerEvent): [number, number] {
    const matrix = (this.svg as SVGSVGElement).getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [x, y];
  }

  pointAt(x: number, y: number) {
    const place = Math.floor(((this.mirrored ? WIDTH - x : x) - SIDE) / COLUMN);
    const isTop = y < this.height / 2;
    for (let point = 0; point <= BAR; point++) {
      if (column(point) === place && (point === BAR || point === OFF || point > 12 === isTop)) return point;
    }
    return -1;
  }

  /** Arrows go from point to point, as they lie on the screen. */
  key(event: KeyboardEvent) {
    const target = event.target as Element;
    if ((event.key === "Enter" || event.key === " ") && target.matches("[data-point], .swap")) {
      event.preventDefault();
      event.stopPropagation();
      if (target.matches(".swap")) this.on.dice();
      else this.on.point(Number(target.getAttribute("data-point")));
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    if (step[1]) this.isTop = step[1] < 0;
    this.focus(this.beside(this.focused, step[0] * (this.mirrored ? -1 : 1)));
  }

  /** The point so many columns further, in the half in which the keyboard walks. */
  beside(point: number, columns: number): number {
    const place = column(point) + columns;
    const x = SIDE + (place + 0.5) * COLUMN;
    if (place < 0 || place > 13) return point;
    return this.pointAt(this.mirrored ? WIDTH - x : x, this.isTop ? 0 : this.height);
  }

  focus(point: number) {
    this.zoneOf.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = point;
    if (point !== BAR && point !== OFF) this.isTop = point > 12;
    const zone = this.zoneOf.get(point);
    zone?.setAttribute("tabindex", "0");
    zone?.focus();
  }
}

/** What the light does, for the whole document. */
function lights(defs: Element) {
  for (const [id, kind, at, stops] of LIGHTS) {
    const gradient = draw(kind, { id, ...at }, defs);
    for (const [offset, colour, opacity = 1] of stops) {
      const stop = draw("stop", { offset, "stop-opacity": opacity }, gradient);
      stop.style.stopColor = colour.startsWith("--") ? `var(${colour})` : colour;
    }
  }
}
