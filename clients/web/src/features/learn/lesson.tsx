/** The first lesson: each step is played on the board, by its rules. */
import { createRef, h } from "preact";
import { Board } from "../../core/board/board.ts";
import { type Cube, type Picture, STILL } from "../../core/board/picture.ts";
import { isBusy, isFree } from "../../core/device/closest.ts";
import { stepMs } from "../../core/device/settings.ts";
import { listen, play } from "../../core/device/sounds.ts";
import { Hearing } from "../../core/look/hearing.ts";
import { holder } from "../../core/look/parts.tsx";
import { spoken } from "../../core/look/story.ts";
import { Voice } from "../../core/look/voice.tsx";
import { notation } from "../../core/model/notation.ts";
import { asMoves } from "../../core/model/plays.ts";
import * as turns from "../../core/model/turn.ts";
import { pips } from "../../core/model/view.ts";
import { language, text } from "../../core/texts/text.ts";
import { whyNoPlay, whyNoPoint } from "../match/reasons.ts";
import { dropped, type Trial, tapped } from "../review/trying.ts";
import { bar, chapters, endCard, offer, stepCard } from "./card.tsx";
import { plain } from "./linked.tsx";
import { answerOf, isReached, positionOf, STEPS, type Step, turnOf } from "./model/lesson.ts";
import { keepPlace, type Place, recallPlace } from "./place.ts";
import { words } from "./texts/text.ts";

const FAILURES = 3; // until the answer is shown

/**
 * wish: the point of a checker that was tapped and cannot move. note: what is said of what was done last. shown: whether
 * the answer is. failures: as many turns were taken back. typing: a play; null = none is typed.
 */
const fresh = (step: Step) => ({
  trial: { turn: turnOf(step), chosen: null, answer: null } as Trial,
  hasRolled: !step.rolls,
  isSolved: step.what === "look",
  wish: null as number | null,
  note: "",
  shown: false,
  failures: 0,
  typing: null as string | null,
});
type State = Place & ReturnType<typeof fresh>;

export class Lesson extends Hearing<object, State> {
  heading = createRef<HTMLHeadingElement>();
  main = createRef<HTMLButtonElement>();
  said = createRef<HTMLParagraphElement>(); // the note
  input = createRef<HTMLInputElement>();
  voice = new Voice(() => this.setState({}));
  board = new Board({
    point: (point) => this.tap(point),
    pick: (point) => this.pick(point),
    drop: (from, to) => this.drop(from, to),
    dice: () => this.change({ ...this.state.trial, turn: turns.swap(this.state.trial.turn) }),
    touch: () => this.board.settle(),
  });
  hears = { keydown: (event: KeyboardEvent) => this.press(event), resize: () => this.paint(0) };

  constructor() {
    super();
    const place = recallPlace();
    this.state = { ...place, ...fresh(STEPS[Math.min(place.at, STEPS.length - 1)]) };
  }

  componentDidMount() {
    super.componentDidMount();
    listen();
    this.paint(0);
  }

  componentDidUpdate() {
    this.paint(stepMs());
  }

  /** The step that is shown; at the end there is none. */
  get step(): Step | undefined {
    return STEPS[this.state.at];
  }

  /** Whether checkers can be moved now. */
  get making() {
    const { isSolved, hasRolled } = this.state;
    return this.step?.what === "play" && hasRolled && !isSolved;
  }

  get isDone() {
    return this.making && turns.isDone(this.state.trial.turn);
  }

  go = (at: number) => {
    const reached = Math.max(at, this.state.reached);
    keepPlace({ at, reached });
    const step = STEPS[at] ?? STEPS[0];
    this.setState({ at, reached, ...fresh(step) }, () => {
      this.heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    });
    const { steps, endText } = words();
    this.voice.say(plain(STEPS[at] ? steps[step.key].text : endText));
  };

  // --- a turn ---

  /** A sentence on what was done, shown and spoken. */
  note(note: string, more: Partial<State> = {}) {
    this.setState({ shown: false, ...more, note }, () => this.said.current?.scrollIntoView({ block: "nearest" }));
    this.voice.say(plain(note));
  }

  roll() {
    const { dice } = this.state.trial.turn;
    play("dice");
    this.setState({ hasRolled: true, note: "" });
    this.voice.say(words().rolled(dice.join(", ")));
  }

  /** @param turn the one before */
  change(trial: Trial, turn: turns.Turn = this.state.trial.turn) {
    if (!this.making) return;
    this.setState({ trial, wish: null, note: "" });
    const fresh = trial.turn.steps.slice(turn.steps.length);
    if (!fresh.length) return;
    play("checker");
    const done = turns.isDone(trial.turn) ? text.finishTurn : "";
    const { theirs } = turns.position(turn);
    this.voice.say(`${spoken(notation(asMoves(fresh), theirs))}. ${done}`.trim());
  }

  tap(point: number) {
    this.board.settle();
    if (!this.making) return;
    const { trial, wish } = this.state;
    const after = tapped(trial, point);
    this.change(after);
    if (after.turn !== trial.turn || after.chosen !== null || trial.chosen === point) return;
    const sources = [...turns.sources(trial.turn)];
    const from = trial.chosen ?? wish ?? (sources.length === 1 ? sources[0] : null);
    const isOwn = point > 0 && turns.position(trial.turn).mine[point] > 0;
    this.refuse(isOwn ? null : from, point);
    if (isOwn) this.setState({ wish: point });
  }

  pick(point: number) {
    if (!this.making || !turns.sources(this.state.trial.turn).has(point)) return false;
    this.setState({ trial: { ...this.state.trial, chosen: point } });
    return true;
  }

  drop(from: number, to: number) {
    const { trial } = this.state;
    const after = dropped(trial, from, to);
    this.change(after);
    if (after.refused) this.note(after.refused);
  }

  /** Say why it cannot be. */
  refuse(from: number | null, to: number) {
    this.note(whyNoPoint(this.state.trial.turn, from, to, language));
  }

  undo() {
    if (!this.making) return;
    const turn = turns.undo(this.state.trial.turn);
    this.setState({ trial: { turn, chosen: null, answer: null }, wish: null, note: "" });
  }

  type() {
    const { trial, typing } = this.state;
    const begun = { ...trial.turn, steps: [] };
    const turn = turns.typed(begun, typing ?? "");
    this.setState({ typing: null }, () => this.heading.current?.focus());
    if (turn) return this.change({ ...trial, turn, chosen: null }, begun);
    this.note(whyNoPlay(begun, typing ?? "", language));
  }

  /** The turn is over: it is what was asked for, or is taken back. */
  finish() {
    const { step, state } = this;
    if (!step) return;
    if (!this.isDone) return this.note(words().doneFirst);
    const { turn } = state.trial;
    const { good = "", bad = "" } = words().steps[step.key];
    if (isReached(step, turn.base, turns.position(turn))) return this.solve(good);
    this.fail(`${bad} ${words().takenBack}`, step);
  }

  solve(good: string) {
    this.note(good, { isSolved: true, trial: { ...this.state.trial, chosen: null } });
    this.setState({}, () => this.main.current?.focus());
  }

  /** Actions with the cube. */
  answer(what: string) {
    const { step } = this;
    if (!step || this.state.isSolved) return;
    const { good = "", bad = "" } = words().steps[step.key];
    if (what === step.what) this.solve(good);
    else this.fail(`${bad} ${words().tryAgain}`, step);
  }

  /** It was not what is asked for; after some failures the answer is shown. */
  fail(why: string, step: Step) {
    const failures = this.state.failures + 1;
    this.note(why, { trial: fresh(step).trial, failures });
    if (failures >= FAILURES) this.showMe(why);
  }

  showMe(why = "") {
    const { step } = this;
    if (!step || this.state.isSolved || !this.state.hasRolled) return;
    const cube = { double: text.double, take: text.takeFor(2), drop: text.dropFor(1) }[String(step.what)];
    const way = cube ?? (spoken(notation(answerOf(step), positionOf(step).theirs)) || text.noMove);
    this.note(`${why} ${words().showPlay(way)}`.trim(), { shown: true, trial: fresh(step).trial });
  }

  /** Action of the main button. */
  onward() {
    const { at, isSolved, hasRolled } = this.state;
    if (isSolved) this.go(at + 1);
    else if (!hasRolled) this.roll();
    else if (this.step?.what === "double") this.answer("roll");
    else if (this.isDone) this.finish();
  }

  press(event: KeyboardEvent) {
    if (isBusy(event, "input, select, dialog") || !this.step) return;
    const { turn } = this.state.trial;
    const { mine, theirs } = turns.position(turn);
    const canRoll = !this.state.isSolved && (!this.state.hasRolled || this.step.what === "double");
    const does: Record<string, () => void> = {
      r: () => canRoll && this.onward(),
      d: () => (this.step?.what === "double" ? this.answer("double") : this.making && this.finish()),
      u: () => this.undo(),
      x: () => !turn.steps.length && this.change({ ...this.state.trial, turn: turns.swap(turn) }),
      n: () => this.making && this.board.focusNext(turns.choices(turn, this.state.trial.chosen), event.shiftKey),
      h: () => this.showMe(),
      i: () => this.voice.say(text.sayDice(this.making ? turns.left(turn) : [])),
      p: () => this.voice.say(text.sayPips(pips(mine), pips(theirs))),
      Escape: () => this.setState({ trial: { ...this.state.trial, chosen: null } }),
      Enter: () => isFree(event) && this.onward(),
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[0-9b]$/.test(key) && this.making) {
      event.preventDefault();
      this.setState({ typing: key }, () => this.input.current?.focus());
    } else if (Object.hasOwn(does, key)) does[key]();
  }

  // --- what is drawn ---

  paint(duration: number) {
    this.board.layout();
    this.board.show(this.picture(), duration);
  }

  picture(): Picture {
    const { step } = this;
    const { trial, shown, isSolved, hasRolled } = this.state;
    if (!step) return { ...STILL, ...positionOf(STEPS[0]) };
    const { turn } = trial;
    const common = { ...STILL, ...turns.position(turn), cube: cubeOf(step, isSolved) };
    const made = turn.steps.map(({ from, to }) => `${from}/${to}`);
    const arrows = shown ? answerOf(step).filter((way) => !made.includes(way.join("/"))) : [];
    if (this.making) return { ...common, ...turns.shown(trial.turn, trial.chosen), arrows };
    const dice = hasRolled ? turn.dice.map((value) => ({ value, used: isSolved && step.what === "play" })) : [];
    const last = turn.steps.map(({ from, to }) => ({ from, to, mine: true }));
    return { ...common, dice, last, arrows: step.arrows };
  }

  render() {
    const { step } = this;
    return (
      <main class="lesson">
        <h1 class="hidden">{words().title}</h1>
        {chapters(this)}
        <div class="place">
          {holder(this.board)}
          {step && !this.state.isSolved ? offer(this, step) : null}
        </div>
        <section class="card">
          {step ? stepCard(this, step) : endCard(this)}
          {step ? bar(this, step) : null}
        </section>
        {this.voice.drawn()}
      </main>
    );
  }
}

/** Where the cube lies in the steps about it: before they are solved, and then. */
const PLACES: Partial<Record<Step["what"], [Cube["place"], Cube["place"]]>> = {
  double: ["middle", "theirs"],
  take: ["offered to me", "mine"],
  drop: ["offered to me", "middle"],
};

function cubeOf({ what }: Step, isSolved: boolean): Picture["cube"] {
  const place = PLACES[what]?.[Number(isSolved)];
  return place ? { value: place === "middle" ? 1 : 2, place } : null;
}
