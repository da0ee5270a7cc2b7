/** The checkers: each an element of its own, which moves from place to place. */
import type { Picture } from "./picture.ts";
import { across, BAR, OFF, type Plan, RADIUS, spot } from "./plan.ts";
import { draw } from "./svg.ts";

/** point: in its owner's numbering, -1 = none yet; at: its CSS transform */
type Checker = { element: SVGElement; mine: boolean; point: number; at: string; slot: number };

export function drawChecker(layer: Element, kind: string) {
  const element = draw("g", { class: kind }, layer);
  draw("circle", { class: "shade", r: RADIUS + 5, cx: 1.5, cy: 4 }, element);
  draw("circle", { class: "body", r: RADIUS - 0.5 }, element);
  draw("circle", { class: "rim", r: RADIUS - 6 }, element);
  draw("path", { class: "glint", d: "M-12.7 -11.4A17 17 0 0 1 12.7 -11.4" }, element);
  return element;
}

export class Checkers {
  all: Checker[] = [];
  layer: Element;

  constructor(layer: Element) {
    this.layer = layer;
  }

  show(plan: Plan, { mine, theirs, chosen, diceMine }: Picture, duration: number) {
    this.all = [...this.place(plan, mine, true, duration), ...this.place(plan, theirs, false, duration)];
    const lifted = chosen === null ? undefined : this.top(chosen, diceMine);
    for (const checker of this.all) checker.element.classList.toggle("lifted", checker === lifted);
  }

  /** As many checkers of a side as there are in the counts; as few as lead there are moved. */
  place(plan: Plan, counts: ArrayLike<number>, mine: boolean, duration: number) {
    const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
    const own = this.all.filter((checker) => checker.mine === mine);
    for (const { element } of own.splice(total)) element.remove();
    while (own.length < total) own.push(this.make(mine));
    const at: Map<number, Checker[]> = new Map();
    for (const checker of own) at.set(checker.point, [...(at.get(checker.point) ?? []), checker]);
    const spare = [...at].flatMap(([point, here]) =>
      here.sort((a, b) => a.slot - b.slot).slice(point < 0 ? 0 : counts[point]),
    );
    spare.sort((a, b) => b.point - a.point);
    for (let point = BAR; point >= 0; point--) {
      const count = counts[point];
      const stay = (at.get(point) ?? []).slice(0, count);
      stay.forEach((checker, slot) => put(plan, checker, point, slot, count, duration));
      spare.splice(0, count - stay.length).forEach((checker, index) => {
        this.layer.append(checker.element); // above the others while it moves
        put(plan, checker, point, stay.length + index, count, checker.point < 0 ? 0 : duration);
      });
    }
    return own;
  }

  make(mine: boolean): Checker {
    const element = drawChecker(this.layer, `checker ${mine ? "mine" : "theirs"}`);
    return { element, mine, point: -1, at: "", slot: 0 };
  }

  /** The checker that would be moved from a point, as the player at the bottom counts: of this side, if it has one there. */
  top(point: number, isMine: boolean) {
    const topOf = (mine: boolean) => {
      const at = mine ? point : across(point);
      return this.all.findLast((one) => one.mine === mine && one.point === at && one.element.matches(".top"));
    };
    return topOf(isMine) ?? topOf(!isMine);
  }
}

function put(plan: Plan, checker: Checker, point: number, slot: number, count: number, duration: number) {
  const [x, y] = spot(plan, checker.mine, point, slot, count);
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
