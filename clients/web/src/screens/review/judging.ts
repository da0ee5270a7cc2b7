/** What is known of a match's decisions so far: the one that is looked at is judged first, the luck of the dice last. */

import { Evaluator } from "../../evaluator/evaluator.ts";
import type { Decision } from "../../model/decisions.ts";
import type { Answer, Finding, Mark } from "../../model/findings.ts";
import { costOf, isPlay, markOf } from "../../model/findings.ts";

export class Judging {
  decisions: Decision[];
  changed: () => void;
  answers: Map<number, Answer> = new Map(); // by the place of the decision
  lucks: Map<number, number> = new Map();
  failed = false;
  at = 0; // what is looked at
  evaluator = new Evaluator();

  constructor(decisions: Decision[], changed: () => void) {
    this.decisions = decisions;
    this.changed = changed;
  }

  /** Judge all that is left. */
  async run() {
    try {
      for (let place = this.next(); place >= 0; place = this.next()) {
        const { what, question } = this.decisions[place];
        this.answers.set(place, await this.evaluator.ask(what === "play" ? "play" : "cube", question));
        this.changed();
      }
      for (const [place, { what, question }] of this.decisions.entries()) {
        if (what !== "play") continue;
        this.lucks.set(place, await this.evaluator.ask("luck", question));
        this.changed();
      }
    } catch {
      this.failed = true;
      this.changed();
    }
  }

  next() {
    if (this.at < this.decisions.length && !this.answers.has(this.at)) return this.at;
    return this.decisions.findIndex((_, place) => !this.answers.has(place));
  }

  /** How far it has come, of all there is to be asked. */
  get progress(): [done: number, all: number] {
    const plays = this.decisions.filter(({ what }) => what === "play").length;
    return [this.answers.size + this.lucks.size, this.decisions.length + plays];
  }

  finding(place: number): Finding | null {
    const answer = this.answers.get(place);
    const decision = this.decisions[place];
    return answer ? costOf(decision, answer, decision) : null;
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
