/** The text of an SGF file taken apart into games and cells. The engine's `sgf.py` says how such a file is made. */

import type { Rows } from "../../../core/model/scenes.ts";
import { type Cell, type Game, type Kind, type Setup, type Sheet, WHOLE_MATCH } from "./sheet.ts";

const MOST_NODES = 50_000; // more than any match has
const BAR = 25;
const TOKEN = /\s*(?:([(;)])|([A-Za-z]+)(?=\s*\[)|\[((?:[^\]\\]|\\.)*)\])/sy;
const WORDS: Record<string, Kind> = { double: "double", take: "take", drop: "drop" };
const VARIANTS: Record<string, string> = { Nackgammon: "nackgammon", Hypergammon3: "hypergammon" };

/** The values of properties by their names. */
type Node = Map<string, string[]>;

/** @throws for what is no such text */
export function readSgf(text: string): Sheet {
  const all = treesOf(text.trimEnd());
  const trees = firstMatch(all);
  const root = trees[0]?.[0];
  if (!root || !trees.every(({ length }) => length) || (one(root, "GM") || "6").trim() !== "6")
    throw new TypeError("no match");
  return {
    length: fieldsOf(root).get("length") ?? 0,
    tags: tagsOf(trees),
    games: trees.map(gameOf),
    hasMore: trees.length < all.length,
  };
}

const one = (node: Node, name: string) => node.get(name)?.[0] ?? "";

/** The numbers of MI. */
const fieldsOf = (root: Node) =>
  new Map(
    (root.get("MI") ?? []).flatMap((pair) => {
      const [, name, number] = /^(\w+):(\d{1,15})$/.exec(pair) ?? [];
      return name ? [[name, Number(number)] as const] : [];
    }),
  );

/** The games before a second match begins. */
function firstMatch(trees: Node[][]) {
  const { length } = Object.fromEntries(fieldsOf(trees[0]?.[0] ?? new Map()));
  const second = trees.findIndex(([root], at) => {
    const fields = root && at ? fieldsOf(root) : new Map();
    return (fields.get("length") ?? length) !== length || fields.get("game") === 0;
  });
  return second < 0 ? trees : trees.slice(0, second);
}

/** The nodes of each game. Of variations the first is read. */
function treesOf(text: string): Node[][] {
  const trees: Node[][] = [];
  let [nodes, name, depth, isAside, count] = [[] as Node[], "", 0, false, 0];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
    const [found, mark, word, value] = TOKEN.exec(text) ?? [];
    if (found === undefined || ++count > 20 * MOST_NODES) throw new TypeError("no match");
    if (mark === "(") depth++;
    else if (mark === ")") {
      if (--depth < 0) throw new TypeError("no match");
      isAside = depth > 0;
      if (!depth) trees.push(nodes);
      if (!depth) nodes = [];
    } else if (isAside) continue;
    else if (mark) {
      if (!depth || nodes.push(new Map()) > MOST_NODES) throw new TypeError("no match");
    } else if (word) name = word;
    else {
      const node = nodes.at(-1);
      if (!node || !name) throw new TypeError("no match");
      const values = node.get(name) ?? [];
      values.push(value.replace(/\\(.)/gs, "$1"));
      node.set(name, values);
    }
  }
  if (depth) throw new TypeError("no end");
  return trees;
}

function gameOf(nodes: Node[]): Game {
  const [root] = nodes;
  const fields = fieldsOf(root);
  const cells: Cell[] = [];
  for (const [at, node] of nodes.entries()) {
    const [setup, last] = [setupOf(node, at), cells.at(-1)];
    if (setup && last?.setup)
      Object.assign(last.setup, Object.fromEntries(Object.entries(setup).filter(([, value]) => value !== null)));
    else if (setup) cells.push({ seat: 0, kind: "set", setup });
    if (at) cells.push(...cellsOf(node, ["double", "beaver"].includes(cells.at(-1)?.kind ?? "")));
  }
  const result = /^([WB])\+(?:(\d{1,15})R?|F(?:orfeit)?)$/.exec(one(root, "RE"));
  if (result) {
    const points = result[2] ? Number(result[2]) : WHOLE_MATCH + (fields.get("length") ?? 0);
    cells.push({ seat: Number(result[1] === "B"), kind: "win", points });
  }
  return {
    number: (fields.get("game") ?? 0) + 1,
    names: [one(root, "PW"), one(root, "PB")],
    score: [fields.get("ws") ?? 0, fields.get("bs") ?? 0],
    cells,
    crawford: one(root, "RU").split(":").includes("CrawfordGame"),
  };
}

const seatOf = (colour: string) => "WB".indexOf(colour.slice(0, 1).toUpperCase());

function cellsOf(node: Node, isOffered: boolean): Cell[] {
  const turns = ["W", "B"].flatMap((colour, seat) =>
    (node.get(colour) ?? []).map((value): Cell => {
      const kind = WORDS[value.toLowerCase()];
      return kind ? { seat, kind: isOffered && kind === "double" ? "beaver" : kind } : turnOf(seat, value);
    }),
  );
  const seat = one(node, "PL") ? seatOf(one(node, "PL")) : -1;
  return node.has("DI") && seat >= 0 ? [...turns, turnOf(seat, one(node, "DI"))] : turns;
}

function turnOf(seat: number, value: string): Cell {
  const [, first, second, steps] = /^([1-6])([1-6])((?:[a-z]{2}){0,4})$/.exec(value) ?? [];
  if (!first) throw new TypeError("no turn");
  const pairs = steps.match(/../g) ?? [];
  const play = pairs.map((pair) => [...pair].map((letter) => pointOf(seat, letter)).join("/")).join(" ");
  return { seat, kind: "roll", dice: [Number(first), Number(second)], play };
}

function pointOf(seat: number, letter: string) {
  if (letter === "y") return BAR;
  if (letter === "z") return 0;
  const point = letter.charCodeAt(0) - 96;
  return seat ? BAR - point : point;
}

/** A set-up position, or a part of it. CV of a game's first node is of automatic doubles. */
function setupOf(node: Node, at: number): Setup | null {
  const hasBoard = ["AE", "AW", "AB"].some((name) => node.has(name));
  if (!hasBoard && !(at && (node.has("CV") || node.has("CP")))) return null;
  if (hasBoard && at && !node.get("AE")?.includes("a:y")) throw new TypeError("single points are set");
  const [turn, owner] = [one(node, "PL"), one(node, "CP").slice(0, 1).toLowerCase()];
  return {
    rows: hasBoard ? ([rowOf(0, node.get("AW")), rowOf(1, node.get("AB"))] as Rows) : null,
    turn: turn && seatOf(turn) >= 0 ? seatOf(turn) : null,
    cube: node.has("CV") ? Number(one(node, "CV")) : null,
    owner: owner && "cwb".includes(owner) ? "cwb".indexOf(owner) - 1 : null,
  };
}

/** A checker on each point; `a:f` are all from a to f. */
function rowOf(seat: number, values: string[] = []) {
  const row = Array(26).fill(0);
  for (const value of values) {
    const [, from, to = from] = /^([a-z])(?::([a-z]))?$/.exec(value) ?? [];
    if (!from) throw new TypeError("no point");
    for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++)
      row[pointOf(seat, String.fromCharCode(code))]++;
  }
  return row;
}

/** The rules of the first game, as a `.mat` file tells them. */
function tagsOf(trees: Node[][]) {
  const [root] = trees[0];
  const words = one(root, "RU").split(":");
  if (words.some((word) => /^Hypergammon[12]$/.test(word))) throw new TypeError("another game");
  const tags = new Map([["Jacoby", words.includes("Jacoby") ? "On" : "Off"]]);
  tags.set("Crawford", words.includes("Crawford") ? "On" : "Off");
  if (words.includes("NoCube")) tags.set("CubeLimit", "1");
  for (const word of words) if (VARIANTS[word]) tags.set("Variation", VARIANTS[word]);
  const ties = trees.map(([node]) => Math.floor(Math.log2(Number(one(node, "CV")) || 1)));
  if (ties.some((count) => count > 0)) {
    tags.set("AutomaticDoubles", String(Math.max(...ties)));
    tags.set("OpeningTies", ties.join(" "));
  }
  for (const value of root.get("TAVLA") ?? []) tags.set(value.split(":")[0], value.slice(value.indexOf(":") + 1));
  return tags;
}
