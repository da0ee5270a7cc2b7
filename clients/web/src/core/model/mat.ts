/** A match as `.mat`, the format that every backgammon program reads. The same text as tavla_engine/mat.py writes. */
import type { Rules } from "../../../../../protocol/tavla.d.ts";
import { entry, type Step, type Table } from "./record.ts";
import { after } from "./scenes.ts";
import type { View } from "./view.ts";

/** a game */
export type Page = { head: string[]; rows: string[][]; last: string };

const LEFT = 27; // letters of the left column
const NO_LIMIT = 1;
const WHOLE_MATCH = 1000; // points beyond the match's length: it was given up, not the game
const LIMIT_UNSAID = 1024; // a CubeLimit that others take for none
const VARIATIONS: Record<string, string> = {
  nackgammon: "NackGammon",
  hypergammon: "HyperGammon",
  longgammon: "LongGammon",
};

function tags(rules: Rules, ties: number[]): [string, string][] {
  const found: [string, string][] = [];
  const tag = (when: unknown, name: string, value: unknown) => when && found.push([name, String(value)]);
  const { variant = "standard", length, beavers = 0, cube, cube_cap: cap } = rules;
  tag(variant !== "standard", "Variation", VARIATIONS[variant]);
  tag(length && !rules.crawford, "Crawford", "Off");
  tag(!length, "Jacoby", rules.jacoby ? "On" : "Off");
  tag(!length, "Beaver", beavers > 1 ? beavers : beavers ? "On" : "Off");
  tag(!cube || cap, "CubeLimit", cube ? cap : NO_LIMIT);
  tag(cap && (!cube || cap >= LIMIT_UNSAID), "CubeCap", cap);
  tag(rules.opening !== "roll_off", "Opening", rules.opening);
  tag(!rules.resignations, "Resignations", "Off");
  tag(rules.forfeit_multiplier !== (length ? 0 : 3), "ForfeitMultiplier", rules.forfeit_multiplier);
  tag(!rules.backgammons, "Backgammons", "Off");
  tag(rules.cap_kept, "CapKept", "On");
  tag(rules.hit_and_run === false, "HitAndRun", "Off");
  tag(rules.automatic_doubles, "AutomaticDoubles", rules.automatic_doubles);
  tag(rules.automatic_doubles && ties.some(Boolean), "OpeningTies", ties.join(" "));
  return found;
}

const clean = (name: string | null) => (name ?? "").replaceAll(":", "-").split(/\s+/).filter(Boolean).join(" ") || "?";

/** A new cell: the left player's in a new row, the right player's beside it. */
function add(pages: Page[], seat: number, cell: string) {
  const { rows } = pages[pages.length - 1];
  if (seat === 0 || rows.at(-1)?.length !== 1) rows.push(seat ? [""] : []);
  rows[rows.length - 1].push(cell);
}

const roll = (pages: Page[], seat: number, a: number, b: number) =>
  add(pages, seat, `${Math.max(a, b)}${Math.min(a, b)}: `);

function win(pages: Page[], seat: number, points: number) {
  const page = pages[pages.length - 1];
  const words = ` Wins ${points} point${points === 1 ? "" : "s"}`;
  if (seat && page.rows.at(-1)?.length === 1) add(pages, 1, words);
  else page.last = " ".repeat(5) + (seat ? " ".repeat(LEFT + 1) : "") + words;
}

function lines({ head, rows, last }: Page) {
  const cells = rows.map(([left, right = ""], index) =>
    `${String(index + 1).padStart(3)}) ${left.padEnd(LEFT)} ${right}`.trimEnd(),
  );
  return [...head, ...cells, ...(last ? [last] : [])];
}

type Sheet = { names: string[]; length: number; pages: Page[]; ties: number[] };

/** The addition of each event to the last page. */
const WRITES: Partial<Table<Sheet, void>> = {
  game_started: ({ score }, { names, pages, ties }) => {
    const [left, right] = names.map((name, seat) => `${name} : ${score[seat]}`);
    pages.push({ head: ["", ` Game ${pages.length + 1}`, ` ${left.padEnd(LEFT + 3)} ${right}`], rows: [], last: "" });
    ties.push(0);
  },
  opening_rolled: (_, { pages, ties }, a, b) => {
    if (a === b) ties[ties.length - 1]++;
    else roll(pages, Number(b > a), a, b);
  },
  rolled: (_, { pages }, seat, a, b) => roll(pages, seat, a, b),
  moved: (at, { pages }, seat, moves) => {
    let { rows } = at;
    const cells = moves.map(([from, to]) => {
      const isHit = to && rows[1 - seat][25 - to];
      rows = after(rows, { seat, from, to });
      return `${from}/${to}${isHit ? "*" : ""}`;
    });
    const row = pages[pages.length - 1].rows.at(-1) ?? [];
    row[row.length - 1] += cells.join(" ");
  },
  doubled: ({ cube }, { pages }, seat) => add(pages, seat, ` Doubles => ${2 * cube.value}`),
  beavered: ({ cube }, { pages }, seat) => add(pages, seat, ` Beavers => ${4 * cube.value}`),
  taken: ({ cube }, { pages }, seat) => {
    if (!cube.count) add(pages, seat, " Takes");
  },
  game_ended: (_, { pages }, winner, points, _kind, ending) => {
    if (winner === null) return;
    if (ending === "drop") add(pages, 1 - winner, " Drops");
    win(pages, winner, points);
  },
  match_ended: ({ phase }, { pages, length }, winner, ending) => {
    if (winner !== null && ending === "forfeit" && phase !== "between") win(pages, winner, WHOLE_MATCH + length);
  },
};

/**
 * @param view with all rules and both names
 * @param steps of its record, from the start
 * @param unverified why these are not the ones that were played; "" = they are
 */
export function mat(match: string, { players, rules }: View, steps: Step[], unverified = "") {
  const sheet: Sheet = { names: players.map(clean), length: rules.length ?? 0, pages: [], ties: [] };
  for (const { what, before, facts } of steps) entry(WRITES, what)?.(before, sheet, ...facts);
  const head = tags(rules, sheet.ties);
  head.push(["Match", match]);
  if (unverified) head.push(["NotVerified", unverified.replaceAll('"', "'")]);
  const first = head.map(([name, value]) => `; [${name} "${value}"]`);
  return `${[...first, "", ` ${rules.length} point match`, ...sheet.pages.flatMap(lines)].join("\n")}\n`;
}
