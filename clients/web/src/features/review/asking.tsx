/** A decision, and how it is tried again, as both are drawn: the board, what is pressed, what is said of the answer. */

import { createRef, h } from "preact";
import { Board, isUpright } from "../../core/board/board.ts";
import { cubeAt, type Picture, STILL } from "../../core/board/picture.ts";
import { across } from "../../core/board/plan.ts";
import { isBusy } from "../../core/device/closest.ts";
import { Hearing } from "../../core/look/hearing.ts";
import { button, type Children } from "../../core/look/parts.tsx";
import { spoken } from "../../core/look/story.ts";
import type { Decision } from "../../core/model/decisions.ts";
import { type Answered, markOf } from "../../core/model/findings.ts";
import { notation } from "../../core/model/notation.ts";
import * as turns from "../../core/model/turn.ts";
import { judgeName } from "../../core/texts/hint/text.ts";
import { language, text } from "../../core/texts/text.ts";
import { drawArrows } from "./arrows.ts";
import { badge, bestWords, deed, NOTHING } from "./card.tsx";
import { isSame, type Judging } from "./judging.ts";
import { cost, dice } from "./numbers.ts";
import { words } from "./texts/text.ts";
import { answered, beginTrial, dropped, playableOf, type Trial, tapped } from "./trying.ts";

/** seat: at the bottom. hasCube: whether the match has one. best: null = not known. */
type Shown = { decision: Decision; trial: Trial | null; seat: number; hasCube: boolean; best: Answered | null };

/** A screen with a decision to be tried. */
type TrialHost = {
  readonly state: { trial: Trial | null };
  readonly decision: Decision | null | undefined;
  paint: (duration: number) => void;
  setState(state: { trial: Trial }, drawn?: () => void): void;
  mark?: (point: number) => boolean; // whether that was all that the tap was for
  isAcross?: boolean; // who is to play sits at the top
};

/** A board on which the decision is tried. */
export function trialBoard(host: TrialHost) {
  const playable = () => playableOf(host.state.trial, host.decision);
  const play = (change: (trial: Trial) => Trial) => {
    const before = playable();
    if (!before) return;
    host.setState({ trial: change(before) }, () => {
      host.paint(0);
      const { turn } = playable() ?? before;
      if (turn.steps.length > before.turn.steps.length) board.goOn(turns.choices(turn, null).map(own));
    });
  };
  const own = (point: number) => (host.isAcross ? across(point) : point);
  const board = new Board({
    point: (point) => host.mark?.(point) || play((trial) => tapped(trial, own(point))),
    pick: (point) => {
      const trial = playable();
      if (!trial || !turns.sources(trial.turn).has(own(point))) return false;
      host.setState({ trial: { ...trial, chosen: own(point) } });
      return true;
    },
    drop: (from, to) => play((trial) => dropped(trial, own(from), own(to))),
    dice: () => play((trial) => ({ ...trial, turn: turns.swap(trial.turn) })),
  });
  return board;
}

export function showDecision(board: Board, shown: Shown, duration: number) {
  board.layout(isUpright());
  board.show(pictureOf(shown), duration);
  drawArrows(board, arrowsOf(shown), shown.decision.seat === shown.seat);
}

function pictureOf(shown: Shown): Picture {
  const { decision, trial, seat } = shown;
  const { at, question, what } = decision;
  return {
    ...STILL,
    mine: at.rows[seat],
    theirs: at.rows[1 - seat],
    colour: seat === 1 ? 1 : 0,
    dice: question.dice.map((value) => ({ value, used: false })),
    diceMine: decision.seat === seat,
    cube: cubeOf(shown),
    ...(trial && what === "play" && !trial.answer ? madeOf(trial, decision.seat === seat) : {}),
  };
}

/** The turn as far as it is made. @param isMine by the player at the bottom */
function madeOf(trial: Trial, isMine: boolean) {
  const made = turns.shown(trial.turn, trial.chosen);
  if (isMine) return made;
  const [sources, targets] = [made.sources, made.targets].map((points) => new Set([...points].map(across)));
  const chosen = made.chosen === null ? null : across(made.chosen);
  return { ...made, mine: made.theirs, theirs: made.mine, sources, targets, chosen };
}

function cubeOf({ decision: { at, what, seat: who }, seat, hasCube }: Shown): Picture["cube"] {
  return hasCube ? cubeAt(seat, at.cube.value, at.cube.owner, what === "take" ? 1 - who : -1) : null;
}

/** The best play beside the one that was played, or tried. */
function arrowsOf({ decision, trial, best }: Shown) {
  if (decision.what !== "play" || (trial && !trial.answer)) return [];
  const key = trial?.answer?.key ?? decision.key;
  const moves = trial?.answer ? turns.movesOf(trial.turn) : decision.moves;
  if (!best) return [{ kind: "played", moves }];
  return best.key === key
    ? [{ kind: "best", moves }]
    : [
        { kind: "played", moves },
        { kind: "best", moves: best.moves },
      ];
}

/** back: stands before the answers. after: stands behind an answer. */
type Bar = {
  board: Board;
  isAcross?: boolean;
  decision: Decision;
  trial: Trial;
  set: (trial: Trial) => void;
  back: Children;
  after: Children;
};
/** What is pressed in a trial, by button or by the keys of a match. */
export class TrialBar extends Hearing<Bar> {
  place = createRef<HTMLDivElement>();
  hears = { keydown: (event: KeyboardEvent) => this.press(event) };

  /** After an answer the focus goes on to the next one; where its button has gone, or does nothing more, to the board. */
  componentDidUpdate({ trial: before }: Bar) {
    const { trial, board } = this.props;
    const at = document.activeElement;
    const isLost = at === document.body || at?.matches(":disabled");
    if (trial.answer && !before.answer && (isLost || board.svg.contains(at)))
      this.place.current?.querySelector<HTMLElement>(".main")?.focus();
    else if (isLost && (before.answer || at !== document.body)) board.focus(board.focused);
  }

  press(event: KeyboardEvent) {
    const { board, trial, decision, isAcross } = this.props;
    if (isBusy(event, "input:not([type=checkbox]), select, dialog") || !playableOf(trial, decision)) return;
    const choices = () => turns.choices(trial.turn, trial.chosen);
    const does: Record<string, () => void> = {
      u: this.undo,
      d: () => turns.isDone(trial.turn) && this.props.set(answered(trial)),
      x: () => trial.turn.steps.length || this.props.set({ ...trial, turn: turns.swap(trial.turn) }),
      n: () => board.focusNext(isAcross ? choices().map(across) : choices(), event.shiftKey),
    };
    does[event.key.toLowerCase()]?.();
  }

  undo = () => {
    const { set, trial } = this.props;
    set({ ...trial, turn: turns.undo(trial.turn), chosen: null, refused: "" });
  };

  render() {
    const say = words();
    const { decision, trial, set, back, after } = this.props;
    const { what } = decision;
    const saysCube = (label: string, done: boolean) =>
      button(label, () => set({ ...trial, answer: { key: "", done, words: "" } }), "main");
    return (
      <div class="stepper trial" role="group" aria-label={say.decisionHere} ref={this.place}>
        {trial.answer
          ? [button(say.tryAgain, () => set(beginTrial(decision))), after]
          : what === "play"
            ? [
                back,
                button(text.undo, this.undo, "", !trial.turn.steps.length),
                button(text.done, () => set(answered(trial)), "main", !turns.isDone(trial.turn)),
              ]
            : [
                back,
                saysCube(what === "take" ? say.drop : say.noDouble, false),
                saysCube(what === "take" ? say.take : text.double, true),
              ]}
      </div>
    );
  }
}

/** The task, in words; of a play that is begun: how far it is made. */
export function asked({ what, question }: Decision, { turn, refused }: Trial) {
  const say = words();
  if (refused) return refused;
  const made = spoken(notation(turns.movesOf(turn), turn.base.theirs));
  if (made) return `${made}. ${turns.isDone(turn) ? text.finishTurn : ""}`;
  return what === "play" ? say.yourPlay(dice(question.dice)) : what === "take" ? say.yourTake : say.yourDouble;
}

/** The question to a player who tries again, or the verdict on the answer. place: of the decision that is judged. */
export function trialLine(decision: Decision, trial: Trial, judging: Judging, place: number) {
  const say = words();
  const { answer } = trial;
  if (!answer)
    return (
      <p class="legend said" role="status">
        {asked(decision, trial)}
      </p>
    );
  const { judgement } = judging;
  const { finding, isOurs } = judging.cost(place, answer);
  const does = deed({ ...decision, ...answer });
  const said = !finding
    ? say.atOnce
    : judgement && isOurs
      ? say.costHere(does, cost(finding.loss), judgeName(judgement.analysis, language), bestWords(judging, place))
      : finding.loss < NOTHING
        ? say.rightAnswer
        : say.answerCost(does, cost(finding.loss));
  return (
    <p class="legend said" role="status">
      {finding && badge(markOf(finding))}
      <span>
        {said} {isSame(answer, decision) ? say.sameAsBefore : ""}
      </span>
    </p>
  );
}
