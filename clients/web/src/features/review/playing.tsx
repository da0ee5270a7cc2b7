/**
 * A game against the evaluator from a position that was set up, or of two players at this screen. Its dice are the
 * browser's, and nothing of it is kept.
 */

import { h } from "preact";
import { fetched } from "../../core/device/fetched.ts";
import { stepMs } from "../../core/device/settings.ts";
import type { Evaluator } from "../../core/evaluator/evaluator.ts";
import { tick } from "../../core/look/forms.tsx";
import { Hearing } from "../../core/look/hearing.ts";
import { button, buttons, holder } from "../../core/look/parts.tsx";
import type { Decision } from "../../core/model/decisions.ts";
import { type Answer, bestOf, costOf } from "../../core/model/findings.ts";
import { notation } from "../../core/model/notation.ts";
import { type Position, played } from "../../core/model/plays.ts";
import * as turns from "../../core/model/turn.ts";
import type { Client } from "../../core/net/client.ts";
import { dotted, text } from "../../core/texts/text.ts";
import { asked, showDecision, TrialBar, trialBoard } from "./asking.tsx";
import { decisionCard } from "./card.tsx";
import type { Opened } from "./files.tsx";
import { afterCube, afterTurn, endOf, nextGame } from "./model/playing.ts";
import { askedIn, type Setup } from "./model/setup.ts";
import { Review } from "./screen.tsx";
import { words } from "./texts/text.ts";
import { beginTrial, type Trial } from "./trying.ts";

const OURS = 0; // the seat at the bottom
const PAUSES = 3; // steps of an animation before the computer decides, so that what it answers is seen

const die = () => 1 + Math.floor(6 * Math.random());

/** evaluator: null = two players are at this screen, and the board turns to whoever is to play, if they want that. */
type Props = { client: Client; setup: Setup; evaluator: Evaluator | null; stop: () => void };
/** decision: null once it is over. judged: our last one. said: what has happened last, one sentence each. file: the match, to be reviewed. */
const begin = ({ setup }: Props) => ({
  setup,
  decision: null as Decision | null,
  trial: null as Trial | null,
  judged: null as { decision: Decision; answer: Answer } | null,
  said: [] as string[],
  isFixed: false,
  file: null as Opened | null,
});
type State = ReturnType<typeof begin>;
export class Playing extends Hearing<Props, State> {
  board = trialBoard(this);
  state = begin(this.props);
  events: unknown[][] = []; // of the match so far, as a file has them
  hears = { resize: () => this.paint(0) };
  timer: ReturnType<typeof setTimeout> | undefined;

  componentDidMount() {
    super.componentDidMount();
    if (this.props.evaluator) this.goOn(this.props.setup, []);
    else this.open();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  componentDidUpdate() {
    this.paint(stepMs());
    this.keepFocus();
  }

  /** The button that had the focus has gone: it goes to the board, where our move begins. */
  keepFocus() {
    const { decision, trial } = this.state;
    if (document.activeElement !== document.body) return;
    const from = trial && decision?.what === "play" ? [...turns.sources(trial.turn)] : [];
    this.board.focus(from[0] ?? this.board.focused);
  }

  name = (seat: number) => (seat === OURS ? text.sides.white : text.sides.black);

  game: Setup | null = this.props.setup; // the next one of two players, at its start; null = their match is over

  /** The opening roll: the higher die begins, and plays both. */
  open = () => {
    const isNext = !this.state.decision && this.game;
    const game = isNext || this.props.setup;
    let dice = [0, 0];
    while (dice[0] === dice[1]) dice = [die(), die()];
    if (!isNext) this.events = [];
    this.tell("game_started", game.isCrawford);
    this.tell("opening_rolled", ...dice);
    const seat = Number(dice[1] > dice[0]);
    dice.sort().reverse();
    this.goOn({ ...game, seat, dice }, [text.begins(this.name(seat), dice)]);
  };

  tell = (...event: unknown[]) => this.events.push([0, 0, ...event]);

  /** The match that has ended, as any file. */
  review = async () => {
    const { length, isJacoby } = this.props.setup;
    const rules = { length, crawford: length > 1, jacoby: isJacoby };
    const players = [this.name(0), this.name(1)];
    const whole = { players, rules, score: [0, 0], game: 0, crawford_done: false, events: this.events };
    const { open } = await fetched(() => import("./files.tsx"));
    this.setState({ file: await open(new File([JSON.stringify(whole)], "")) });
  };

  /** The next decision, after a roll where no player may double. */
  goOn(before: Setup, said: string[]) {
    const end = endOf(before);
    if (end) return this.end(before, end.winner, end.points, end.kind, said);
    const decision = askedIn(before);
    if (!decision) return this.roll(before, said);
    const trial = decision.seat === OURS || !this.props.evaluator ? beginTrial(decision) : null;
    this.setState({ setup: before, decision, trial, said });
    if (!trial) this.timer = setTimeout(() => this.reply(before, decision, said), PAUSES * stepMs());
  }

  roll(before: Setup, said: string[]) {
    const dice = [die(), die()];
    this.tell("rolled", before.seat, Math.max(...dice), Math.min(...dice));
    this.goOn({ ...before, dice }, [...said, text.rolled(this.name(before.seat), dice)]);
  }

  end(setup: Setup, winner: number, points: number, kind: number, said: string[]) {
    this.game = nextGame(this.props.setup, setup, winner, points);
    const score: [number, number] = [...setup.score];
    score[winner] += points;
    const ending = said.length && endOf(setup) ? "borne_off" : "drop";
    this.tell("game_ended", winner, points, kind, ending);
    if (!this.game) this.tell("match_ended", winner, "score");
    this.setState({
      setup: { ...setup, score, dice: [] },
      decision: null,
      trial: null,
      said: [...said, text.gameWon(this.name(winner), points, kind, ending)],
    });
  }

  /** The computer decides. */
  reply(setup: Setup, decision: Decision, said: string[]) {
    this.props.evaluator?.judge(decision).then((answer) => {
      if (this.timer === undefined) return; // playback has stopped
      const { done, moves } = bestOf(decision, answer);
      const after = played(decision.question.position, setup.dice, moves);
      if (decision.what !== "play") this.turnCube(setup, decision, done, said);
      else if (after) this.moved(setup, decision, moves, after, said.slice(-1));
    });
  }

  moved(setup: Setup, { question }: Decision, moves: [number, number][], after: Position, said: string[]) {
    const name = this.name(setup.seat);
    this.tell("moved", setup.seat, moves);
    const play = moves.length ? text.played(name, notation(moves, question.position.theirs)) : text.passed(name);
    this.goOn(afterTurn(setup, after), [...said, play]);
  }

  turnCube(setup: Setup, decision: Decision, done: boolean, said: string[]) {
    const { what, seat } = decision;
    const after = afterCube(setup, decision, done);
    if (done) this.tell(what === "take" ? "taken" : "doubled", seat);
    if (!after) return this.end(setup, setup.seat, setup.cube, 1, said);
    if (what === "double" && done) return this.goOn(after, [text.doubles(this.name(seat), 2 * setup.cube)]);
    this.roll(after, what === "take" ? [text.taken(this.name(seat), after.cube)] : []);
  }

  // --- our own turn ---

  set = (trial: Trial) => {
    const { setup, decision } = this.state;
    if (!trial.answer || !decision) return this.setState({ trial });
    const { turn, answer } = trial;
    this.judge({ ...decision, ...answer, moves: turns.movesOf(turn) });
    if (decision.what === "play") this.moved(setup, decision, turns.movesOf(turn), turns.position(turn), []);
    else this.turnCube(setup, decision, answer.done, []);
  };

  /** What the evaluator thinks of a decision of ours is said beside the board, while the game goes on. */
  judge(decision: Decision) {
    const { what, question, key } = decision;
    this.props.evaluator
      ?.judge({ what, question: { ...question, key } })
      .then((answer) => this.setState({ judged: { decision, answer } }));
  }

  /** The verdict on our last decision. */
  verdict({ decision, answer }: NonNullable<State["judged"]>) {
    return decisionCard({
      decision,
      answer,
      best: bestOf(decision, answer),
      names: [text.sides.white, text.sides.black],
      of: { label: words().yourLast, finding: costOf(decision, answer, decision) },
    });
  }

  get decision() {
    return this.state.decision;
  }

  /** Whether who is to play sits at the top. */
  get isAcross() {
    return this.seat === OURS && this.state.decision?.seat !== OURS;
  }

  /** The seat at the bottom. */
  get seat() {
    return this.props.evaluator || this.state.isFixed ? OURS : (this.state.decision?.seat ?? OURS);
  }

  // --- what is drawn ---

  paint(duration: number) {
    const { setup, decision, trial } = this.state;
    const shown = decision ?? askedIn({ ...setup, dice: [1, 1] });
    if (!shown) return;
    const still = decision ? shown : { ...shown, question: { ...shown.question, dice: [] } };
    const hasCube = setup.cap > 1;
    const seat = decision ? this.seat : this.props.evaluator || this.state.isFixed ? OURS : shown.seat;
    showDecision(this.board, { decision: still, trial, seat, hasCube, best: null }, duration);
  }

  render() {
    const { decision, trial, judged, said, setup, isFixed, file } = this.state;
    const say = words();
    if (file) return <Review client={this.props.client} match="" code="" number={0} name="" file={file} />;
    const question = decision && trial ? [asked(decision, trial)] : [];
    const { evaluator, stop } = this.props;
    const kind = decision ? "" : "main";
    const leave = evaluator
      ? button(say.stopPlaying, stop, kind)
      : button(decision || !this.game ? text.newMatch : text.nextGame, this.open, kind);
    const [title, help] = evaluator ? [say.playOn, say.playOnHelp] : [text.twoHere, say.twoHelp];
    return (
      <main class="review puzzles">
        <h1 class="hidden">{title}</h1>
        <div class="stage">
          {holder(this.board)}
          {decision && trial ? (
            <TrialBar
              {...{ decision, trial, board: this.board, set: this.set, isAcross: this.isAcross }}
              back={null}
              after={null}
            />
          ) : (
            <div class="stepper trial" />
          )}
          <p class="legend said" role="status">
            {[...said, ...question].join(" ")}
          </p>
        </div>
        <div class="beside">
          <p class="list">{help}</p>
          {evaluator ? null : (
            <p class="list score">
              {dotted(
                text.points(setup.length),
                [text.sides.white, setup.score.join(" – "), text.sides.black].join(" "),
              )}
            </p>
          )}
          {evaluator ? null : tick(say.turns, !isFixed, (on) => this.setState({ isFixed: !on }))}
          {judged && this.verdict(judged)}
          {buttons(
            leave,
            !evaluator && !decision && !this.game && button(text.places.review, () => void this.review()),
          )}
        </div>
      </main>
    );
  }
}
