/** A match as `.mat`, the format that every backgammon program reads. The same text as tavla_engine/mat.py writes. */
import { startRow } from "./plays.ts";
import { after } from "./scenes.ts";
import type { View } from "./view.ts";

/** a game */
export type Page = { head: string[]; rows: string[][]; last: string };

const LEFT = 27; // letters of the left column
const NO_LIMIT = 1;
const LIMIT_UNSAID = 1024; // a CubeLimit that others take for none
const VARIATIONS: Record<string, string> = {
  nackgammon: "NackGammon",
  hypergammon: "HyperGammon",
  longgammon: "LongGammon",
};

function start(rules: Record<string, any>): import("./scenes.ts").Rows {
  const row = startRow(rules) ?? Array(26).fill(0);
  return [row, [...row]];
}

function tags(rules: Record<string, any>, ties: number[]): [string, string][] {
  const found: [string, string][] = [];
  const tag = (when: unknown, name: string, value: string | number) => when && found.push([name, String(value)]);
  const { length, beavers, cube, cube_cap: cap } = rules;
  tag(rules.variant !== "standard", "Variation", VARIATIONS[rules.variant]);
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
function add({ rows }: Page, seat: number, cell: string) {
  if (seat === 0 || rows.at(-1)?.length !== 1) rows.push(seat ? [""] : []);
  rows[rows.length - 1].push(cell);
}

function win(page: Page, seat: number, points: number) {
  const words = ` Wins ${points} point${points === 1 ? "" : "s"}`;
  if (seat && page.rows.at(-1)?.length === 1) add(page, 1, words);
  else page.last = " ".repeat(5) + (seat ? " ".repeat(LEFT + 1) : "") + words;
}

function lines({ head, rows, last }: Page) {
  const cells = rows.map(([left, right = ""], index) =>
    `${String(index + 1).padStart(3)}) ${left.padEnd(LEFT)} ${right}`.trimEnd(),
  );
  return [...head, ...cells, ...(last ? [last] : [])];
}

/** @param view with all rules and both names @param events of its record, from the start @param unverified why these are not the ones that were played; "" = they are */
export function mat(match: string, view: View, events: any[][], unverified: string = "") {
  const rules = view.rules as Record<string, any>;
  const names = view.players.map(clean);
  const score = [0, 0];
  const pages: Page[] = [];
  const ties: number[] = [];
  let [rows, cube, offers] = [start(rules), 1, 0];
  for (const [, , what, ...more] of events) {
    const page = pages[pages.length - 1];
    if (what === "game_started") {
      const [left, right] = names.map((name, seat) => `${name} : ${score[seat]}`);
      pages.push({ head: ["", ` Game ${pages.length + 1}`, ` ${left.padEnd(LEFT + 3)} ${right}`], rows: [], last: "" });
      ties.push(0);
      [rows, cube, offers] = [start(rules), 1, 0];
    } else if (what === "opening_rolled" || what === "rolled") {
      const [a, b] = more.slice(-2);
      if (what === "opening_rolled" && a === b) {
        ties[ties.length - 1]++;
        if (cube < 2 ** rules.automatic_doubles) cube *= 2;
      } else add(page, what === "rolled" ? more[0] : Number(b > a), `${Math.max(a, b)}${Math.min(a, b)}: `);
    } else if (what === "moved") {
      const [seat, moves] = more;
      const cells = moves.map(([from, to]: [number, number]) => {
        const isHit = to && rows[1 - seat][25 - to];
        rows = after(rows, { seat, from, to });
        return `${from}/${to}${isHit ? "*" : ""}`;
      });
      page.rows[page.rows.length - 1][page.rows[page.rows.length - 1].length - 1] += cells.join(" ");
    } else if (what === "doubled") {
      offers = 1;
      add(page, more[0], ` Doubles => ${2 * cube}`);
    } else if (what === "beavered") {
      offers++;
      add(page, more[0], ` Beavers => ${4 * cube}`);
      cube *= 2;
    } else if (what === "taken") {
      if (offers === 1) add(page, more[0], " Takes");
      [cube, offers] = [2 * cube, 0];
    } else if (what === "game_ended") {
      const [winner, points, , ending] = more;
      if (ending === "drop") add(page, 1 - winner, " Drops");
      win(page, winner, points);
      score[winner] += points;
    }
  }
  const head = [
    ...tags(rules, ties),
    ["Match", match],
    ...(unverified ? [["NotVerified", unverified.replaceAll('"', "'")]] : []),
  ].map(([name, value]) => `; [${name} "${value}"]`);
  return [...head, "", ` ${rules.length} point match`, ...pages.flatMap(lines)].join("\n") + "\n";
}
