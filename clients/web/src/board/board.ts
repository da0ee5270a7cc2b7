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
};

const COLUMN = 50;
const RADIUS = 23;
const SIDE = 10; // frame to the left and right
const EDGE = 24; // frame above and below, with the numbers of the points
const WIDTH = 14 * COLUMN + 2 * SIDE;
const HEIGHT = { wide: 610, tall: 800 };
const DIE = 46;
const BAR = 25;
const OFF = 0;
const SVG = "http://www.w3.org/2000/svg";
const DRAG = 6; // pixels: less is a tap
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
};

export class Board {
  on: Listener;
  mirrored = false;
  height = HEIGHT.wide;
  picture: Picture | null = null;
  checkers: { element: SVGElement; mine: boolean; point: number; at: string; slot: number }[] = [];
  focused = 6;
  numbers: SVGElement[] = []; // of the points, on the frame
  rolled = ""; // what was shown last: the same again costs nothing
  shown = ""; // what was shown last: the same again costs nothing
  drawn: Map<unknown, string> = new Map(); // the same of each part
  svg = draw("svg", { class: "board", role: "group", "aria-label": text.board });
  ground = draw("g", {}, this.svg);
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
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    this.svg.classList.toggle("tall", tall);
    this.ground.replaceChildren();
    draw("rect", { class: "frame", width: WIDTH, height, rx: 14 }, this.ground);
    for (const first of [0, 7]) this.field(first, 6);
    this.field(13, 1);
    for (let point = 1; point <= 24; point++) this.triangle(point);
    this.makeZones();
    for (const checker of this.checkers) checker.at = "";
    this.drawn.clear();
    if (this.picture) this.show(this.picture, 0);
  }

  field(first: number, columns: number) {
    const width = columns * COLUMN;
    const x = this.mirrored ? WIDTH - SIDE - first * COLUMN - width : SIDE + first * COLUMN;
    draw(
      "rect",
      { class: columns > 1 ? "field" : "tray", x, y: EDGE, width, height: this.height - 2 * EDGE, rx: 4 },
      this.ground,
    );
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
    const points = `${x - COLUMN / 2},${base} ${x + COLUMN / 2},${base} ${x},${tip}`;
    draw("polygon", { class: `point ${column(point) % 2 === Number(top) ? "even" : "odd"}`, points }, this.ground);
    const label = draw("g", { class: "number" }, this.ground);
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
    if (isRoll) this.tumble(duration);
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
        draw("circle", { class: "shade", r: RADIUS, cy: 2 }, element);
        draw("circle", { class: "body", r: RADIUS }, element);
        draw("circle", { class: "rim", r: RADIUS - 5 }, element);
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
      const count = point === OFF ? 0 : mine[point] + (point < BAR ? theirs[25 - point] : 0);
      const [x, y] =
        point === OFF ? [this.x(OFF), this.height - EDGE - 120] : this.spot(true, point, Math.min(count, 5), 5);
      draw("circle", { class: "target", cx: x, cy: y, r: 10 }, this.marks);
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

  /** The dice fall. @param duration ms */
  tumble(duration: number) {
    for (const die of this.things.querySelectorAll(".die")) {
      die.animate(
        [
          { transform: "translateY(-30px) rotate(-50deg)", opacity: 0 },
          { transform: "none", opacity: 1 },
        ],
        { duration, easing: "cubic-bezier(.2,.9,.3,1.2)" },
      );
    }
  }

  showThings(picture: Picture) {
    const { dice, diceMine, cube, canSwap } = picture;
    if (!this.changes(this.things, [dice, diceMine, cube, canSwap])) return;
    this.things.replaceChildren();
    if (dice.length) {
      const x = diceMine ? (this.x(1) + this.x(6)) / 2 : (this.x(7) + this.x(12)) / 2;
      const group = draw("g", { class: `dice ${diceMine ? "mine" : "theirs"}` }, this.things);
      if (canSwap) {
        for (const [name, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": text.swapDice })) {
          group.setAttribute(name, String(value));
        }
        group.classList.add("swap");
      }
      const width = dice.length * (DIE + 8) - 8;
      if (canSwap) draw("rect", { class: "zone", x: x - width / 2, y: this.height / 2 - 46, width, height: 92 }, group);
      dice.forEach((die, index) => this.die(group, die, x - width / 2 + index * (DIE + 8)));
      if (canSwap)
        draw(
          "path",
          {
            class: "arrows",
            d: `M${x - 9} ${this.height / 2 - 34} h18 m-5 -5 l5 5 l-5 5 M${x + 9} ${this.height / 2 + 34} h-18 m5 -5 l-5 5 l5 5`,
          },
          group,
        );
    }
    if (cube) this.cube(cube);
  }

  die(group: Element, { value, used }: Die, x: number) {
    const y = this.height / 2 - DIE / 2;
    const one = draw("g", { class: used ? "die used" : "die" }, group);
    draw("rect", { x, y, width: DIE, height: DIE, rx: 9 }, one);
    for (const [dx, dy] of PIPS[value]) {
      draw("circle", { cx: x + DIE / 2 + 12 * dx, cy: y + DIE / 2 + 12 * dy, r: 4.6 }, one);
    }
  }

  cube({ value, place }: NonNullable<Picture["cube"]>) {
    const offered = place.startsWith("offered");
    const x = offered
      ? (this.x(place === "offered to me" ? 6 : 7) + this.x(place === "offered to me" ? 1 : 12)) / 2
      : this.x(OFF);
    const y = this.height / 2 + (place === "mine" ? 52 : place === "theirs" ? -52 : 0);
    const group = draw("g", { class: offered ? "cube offered" : "cube" }, this.things);
    draw("rect", { x: x - 20, y: y - 20, width: 40, height: 40, rx: 7 }, group);
    draw("text", { x, y: y + 7 }, group).textContent = String(place === "middle" && value === 1 ? 64 : value);
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
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.dragged = false;
  }

  grab(down: PointerEvent) {
    this.dragged = false;
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
    this.focus(this.beside(this.focused, step[0] * (this.mirrored ? -1 : 1), step[1]));
  }

  /** @param dx columns @param dy rows */
  beside(point: number, dx: number, dy: number): number {
    const top = dy ? dy < 0 : point > 12;
    const place = column(point) + dx;
    const y = point === BAR || point === OFF || top ? 0 : this.height;
    const x = SIDE + (place + 0.5) * COLUMN;
    if (place < 0 || place > 13) return point;
    return this.pointAt(this.mirrored ? WIDTH - x : x, y);
  }

  focus(point: number) {
    this.zoneOf.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = point;
    const zone = this.zoneOf.get(point);
    zone?.setAttribute("tabindex", "0");
    zone?.focus();
  }
}
