/** A match from its record, step by step: what stood on the board when, and what was done. Pure but for the screen. */
import { Component, createRef, h } from "preact";
import type { Picture } from "../board/board.ts";
import { Board } from "../board/board.ts";
import type { Settings } from "../device/settings.ts";
import { stepMs } from "../device/settings.ts";
import { startRow } from "../model/plays.ts";
import { rulesText } from "../model/rules.ts";
import { after, notation } from "../model/scenes.ts";
import type { Verdict } from "../model/verdict.ts";
import { kindOf } from "../model/verdict.ts";
import type { View } from "../model/view.ts";
import { pips } from "../model/view.ts";
import type { Client } from "../net/client.ts";
import { text } from "../texts/text.ts";
import { button, refusal } from "./parts.ts";

export type Move = { seat: number; from: number; to: number };
export type Step = {
  rows: [number[], number[]];
  dice: number[];
  roller: number;
  last: Move[];
  cube: number;
  owner: number | null;
  offer: number | null;
  holder: number | null;
  score: [number, number];
  game: number;
  words: string;
  heading: string;
};

const PLAY_MS = 1400; // between two steps, when they go by themselves

/** What each event of a record does to the step before it. */
const DOES: Record<
  string,
  (step: Step, event: any[], name: (seat: number) => string, rules: Record<string, any>) => Partial<Step>
> = {
  opening_rolled: (step, [first, second], name, rules) =>
    first === second
      ? {
          dice: [first, second],
          roller: 0,
          last: [],
          cube: step.cube < 2 ** (rules.automatic_doubles ?? 0) ? 2 * step.cube : step.cube,
          words: text.rolledTie(first),
        }
      : {
          dice: [first, second],
          roller: first > second ? 0 : 1,
          last: [],
          words: text.rolled(name(first > second ? 0 : 1), [first, second]),
        },
  rolled: (_, [seat, ...dice], name) => ({ dice, roller: seat, last: [], words: text.rolled(name(seat), dice) }),
  moved: (step, [seat, moves], name) => {
    const last = moves.map(([from, to]: number[]) => ({ seat, from, to }));
    const rows = last.reduce(after, step.rows);
    return { rows, last, words: moves.length ? text.played(name(seat), notation(moves)) : text.passed(name(seat)) };
  },
  doubled: (step, [seat], name) => ({
    offer: seat,
    holder: 1 - seat,
    dice: [],
    last: [],
    words: text.doubles(name(seat), 2 * step.cube),
  }),
  taken: (step, [seat], name, { cube_cap = 0, cap_kept }) => ({
    offer: null,
    cube: 2 * step.cube,
    owner: 2 * step.cube === cube_cap && !cap_kept ? null : step.holder,
    words: text.taken(name(seat), 2 * step.cube),
  }),
  beavered: (step, [seat], name) => ({
    offer: seat,
    cube: 2 * step.cube,
    words: text.beavered(name(seat), 4 * step.cube),
  }),
  resignation_offered: (step, [seat, value], name) => ({
    words: text.offersResign(name(seat), value, value * step.cube),
  }),
  resignation_refused: (_, [seat], name) => ({ words: text.refusedResignation(name(seat)) }),
  game_ended: (step, [winner, points, kind, ending], name) => {
    const score = [...step.score] as [number, number];
    if (winner !== null) score[winner] += points;
    return {
      score,
      offer: null,
      dice: [],
      last: [],
      words: winner === null ? text.level_ : text.gameWon(name(winner), points, kind, ending),
    };
  },
  match_ended: (_, [winner, ending], name) => ({
    dice: [],
    last: [],
    words:
      ending === "aborted"
        ? text.aborted
        : winner === null
          ? text.level_
          : `${text.matchWon(name(winner))}${text.endings[ending] ?? ""}.`,
  }),
  cancelled: () => ({ words: text.cancelled }),
};

/**
 * The steps of a match.
 * @param events of its record
 */
export function stepsOf(events: unknown[][], view: View): Step[] {
  const row = startRow(view.rules) ?? Array(26).fill(0);
  const fresh = { dice: [], roller: 0, last: [], cube: 1, owner: null, offer: null, holder: null };
  let step: Step = { ...fresh, rows: [row, [...row]], score: [0, 0], game: 0, words: "", heading: "" };
  const steps = [];
  for (const [, , type, ...event] of events) {
    if (type === "game_started") {
      const rows = [row, [...row]] as [number[], number[]];
      const heading = text.gameHeading(step.game + 1, step.score[0], step.score[1]);
      step = { ...step, ...fresh, rows, game: step.game + 1, heading, words: text.gameBegins };
      steps.push(step);
    }
    const change = DOES[String(type)]?.(step, event, (seat) => view.players[seat] ?? text.someone, view.rules);
    if (!change) continue;
    step = { ...step, heading: "", ...change };
    steps.push(step);
  }
  return steps;
}

type Props = { client: Client; match: string; code: string; settings: Settings; go: (path: string) => void };
type State = { steps: Step[]; view: View | null; verdict: Verdict | null; at: number; plays: boolean; fault: string };
export class Replay extends Component<Props, State> {
  timer: number | undefined;

  place = createRef<HTMLDivElement>();
  state: State = { steps: [], view: null, verdict: null, at: 0, plays: false, fault: "" };
  board = new Board({ point: () => this.turn(1), pick: () => false, drop: () => {}, dice: () => {} });
  keys = (event: KeyboardEvent) => this.key(event);
  resized = () => this.paint(0);

  componentDidMount() {
    addEventListener("keydown", this.keys);
    addEventListener("resize", this.resized);
    this.read().catch((error) => this.setState({ fault: error.message }));
  }

  componentWillUnmount() {
    removeEventListener("keydown", this.keys);
    removeEventListener("resize", this.resized);
    clearInterval(this.timer);
  }

  async read() {
    const { events, view, verdict } = await this.props.client.judged(this.props.match, this.props.code);
    this.setState({ view, verdict, steps: stepsOf(events, view) });
  }

  componentDidUpdate() {
    if (this.place.current && !this.place.current.firstChild) this.place.current.append(this.board.svg);
    this.paint(stepMs(this.props.settings));
    this.place.current?.parentElement?.querySelector("[aria-current]")?.scrollIntoView?.({ block: "nearest" });
  }

  key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, dialog, [data-point]")) return;
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

  picture({ rows, dice, roller, last, cube, owner, offer }: Step): Picture {
    const { seat } = this;
    const place =
      offer === null
        ? owner === null
          ? "middle"
          : owner === seat
            ? "mine"
            : "theirs"
        : offer === seat
          ? "offered by me"
          : "offered to me";
    return {
      mine: rows[seat],
      theirs: rows[1 - seat],
      colour: seat,
      dice: dice.map((value) => ({ value, used: false })),
      diceMine: roller === seat,
      cube: this.state.view?.rules.cube === false ? null : { value: offer === null ? cube : 2 * cube, place },
      sources: new Set(),
      targets: new Set(),
      chosen: null,
      canSwap: false,
      arrows: [],
      cubeText: "",
      last: last.map((one) => ({ ...one, mine: one.seat === seat })),
    };
  }

  render() {
    const { steps, view, verdict, at, plays, fault } = this.state;
    const said = verdict && h("p", { class: `verdict ${kindOf(verdict)}`, role: "status" }, verdict.text);
    if (!view || !steps.length)
      return h(
        "main",
        { class: "lobby" },
        h("h1", null, fault ? text.notFound : verdict ? text.replay : text.loading),
        said,
        refusal(fault),
      );
    const now = steps[at];
    const step = (sign: string, words: string, by: number, disabled: boolean) =>
      h("button", { type: "button", "aria-label": words, title: words, disabled, onClick: () => this.turn(by) }, sign);
    const [first, last] = [at === 0, at === steps.length - 1];
    return h(
      "main",
      { class: "match replay" },
      h("h1", { class: "hidden" }, `${text.replay}: ${view.players.join(" – ")}`),
      this.player(1 - this.seat, now),
      h("div", { class: "place", ref: this.place }),
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
        h("p", { class: "aside" }, rulesText(view.rules)),
      ),
      this.player(this.seat, now),
      this.turns(),
    );
  }

  player(seat: number, { rows, score }: Step) {
    const view = this.state.view as View;
    const name = view.players[seat] ?? text.someone;
    return h(
      "section",
      { class: `player ${seat === this.seat ? "own" : "opponent"}`, "aria-label": name },
      h("span", { class: `stone ${seat ? "black" : "white"}`, "aria-hidden": "true" }),
      h("span", { class: "who" }, h("b", null, name)),
      h("span", { class: "pips" }, h("b", null, pips(rows[seat])), ` ${text.pips}`),
      h(
        "span",
        { class: "score", title: text.score },
        h("b", null, score[seat]),
        h("small", null, ` / ${view.rules.length || "∞"}`),
      ),
    );
  }

  /** All steps, to go to one. */
  turns() {
    const { steps, at } = this.state;
    return h(
      "section",
      { class: "talk", "aria-label": text.allTurns },
      h(
        "ol",
        { class: "turns", tabIndex: 0 },
        steps.map(({ words, heading }, index) => [
          heading ? h("li", { key: `${index} heading`, class: "heading" }, heading) : null,
          h(
            "li",
            { key: index },
            h(
              "button",
              {
                type: "button",
                class: "quiet",
                "aria-current": index === at ? "step" : undefined,
                onClick: () => this.setState({ at: index }),
              },
              words,
            ),
          ),
        ]),
      ),
    );
  }
}
