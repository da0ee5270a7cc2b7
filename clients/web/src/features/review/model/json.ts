/** A match that Tavla has exported (`.json`): all that a server has told of it, or another program's file. */

import type { Analysis, Event, Finding, Rules } from "../../../../../../protocol/tavla.d.ts";
import { judged } from "../../../core/model/judged.ts";
import type { Rows } from "../../../core/model/scenes.ts";
import { fromFields, unreadable, type View } from "../../../core/model/view.ts";
import { checked, textOf } from "./files.ts";
import type { FileMatch, Told } from "./reading.ts";
import { Replay } from "./sheet.ts";

/** view: of a match of a server. players, rules, score, game, cut, hasMore: of another program's. */
type Whole = Told & {
  cut?: FileMatch["cut"];
  hasMore?: boolean;
  match?: string;
  view?: Partial<View>;
  players: [string, string];
  rules: Rules;
  score: [number, number];
  game: number;
  crawford_done: boolean;
  tags?: Record<string, string>;
  verdicts?: Finding[];
  events: Event[];
};

const HEAD = 200; // bytes that tell it: a whole file of another program is not turned into a text for that

/** The match in our `.json`; null = it is another program's. @throws for a file that is damaged */
export function readOwn(file: ArrayBuffer): FileMatch | null {
  const bytes = new Uint8Array(file);
  const head = textOf(bytes.subarray(0, HEAD)).trimStart();
  const isOwn = head.startsWith("{") && !head.includes('"BGF"'); // BGBlitz's begin with a line of JSON
  return isOwn ? checked(readJson(textOf(bytes))) : null;
}

/** @throws for what is no such file */
export function readJson(text: string): FileMatch {
  const whole: Whole = JSON.parse(text);
  if (!Array.isArray(whole.events)) throw new TypeError("no match");
  return whole.view ? ofServer(whole, whole.view) : ofFile(whole);
}

/** Judged by its seeds and the rules, as one that a server tells. */
function ofServer({ match = "", events, analysis, findings }: Whole, { points, ...fields }: Partial<View>): FileMatch {
  const view = fromFields({ ...fields, ...(points && { points: Uint8Array.from(points) }) });
  if (unreadable(view).length) throw new TypeError("no match");
  const found = judged(match, view, events, null);
  if (!found.steps.length) throw new TypeError("no play");
  return { ...found, view: { ...view, phase: "over" }, analysis, findings, cut: null };
}

/** Played anew by the rules. What its own judge has said of it is named by a tag. */
function ofFile(whole: Whole): FileMatch {
  const { players, rules, score, game, crawford_done, tags, verdicts, events, analysis, findings, cut } = whole;
  const replay = new Replay(rules, [score[0], score[1]], game + 1);
  replay.state.crawfordDone = crawford_done;
  for (const [, , what, ...facts] of events) {
    const [seat, rows, cube, owner] = facts as [number, Rows, number, number | null];
    if (what === "position_set")
      replay.setUp({ rows: [[...rows[0]], [...rows[1]]], turn: seat, cube, owner: owner ?? -1 }, undefined);
    else replay.act(String(what), ...facts);
  }
  if (cut) replay.cut = { game: Number(cut.game), turn: Number(cut.turn) };
  const told = analysis
    ? { analysis, findings }
    : tags?.Judgement && verdicts?.length
      ? { analysis: toldBy(tags.Judgement, verdicts), findings: verdicts }
      : {};
  return { ...replay.asFile([String(players[0]), String(players[1])], told), hasMore: whole.hasMore === true };
}

/** What is known of a judgement by its words, "JUDGE: NAME PR, NAME PR", and by all decisions that have cost something. */
function toldBy(words: string, verdicts: Finding[]): Analysis {
  const rated = words.match(/ (\d+\.\d+|-)(?=, |$)/g) ?? [];
  const of = (seat: number) => verdicts.filter((one) => one[2] === seat);
  return {
    by: words.split(":")[0],
    ratings: [0, 1].map((seat) => (rated.length === 2 ? Number(rated[seat]) : Number.NaN) || null) as [number, number],
    lost: [0, 1].map((seat) => of(seat).reduce((sum, [, , , , , loss]) => sum + loss, 0)) as [number, number],
    decisions: [of(0).length, of(1).length],
    luck: [null, null] as unknown as [number, number], // no file tells it
  };
}
