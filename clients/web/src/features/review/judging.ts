/**
 * Findings on a match's decisions so far: the server's, else those of the evaluator in the page, which begins with
 * the decision on the screen, and ends with the luck of the dice. What the server has judged it looks at closely when
 * that is on the screen.
 */

import { Evaluator } from "../../core/evaluator/evaluator.ts";
import type { Decision, Roll } from "../../core/model/decisions.ts";
import {
  type Answer,
  type Answered,
  bestOf,
  costOf,
  type Finding,
  isPlay,
  type Mark,
  markOf,
  ratingOf,
  type Tally,
  tallyOf,
} from "../../core/model/findings.ts";
import type { Judgement } from "../../core/model/judgement.ts";

/** Performance of a player. rating, loss, luck: null = not known. */
export type Figures = Pick<Tally, "marks"> & { rating: number | null; loss: number | null; luck: number | null };

export const isSame = (one: Pick<Decision, "key" | "done">, other: Pick<Decision, "key" | "done">) =>
  one.key === other.key && one.done === other.done;

export class Judging {
  decisions: Decision[];
  changed: () => void;
  answers: Map<number, Answer> = new Map(); // by the place of the decision
  lucks: Map<number, number> = new Map();
  unplayed: (Roll & { luck?: number })[] = []; // rolls that no decision followed
  judgement: Judgement | null = null;
  at = 0; // what is looked at
  close: Set<number> = new Set(); // places that the evaluator was asked about, not at sight alone
  evaluator: Evaluator;

  constructor(decisions: Decision[], changed: () => void, evaluator = new Evaluator()) {
    this.decisions = decisions;
    this.changed = changed;
    this.evaluator = evaluator;
  }

  /** Judge all that is left. */
  async run() {
    for (let place = this.next(); place >= 0; place = this.next()) {
      await this.ask(place, this.judgement !== null && place !== this.at);
    }
    for (const [place, { what, question }] of this.decisions.entries()) {
      if (what !== "play") continue;
      this.lucks.set(place, await this.evaluator.ask("luck", question));
      this.changed();
    }
    for (const roll of this.unplayed) {
      roll.luck = await this.evaluator.ask("luck", roll.question);
      this.changed();
    }
  }

  async ask(place: number, atSight = false) {
    if (this.close.has(place)) return;
    if (!atSight) this.close.add(place);
    const { what, question } = this.decisions[place];
    this.answers.set(place, await this.evaluator.judge({ what, question: { ...question, atSight } }));
    this.changed();
  }

  look(place: number) {
    this.at = place;
    if (this.answers.has(place)) this.ask(place);
  }

  next() {
    if (this.at < this.decisions.length && !this.close.has(this.at)) return this.at;
    return this.decisions.findIndex((_, place) => !this.answers.has(place));
  }

  /** Progress: the number of answers, of all questions. */
  get progress(): [done: number, all: number] {
    const plays = this.decisions.filter(({ what }) => what === "play").length;
    const rolled = this.unplayed.filter(({ luck }) => luck !== undefined).length;
    return [this.answers.size + this.lucks.size + rolled, this.decisions.length + plays + this.unplayed.length];
  }

  get isLuckKnown() {
    const [done, all] = this.progress;
    return done === all;
  }

  finding(place: number): Finding | null {
    return this.cost(place, this.decisions[place]).finding;
  }

  /** The cost of a choice. isOurs: by the page, since the server's judge has left no word of it. */
  cost(place: number, did: Pick<Decision, "key" | "done">): { finding: Finding | null; isOurs: boolean } {
    const { judgement } = this;
    const answer = this.answers.get(place);
    const decision = this.decisions[place];
    const seen = answer ? costOf(decision, answer, did) : null;
    if (!judgement) return { finding: seen, isOurs: true };
    const found = judgement.found.get(place);
    if (isSame(did, decision)) {
      const loss = found?.loss ?? judgement.rest;
      const counts = found !== undefined || seen?.counts;
      const isKnown = loss !== null && counts !== undefined;
      return { finding: isKnown ? { loss, counts, mark: found?.mark } : null, isOurs: false };
    }
    const isBest = found?.answer && isSame(did, found.answer);
    return isBest ? { finding: { loss: 0, counts: true }, isOurs: false } : { finding: seen, isOurs: true };
  }

  /** The best choice; null = not known yet. */
  best(place: number): Answered | null {
    const { judgement } = this;
    const found = judgement?.found.get(place);
    if (found) return found.answer;
    if (judgement?.rest === 0) return this.decisions[place];
    const answer = this.answers.get(place);
    return answer ? bestOf(this.decisions[place], answer) : null;
  }

  /** Performance of a player in a game; 0 = the match. */
  figures(seat: number, game: number): Figures {
    const { judgement } = this;
    const isAsked = (one: Roll) => one.seat === seat && (!game || one.at.game === game);
    const places = this.decisions.flatMap((one, place) => (isAsked(one) ? [place] : []));
    const unplayed = this.unplayed.filter(isAsked).map(({ luck = 0 }) => luck);
    const tally = tallyOf(
      places.map((place) => this.finding(place)),
      [...places.map((place) => this.lucks.get(place) ?? 0), ...unplayed],
    );
    const { loss, marks } = tally;
    const luck = this.isLuckKnown ? tally.luck : null;
    if (!judgement) return { luck, loss, marks, rating: ratingOf(tally) };
    const { analysis, isWhole } = judgement;
    if (!game) return { marks, luck: analysis.luck[seat], loss: analysis.lost[seat], rating: analysis.ratings[seat] };
    return { luck, marks, loss: isWhole ? loss : null, rating: isWhole ? ratingOf(tally) : null };
  }

  mark(place: number): Mark {
    const finding = this.finding(place);
    return finding ? markOf(finding) : "";
  }

  /** The chance of the first seat to win the game, after the decision. */
  chance(place: number): number | null {
    const answer = this.answers.get(place);
    const { seat, key, what } = this.decisions[place];
    if (!answer) return null;
    const played = isPlay(answer) ? answer.plays.find((play) => play.key === key)?.outlook[0] : answer.outlook[0];
    if (played === undefined) return null;
    return (what === "take" ? 1 - seat : seat) === 0 ? played : 1 - played;
  }
}
