/** Dice and cube. */
import { text } from "../texts/text.ts";
import type { Board } from "./board.ts";
import { type Cube, cubeWords, type Die, type Picture } from "./picture.ts";
import { BAR, middle, OFF, type Plan } from "./plan.ts";
import { draw } from "./svg.ts";

const DIE = 46;
const THROW_MS = 300; // of dice
const TILT = [-5, 4, 3, -4]; // degrees: no two dice lie alike
/** The pips of each value, in a square of three by three places that is numbered line by line. */
const PIPS = ["", "4", "08", "048", "0268", "02468", "023568"];

export function showThings(board: Board, picture: Picture) {
  const { dice, diceMine, cube, canSwap, past, mayRoll, mayDouble } = picture;
  const words = cubeWords(cube);
  if (!board.changes(board.things, [dice, diceMine, cube, words, canSwap, past, mayRoll, mayDouble])) return;
  const { plan, things } = board;
  things.replaceChildren();
  if (past) {
    const gone = past.dice.map((value) => ({ value, used: false }));
    addDice(plan, draw("g", { class: `past ${side(past.mine)}` }, things), "gone", gone, past.mine);
  }
  if (dice.length) {
    const group = draw("g", { class: `dice ${side(diceMine)}` }, things);
    if (canSwap) addSwap(plan, group, dice.length, diceMine);
    addDice(plan, group, "die", dice, diceMine);
  }
  if (mayRoll) {
    const blank = { value: 0, used: false }; // the button beside the board is for keys and screen readers
    const group = draw("g", { class: "blanks mine", "aria-hidden": "true" }, things);
    addZone(plan, group, 2, true);
    addDice(plan, group, "blank", [blank, blank], true);
  }
  if (cube) addCube(plan, things, cube, words, mayDouble);
}

const side = (mine: boolean) => (mine ? "mine" : "theirs");

/** Where a player's dice lie: on the right of the one who looks, in the other half for the opponent. */
const middleOf = (plan: Plan, mine: boolean) =>
  mine ? (middle(plan, 1) + middle(plan, 6)) / 2 : (middle(plan, 7) + middle(plan, 12)) / 2;

const widthOf = (dice: number) => dice * (DIE + 8) - 8;

/** What is tapped: all of the dice, and between them. */
function addZone(plan: Plan, group: Element, dice: number, mine: boolean) {
  const [x, width] = [middleOf(plan, mine), widthOf(dice)];
  draw("rect", { class: "zone", x: x - width / 2, y: plan.height / 2 - 46, width, height: 92 }, group);
}

function addSwap(plan: Plan, group: Element, dice: number, mine: boolean) {
  for (const [name, value] of Object.entries({ role: "button", tabindex: "0", "aria-label": text.swapDice }))
    group.setAttribute(name, value);
  group.classList.add("swap");
  addZone(plan, group, dice, mine);
  const [x, y] = [middleOf(plan, mine), plan.height / 2];
  const d = `M${x - 9} ${y - 38} h18 m-5 -5 l5 5 l-5 5 M${x + 9} ${y + 38} h-18 m5 -5 l-5 5 l5 5`;
  draw("path", { class: "arrows", d }, group);
}

function addDice(plan: Plan, group: Element, name: string, dice: Die[], mine: boolean) {
  const half = DIE / 2;
  const left = middleOf(plan, mine) - widthOf(dice.length) / 2 + half;
  dice.forEach(({ value, used }, index) => {
    const place = draw("g", { transform: `translate(${left + index * (DIE + 8)} ${plan.height / 2})` }, group);
    const one = draw("g", { class: used ? `${name} used` : name }, place);
    one.style.transform = `rotate(${TILT[index]}deg)`;
    draw("rect", { class: "cast", x: 2 - half, y: 4 - half, width: DIE, height: DIE, rx: 10 }, one);
    draw("rect", { class: "face", x: -half, y: -half, width: DIE, height: DIE, rx: 10 }, one);
    for (const pip of PIPS[value])
      draw("circle", { cx: 12 * ((Number(pip) % 3) - 1), cy: 12 * (Math.floor(Number(pip) / 3) - 1), r: 4.7 }, one);
  });
}

/** An offered one lies on the bar: what can be answered stands on either side of it. */
function addCube(plan: Plan, things: Element, { value, place }: Cube, words: string, taps: boolean) {
  const offered = place.startsWith("offered");
  const x = middle(plan, offered ? BAR : OFF);
  const y = plan.height / 2 + (place === "mine" ? 52 : place === "theirs" ? -52 : 0);
  const group = draw(
    "g",
    {
      class: `cube ${offered ? "offered" : taps ? "taps" : ""}`,
      transform: `translate(${x} ${y})`,
      role: "img",
      "aria-label": words,
    },
    things,
  );
  draw("rect", { class: "cast", x: -19, y: -16, width: 40, height: 40, rx: 7 }, group);
  draw("rect", { class: "face", x: -20, y: -20, width: 40, height: 40, rx: 7 }, group);
  draw("rect", { class: "inlay", x: -15.5, y: -15.5, width: 31, height: 31, rx: 4 }, group);
  draw("text", { y: 7 }, group).textContent = String(place === "middle" && value === 1 ? 64 : value);
}

/** The dice are thrown from the roller's side, on an arc. */
export function tumble(things: Element, mine: boolean) {
  const from = mine ? 1 : -1;
  things.querySelectorAll(".die").forEach((die, index) => {
    const at = (x: number, y: number, scale: number, turn: number) =>
      `translate(${x}px, ${from * y}px) scale(${scale}) rotate(${turn}deg)`;
    die.animate(
      [
        { transform: at(40 + 30 * index, 210, 1.5, -260 - 40 * index), opacity: 0 },
        { transform: at(26 + 20 * index, 60, 1.45, -120), opacity: 1, offset: 0.45 },
        { transform: at(4, -6, 1.06, TILT[index] - 18), offset: 0.85 },
        { transform: `rotate(${TILT[index]}deg)`, opacity: 1 },
      ],
      { duration: THROW_MS, easing: "ease-out" },
    );
  });
}
