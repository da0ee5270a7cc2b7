/** The ground of the board: wood, fields and points, and the light on them. It is painted once. */
import { COLUMN, column, EDGE, left, middle, type Plan, WIDTH } from "./plan.ts";
import { draw } from "./svg.ts";

const TRAY = 226; // of either player
const ROUND = { cx: 0.36, cy: 0.3, r: 0.85 }; // light falls from the upper left
/** Light: gradients for the whole document, with stops as CSS writes them. Between white and black that nobody sees lies grey. */
const LIGHTS: [string, "radialGradient" | "linearGradient", Record<string, number>, string][] = [
  ["light", "radialGradient", ROUND, "var(--ivory-lit) 0%, var(--ivory) 55%, var(--ivory-dim) 100%"],
  ["dark", "radialGradient", ROUND, "var(--ebony-lit) 0%, var(--ebony) 60%, var(--ebony-dim) 100%"],
  ["fall", "radialGradient", {}, "#0006 70%, #0000 100%"],
  ["sheen", "linearGradient", { x2: 1, y2: 1 }, "#ffffff29 0%, #fff0 50%, #0000 50%, #00000029 100%"],
  ["hollow", "linearGradient", { x2: 0, y2: 1 }, "#00000073 0%, #0000 6%, #fff0 96%, #ffffff1a 100%"],
  ["barrel", "linearGradient", {}, "#ffffff1a 0%, #fff0 50%, #0000 50%, #0000004d 100%"],
];

export function addLights(defs: Element) {
  for (const [id, kind, at, stops] of LIGHTS) {
    const gradient = draw(kind, { id, ...at }, defs);
    for (const stop of stops.split(", ")) {
      const [colour, offset] = stop.split(" ");
      draw("stop", { offset }, gradient).style.stopColor = colour;
    }
  }
}

/** @returns for each point its number, which is drawn on the edge */
export function paintGround(ground: Element, edge: Element, plan: Plan) {
  const { height } = plan;
  const whole = { width: WIDTH, height, rx: 14 };
  ground.replaceChildren();
  edge.replaceChildren();
  draw("rect", { class: "frame", ...whole }, ground);
  addGrain(ground, whole);
  draw("rect", { class: "lit", ...whole, fill: "url(#sheen)" }, ground);
  draw("rect", { class: "rail", x: 1, y: 1, width: WIDTH - 2, height: height - 2, rx: 13 }, ground);
  const inside = { y: EDGE, width: 6 * COLUMN, height: height - 2 * EDGE, rx: 4 };
  const halves = [left(plan, 0, 6), left(plan, 7, 6)];
  for (const x of halves) draw("rect", { class: "field", x, ...inside }, ground);
  addTray(ground, plan);
  const numbers = [];
  for (let point = 1; point <= 24; point++) numbers[point] = addPoint(ground, edge, plan, point);
  for (const light of ["sheen", "hollow"])
    for (const x of halves) draw("rect", { class: "lit", x, ...inside, fill: `url(#${light})` }, ground);
  draw("rect", { class: "lit", x: left(plan, 6, 1), ...inside, width: COLUMN, fill: "url(#barrel)" }, ground);
  return numbers;
}

function addGrain(ground: Element, whole: Record<string, number>) {
  const defs = draw("defs", {}, ground);
  const filter = draw("filter", { id: "grain", x: 0, y: 0, width: 1, height: 1 }, defs);
  draw("feTurbulence", { type: "fractalNoise", baseFrequency: "0.012 0.35", numOctaves: 3, seed: 4 }, filter);
  draw("feColorMatrix", { values: "0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  0 0 0 -1.1 .62" }, filter);
  draw("rect", { class: "lit grain", ...whole, filter: "url(#grain)" }, ground);
}

function addTray(ground: Element, plan: Plan) {
  const place = { x: left(plan, 13, 1), y: EDGE, width: COLUMN, height: plan.height - 2 * EDGE, rx: 4 };
  draw("rect", { class: "tray", ...place }, ground);
  for (const y of [EDGE, plan.height - EDGE - TRAY])
    draw("rect", { class: "lit", ...place, y, height: TRAY, fill: "url(#hollow)" }, ground);
}

/** A point as a path, from its base to its tip. */
export function wedge(x: number, base: number, tip: number) {
  const near = tip + (base < tip ? -14 : 14); // where it begins to be round
  return `M${x - COLUMN / 2 + 1} ${base}L${x - 2.5} ${near}Q${x} ${tip} ${x + 2.5} ${near}L${x + COLUMN / 2 - 1} ${base}Z`;
}

function addPoint(ground: Element, edge: Element, plan: Plan, point: number) {
  const { height } = plan;
  const top = point > 12;
  const x = middle(plan, point);
  const base = top ? EDGE : height - EDGE;
  const tip = top ? height / 2 - 46 : height / 2 + 46;
  const kind = column(point) % 2 === Number(top) ? "even" : "odd";
  draw("path", { class: `point ${kind}`, d: wedge(x, base, tip) }, ground);
  const label = draw("g", { class: "number" }, edge);
  draw("rect", { x: x - 19, y: top ? 2 : height - EDGE + 2, width: 38, height: EDGE - 4, rx: 8 }, label);
  draw("text", { x, y: top ? EDGE - 7 : height - 7 }, label).textContent = String(point);
  return label;
}
