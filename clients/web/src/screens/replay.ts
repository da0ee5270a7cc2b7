/** A match from its record, step by step: what stood on the board when, and what was done. Pure but for the screen. */

import { Component, h } from "preact";
import { Board } from "../board/board.ts";
import { cubeAt, type Picture, STILL } from "../board/picture.ts";
import { closest } from "../device/closest.ts";
import { type Settings, stepMs } from "../device/settings.ts";
import { notation } from "../model/notation.ts";
import { entry, type Step, type Table } from "../model/record.ts";
import { rulesText } from "../model/rules.ts";
import { kindOf, type Verdict } from "../model/verdict.ts";
import type { View } from "../model/view.ts";
import type { Client } from "../net/client.ts";
import { judgeMatch } from "../net/verdicts.ts";
import { text } from "../texts/text.ts";
import { facts } from "./match/status.ts";
import { Missing, missingBy } from "./missing.ts";
import { button, holder, plain, reviewLink, signButton, stepButton, stone } from "./parts.ts";

/** heading: of a game that begins. */
type Shown = Step["now"] & { words: string; heading: string };

const PLAY_MS = 1400; // between two steps, when they go by themselves

type Name = (seat: number) => string;

/** Sentences by type of event. */
const WORDS: Table<Name, string> = {
  game_started: () => text.gameBegins,
  opening_rolled: (_, name, a, b) => (a === b ? text.rolledTie(a) : text.rolled(name(Number(b > a)), [a, b])),
  rolled: (_, name, seat, ...dice) => text.rolled(name(seat), dice),
  moved: ({ rows }, name, seat, moves) =>
    moves.length ? text.played(name(seat), notation(moves, rows[1 - seat])) : text.passed(name(seat)),
  doubled: ({ cube }, name, seat) => text.doubles(name(seat), 2 * cube.value),
  taken: ({ cube }, name, seat) => text.taken(name(seat), 2 * cube.value),
  beavered: ({ cube }, name, seat) => text.beavered(name(seat), 4 * cube.value),
  resignation_offered: ({ cube }, name, seat, kind) => text.offersResign(name(seat), kind, kind * cube.value),
  resignation_refused: (_, name, seat) => text.refusedResignation(name(seat)),
  game_ended: (_, name, winner, ...how) => (winner === null ? text.level_ : text.gameWon(name(winner), ...how)),
  match_ended: (_, name, winner, ending) => {
    if (ending === "aborted") return text.aborted;
    return winner === null ? text.level_ : `${text.matchWon(name(winner))}${text.endings[ending] ?? ""}.`;
  },
  cancelled: () => text.cancelled,
};

/** The steps of a match that are shown. */
function shownOf(steps: Step[], view: View): Shown[] {
  const name = (seat: number) => view.players[seat] ?? text.someone;
  return steps.flatMap(({ what, before, now, facts }) => {
    const say = entry(WORDS, what);
    const heading = what === "game_started" ? text.gameHeading(now.game, now.score[0], now.score[1]) : "";
    return say ? [{ ...now, heading, words: say(before, name, ...facts) }] : [];
  });
}

type Props = { client: Client; match: string; code: string; settings: Settings; go: (path: string) => void };
type State = { steps: Shown[]; view: View | null; verdict: Verdict | null; at: number; plays: boolean; fault: string };
export class Replay extends Component<Props, State> {
  timer: number | undefined;

  state: State = { steps: [], view: null, verdict: null, at: 0, plays: false, fault: "" };
  board = new Board({ point: () => this.turn(1) });
  keys = (event: KeyboardEvent) => this.key(event);
  resized = () => this.paint(0);

  componentDidMount() {
    addEventListener("keydown", this.keys);
    addEventListener("resize", this.resized);
    this.read().catch((error) => this.setState({ fault: missingBy(error) }));
  }

  componentWillUnmount() {
    removeEventListener("keydown", this.keys);
    removeEventListener("resize", this.resized);
    clearInterval(this.timer);
  }

  async read() {
    const { steps, view, verdict } = await judgeMatch(this.props.client, this.props.match, this.props.code);
    this.setState({ view, verdict, steps: shownOf(steps, view) });
  }

  componentDidUpdate() {
    this.paint(stepMs(this.props.settings));
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (closest(event, "input, select, dialog, [data-point]")) return;
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (by) this.turn(by);
  }

  /** Go so many steps on. */
  turn(by: number) {
    const { at, steps } = this.state;
    this.setState({ at: Math.max(0, Math.min(steps.length - 1, at + by)) });
  }

  /** Let the steps go by themselves, or stop them. */
  play() {
    clearInterval(this.timer);
    const plays = !this.state.plays;
    this.setState({ plays });
    if (!plays) return;
    this.timer = setInterval(() => {
      if (this.state.at < this.state.steps.length - 1) this.turn(1);
      else this.play();
    }, PLAY_MS);
  }

  paint(duration: number) {
    if (!this.state.steps.length) return;
    this.board.layout(innerWidth < 700 && innerHeight > innerWidth * 1.5, this.props.settings.home === "left");
    this.board.show(this.picture(this.state.steps[this.state.at]), duration);
  }

  /** The seat at the bottom: our own, if we have played. */
  get seat(): 0 | 1 {
    return this.state.view?.players[1] === this.props.client.name ? 1 : 0;
  }

  picture({ rows, dice, roller, last, cube: { value, owner, offer } }: Shown): Picture {
    const { seat } = this;
    const { cube: hasCube, length } = this.state.view?.rules ?? {};
    return {
      ...STILL,
      mine: rows[seat],
      theirs: rows[1 - seat],
      colour: seat,
      dice: dice.map((value) => ({ value, used: false })),
      diceMine: roller === seat,
      cube: hasCube === false || length === 1 ? null : cubeAt(seat, value, owner, offer),
      last: last.map((one) => ({ ...one, mine: one.seat === seat })),
    };
  }

  render() {
    const { steps, view, verdict, at, plays, fault } = this.state;
    const said = verdict && h("p", { class: `verdict ${kindOf(verdict)}`, role: "status" }, verdict.text);
    if (fault) return h(Missing, { missing: fault, name: this.props.match, go: this.props.go });
    if (!view || !steps.length) return plain(verdict ? text.replay : text.loading, said);
    const now = steps[at];
    const step = (sign: string, words: string, by: number, disabled: boolean) =>
      signButton(sign, words, () => this.turn(by), "", { disabled });
    const [first, last] = [at === 0, at === steps.length - 1];
    return h(
      "main",
      { class: "match replay" },
      h("h1", { class: "hidden" }, `${text.replay}: ${view.players.join(" – ")}`),
      this.player(view, 1 - this.seat, now),
      h("div", { class: "place" }, holder(this.board)),
      h(
        "section",
        { class: "controls", "aria-label": text.replay },
        h("p", { class: "status", role: "status" }, now.words),
        h(
          "div",
          { class: "buttons steps" },
          step("«", text.firstStep, -Infinity, first),
          step("‹", text.stepBack, -1, first),
          button(plays ? text.pause : text.playOn, () => this.play(), "main", last && !plays),
          step("›", text.stepOn, 1, last),
          step("»", text.lastStep, Infinity, last),
        ),
        said,
        h(
          "p",
          { class: "aside" },
          rulesText(view.rules),
          verdict?.sound !== false && view.phase === "over" && reviewLink(this.props.match, this.props.code),
        ),
      ),
      this.player(view, this.seat, now),
      this.turns(),
    );
  }

  player(view: View, seat: number, { rows, score }: Shown) {
    const name = view.players[seat] ?? text.someone;
    return h(
      "section",
      { class: `player ${seat === this.seat ? "own" : "opponent"}`, "aria-label": name },
      stone(seat === 1),
      h("span", { class: "who" }, h("b", null, name)),
      facts(rows[seat], { score, rules: view.rules }, seat, null),
    );
  }

  /** All steps, to go to one. */
  turns() {
    const { steps, at } = this.state;
    return h(
      "section",
      { class: "side", "aria-label": text.allTurns },
      h(
        "ol",
        { class: "turns", tabIndex: 0 },
        steps.map(({ words, heading }, index) => [
          heading ? h("li", { key: `${index} heading`, class: "heading" }, heading) : null,
          h(
            "li",
            { key: index },
            stepButton(words, () => this.setState({ at: index }), index === at, "quiet"),
          ),
        ]),
      ),
    );
  }
}
