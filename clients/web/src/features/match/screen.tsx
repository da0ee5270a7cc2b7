/** A match on the screen: the board, both players, the plays, and the actions that are possible now. */

import { createRef, h } from "preact";
import { Board, isUpright } from "../../core/board/board.ts";
import { settings, stepMs } from "../../core/device/settings.ts";
import { Hearing } from "../../core/look/hearing.ts";
import { holder, namesOf, rulesLink, versus } from "../../core/look/parts.tsx";
import { inWords } from "../../core/look/story.ts";
import { MatchTalk } from "../../core/look/talk.tsx";
import { Voice } from "../../core/look/voice.tsx";
import type { Entry } from "../../core/model/moves.ts";
import type { Scene } from "../../core/model/scenes.ts";
import * as turns from "../../core/model/turn.ts";
import type { View } from "../../core/model/view.ts";
import type { Client } from "../../core/net/client.ts";
import type { Fields } from "../../core/net/connection.ts";
import type { Match } from "../../core/net/match.ts";
import { type Action, act, leaveToServer } from "../../core/net/matches.ts";
import { recallMoves } from "../../core/net/verdicts.ts";
import { text } from "../../core/texts/text.ts";
import { actionBar } from "./controls.tsx";
import { pressKey } from "./keys.ts";
import { dropChecker, pickChecker, recallTurn, swapDice, tapPoint } from "./moving.ts";
import { colourOf, pictureOf } from "./picture.ts";
import { Playback } from "./playback.ts";
import { isOpen, onBoard } from "./questions.tsx";
import { Sheet } from "./sheet.tsx";
import { playerPanel, statusText } from "./status.tsx";

/** Parts of the screen that a function is given: no more than it needs. */
export type Parts<Name extends keyof MatchScreen> = Pick<MatchScreen, Name>;
type Props = { client: Client; match: Match };
/** asking: what is asked before it is done. hidden: the result whose card was put away. figures: luck and PR are asked for. */
const begin = () => ({
  asking: "",
  chosen: null as number | null,
  typing: null as string | null,
  hints: settings.ways === "on",
  hidden: "",
  figures: false,
});
export class MatchScreen extends Hearing<Props, ReturnType<typeof begin>> {
  state = begin();
  input = createRef<HTMLInputElement>();
  board = new Board({
    point: (point) => tapPoint(this, point),
    pick: (point) => pickChecker(this, point),
    drop: (from, to) => dropChecker(this, from, to),
    dice: () => (this.mayRoll ? this.act("roll") : swapDice(this)),
    cube: () => this.ask("double"),
    touch: () => this.playback.hurry(),
  });
  voice = new Voice(() => this.setState({}));
  playback = new Playback(this);
  /** The view around the board: never later than the one on it. */
  shown: { view: View; moves: Entry[] };
  status = ""; // what was said of it last
  hears = { keydown: (event: KeyboardEvent) => pressKey(this, event), resize: () => this.paint(0) };
  awayTimer: number | undefined;

  constructor(props: Props) {
    super(props);
    props.match.news = [];
    this.shown = props.match;
  }

  componentDidMount() {
    super.componentDidMount();
    const { bottom, seat, view } = this.match;
    const dice = view.dice.length ? text.sayDice([...view.dice]) : "";
    if (seat !== null && view.phase !== "over")
      this.voice.say(
        `${text.colour}: ${text.colours[colourOf(bottom, bottom) ? "dark" : "light"]}. ${dice} ${statusText(this)}`,
      );
    this.componentDidUpdate();
    this.paint(0);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.playback.stop();
    clearTimeout(this.awayTimer);
  }

  componentDidUpdate() {
    const { props, state } = this;
    this.playback.catchUp();
    this.paint(stepMs());
    recallMoves(props.client, this.match).catch(() => {}); // then the sheet begins where we came
    leaveToServer(props.client, this.match, settings);
    if (state.asking && !this.asking) this.ask("");
    clearTimeout(this.awayTimer);
    if (this.match.isWaiting) this.awayTimer = setTimeout(() => this.setState({}), 1000);
  }

  get match() {
    return this.props.match;
  }

  words(scene: Scene) {
    return inWords(scene, this.match.nameOf, this.match.bottom);
  }

  /** Whether our own turn can be made on the board now. */
  get making() {
    const { match } = this;
    return match.isOurs && match.view.phase === "move" && !this.playback.isOn;
  }

  get turn() {
    const { match } = this;
    match.turn = turns.turnOf(match.view, match.bottom, match.turn ?? recallTurn(this));
    return match.turn;
  }

  paint(duration: number) {
    this.board.layout(isUpright());
    this.board.show(pictureOf(this), duration);
  }

  act<T extends Action>(type: T, fields: Partial<Fields<T>> = {}) {
    this.setState({ asking: "" });
    act(this.props.client, this.match, type, fields);
  }

  /** Ask something; "" = no longer. */
  ask(asking: string) {
    this.setState({ asking });
  }

  /** The question now: none, when what it was about is over. */
  get asking() {
    const { asking } = this.state;
    return asking && isOpen(this.match, asking.split(":")[0]) ? asking : "";
  }

  /** The result, told from others of this match. */
  get result() {
    return `${this.match.view.game} ${this.match.view.phase}`;
  }

  get hidesResult() {
    return this.state.hidden === this.result;
  }

  hideResult() {
    this.setState({ hidden: this.result });
  }

  /** Whether a tap on the dice rolls. */
  get mayRoll() {
    const { isOurs, view } = this.match;
    return isOurs && view.phase === "roll" && !this.playback.isOn && !this.asking && !this.match.isHalted;
  }

  render() {
    const { match, props } = this;
    const { view } = match;
    const mine = match.bottom;
    if (!this.playback.isAhead) this.shown = { view, moves: match.moves };
    return (
      <main class="match">
        <h1 class="hidden">{versus(view.players)}</h1>
        {playerPanel(this, 1 - mine, "opponent")}
        <div class="place">
          {holder(this.board)}
          {onBoard(this)}
        </div>
        {playerPanel(this, mine, "own")}
        {actionBar(this)}
        {view.phase === "open" ? (
          <section class="side" />
        ) : (
          <section class="side" aria-label={text.movesAndTalk}>
            {rulesLink(view.rules)}
            <Sheet moves={this.shown.moves} game={view.game} players={namesOf(view.players)} own={mine} />
            <MatchTalk client={props.client} match={match} />
          </section>
        )}
        {this.voice.drawn()}
      </main>
    );
  }
}
