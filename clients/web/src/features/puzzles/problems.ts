/** Positions to be solved: the one of the day, the player's own mistakes, and classic ones. */

import type { CollectedMatch, Puzzle } from "../../../../../protocol/tavla.d.ts";
import { isKnown } from "../../core/evaluator/known.ts";
import { type Decision, decisionsOf } from "../../core/model/decisions.ts";
import { markOf } from "../../core/model/findings.ts";
import { answerOf, judgementOf } from "../../core/model/judgement.ts";
import { hasCube } from "../../core/model/rules.ts";
import { askPatiently, type Findings, judgeMatch, type Reader } from "../../core/net/verdicts.ts";
import { text } from "../../core/texts/text.ts";
import { readCollected } from "../review/collected.ts";
import type { Judging } from "../review/judging.ts";
import type { FileMatch } from "../review/model/reading.ts";
import { askedIn, readSetup } from "../review/model/setup.ts";

/**
 * kind: of the day, of others' matches, the player's own, or classic. key: by which it is known as answered. judging: of a match with the
 * decision at this place. names: by seat.
 */
export type Problem = {
  kind: "daily" | "others" | "own" | "classic";
  key: string;
  judging: Judging;
  place: number;
  names: string[];
  hasCube: boolean;
  review: string; // the address; "" = not told yet, or it is from no match
};

/** Judges decisions, by the one evaluator of the puzzles. */
type Judge = (decisions: Decision[]) => Judging;

/** A position that stands for itself; null: nothing that can be read. */
export function problemAt(kind: Problem["kind"], key: string, xgid: string, judge: Judge): Problem | null {
  const setup = readSetup(xgid);
  const decision = setup && askedIn(setup);
  if (!decision) return null;
  const judging = judge([decision]);
  const mayTurn = setup.cap > 1 && setup.length !== 1;
  return { kind, key, judging, place: 0, names: [text.sides.white, text.sides.black], hasCube: mayTurn, review: "" };
}

/** The same once it is told what was done there, and what was best. */
export function told(problem: Problem, { finding, by, match }: Puzzle): Problem {
  const { judging } = problem;
  const [decision] = judging.decisions;
  if (!finding || !by || !match) return problem;
  const [, , , done, best, ...cost] = finding;
  const was = answerOf(decision, done);
  if (was) judging.decisions = [{ ...decision, ...was, words: decision.what === "play" ? done : "" }];
  const { at, turn, seat } = decision;
  judging.judgement = judgementOf(judging.decisions, {
    analysis: { by },
    findings: [[at.game, turn, seat, done, best, ...cost]],
  });
  return { ...problem, review: `/m/${match}?review` };
}

/** A match to look for mistakes in. seat: the player's; null = whose are due. read: gets it; null = it cannot be read. */
type Source = { match: string; seat: number | null; review: string; read: () => Promise<Told | null> };
type Told = Pick<FileMatch, "steps" | "view"> & { found: Findings };

/** Matches that the player has finished, and those of its collection in which it says who it is. */
async function sourcesOf(reader: Reader, name: string, due: string[]): Promise<Source[]> {
  const played = (match: string, seat: number | null): Source => ({
    match,
    seat,
    review: `/m/${match}?review#`,
    read: async () => {
      const { steps, view, verdict, ...found } = await judgeMatch(reader, match, "");
      return { steps, view, found };
    },
  });
  const collected = ({ match, seat = null }: CollectedMatch): Source => ({
    match,
    seat,
    review: `/review#file-${match}.`,
    read: async () => {
      const { steps, view, collected, ...own } = await readCollected(reader, match);
      return { steps, view, found: collected.told.analysis?.by ? collected.told : own };
    },
  });
  const { matches = [] } = await askPatiently(reader, () => reader.connection.ask("history", { name }));
  const kept = await reader.connection.ask("collection", {}).catch(() => ({ matches: [] })); // a guest has none
  const own = (kept.matches ?? []).filter(({ seat = null }) => seat !== null);
  const first = [...new Set(due.map((key) => key.split("#")[0]))].map((match) => {
    const found = own.find((one) => one.match === match);
    const source = found ? collected({ ...found, seat: null }) : played(match, null);
    return { ...source, read: () => source.read().catch(() => null) };
  });
  return [...first, ...matches.map(({ match, seat }) => played(match, seat)), ...own.map(collected)];
}

/** A player's own mistakes, as the server has judged them, else the evaluator. @param due keys of those that come first */
export async function* ownProblems(
  reader: Reader,
  name: string,
  due: string[],
  judge: Judge,
): AsyncGenerator<Problem, void> {
  for (const { match, seat, review, read } of await sourcesOf(reader, name, due)) {
    const told = await read();
    if (!told || !isKnown(told.view.rules)) continue;
    const { steps, view, found } = told;
    const judging = judge(decisionsOf(steps, view.rules));
    judging.judgement = judgementOf(judging.decisions, found);
    const names = view.players.map((one) => one ?? "");
    for (const [place, decision] of judging.decisions.entries()) {
      const key = `${match}#${place + 1}`;
      if (seat === null ? !due.includes(key) : decision.seat !== seat) continue;
      if (!judging.judgement) await judging.ask(place);
      const finding = judging.finding(place);
      if (!finding || !["mistake", "blunder"].includes(markOf(finding))) continue;
      yield { kind: "own", key, judging, place, names, hasCube: hasCube(view.rules), review: `${review}${place + 1}` };
    }
  }
}
