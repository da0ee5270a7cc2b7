/** A match in a file of another program, as it is read: event by event, up to the first that cannot be. */

import type { Analysis, Finding, Rules } from "../../../../../../protocol/tavla.d.ts";
import { ratingOf } from "../../../core/model/findings.ts";
import { begin, type State, type Step, step } from "../../../core/model/record.ts";
import type { Verdict } from "../../../core/model/verdict.ts";
import { fromFields, type View } from "../../../core/model/view.ts";

/** What the file's own judge has found. */
export type Told = { analysis?: Analysis; findings?: Finding[] };
/** cut: the turn whose play is none, and how far the match is read; null = to its end. */
export type FileMatch = Told & {
  steps: Step[];
  view: View;
  verdict: Verdict | null;
  cut: { game: number; turn: number } | null;
  hasMore?: boolean; // another match follows in the file
};

export const LEAST = 0.00005; // equity that counts as lost
const MOST_STEPS = 50_000; // more than any match has
const MOST_LETTERS = 200; // of a name

/** @param counts decisions, by seat. lost: equity. luck: by seat, null = not known */
export function toldBy(by: string, counts: number[], lost: number[], luck: unknown[], findings: Finding[]): Told {
  const ratings = counts.map((decisions, seat) =>
    ratingOf({ decisions, loss: lost[seat] } as Parameters<typeof ratingOf>[0]),
  );
  return { analysis: { by, ratings, lost, decisions: counts, luck } as unknown as Analysis, findings };
}

export class Reading {
  rules;
  steps: Step[] = [];
  state: State;
  turn = 0; // of the game
  cut: FileMatch["cut"] = null;

  /** @param number of the first game, which begins with this score */
  constructor(rules: Rules, score: [number, number], number: number) {
    this.rules = rules;
    this.state = { ...begin(rules), score, game: number - 1 };
  }

  add(what: string, ...facts: unknown[]) {
    this.put(step(this.state, this.rules, what, facts));
  }

  /** @throws for more than anybody has played */
  put(made: Step) {
    if (this.steps.push(made) > MOST_STEPS) throw new RangeError("too long");
    this.state = made.now;
  }

  get isOver() {
    return this.state.phase === "over";
  }

  /** After the end of a game: that of the match, if it has come. */
  endMatch() {
    const { score, winner } = this.state;
    if (this.rules.length && score[winner] >= this.rules.length) this.add("match_ended", winner, "score");
  }

  /** @param names "" = none */
  asFile(names: string[], told: Told = {}): FileMatch {
    const { rules, steps, state, cut } = this;
    const last = this.isOver ? steps.findLast(({ what }) => what === "match_ended")?.facts : null;
    const ended = last?.[1] === "score" ? steps.findLast(({ what }) => what === "game_ended")?.facts : null;
    const view = fromFields({
      rules,
      players: names.map((name) => name.slice(0, MOST_LETTERS) || "?") as [string, string],
      phase: "over",
      score: state.score,
      game: state.game,
      rolls: state.rolls,
      outcome: (ended ?? (last && [last[0], 0, 0, last[1]]) ?? null) as View["outcome"],
    });
    return { steps, view, verdict: null, cut, ...told };
  }
}
