/** A match on the screen: the board, both players, the plays, and the actions that are possible now. */

import { Component, createRef, h } from "preact";
import { Board } from "../../core/board/board.ts";
import { type Settings, stepMs } from "../../core/device/settings.ts";
import { holder, namesOf, rulesLink, versus } from "../../core/look/parts.tsx";
import { inWords } from "../../core/look/story.ts";
import { MatchTalk } from "../../core/look/talk.tsx";
import { Voice } from "../../core/look/voice.tsx";
import type { Entry } from "../../core/model/moves.ts";
import type { Scene } from "../../core/model/scenes.ts";
import * as turns from "../../core/model/turn.ts";
import { toAct, type View } from "../../core/model/view.ts";
import type { Client } from "../../core/net/client.ts";
import type { Fields } from "../../core/net/connection.ts";
import type { Match } from "../../core/net/match.ts";
import { type Action, act, leaveToServer } from "../../core/net/matches.ts";
import { recallMoves } from "../../core/net/verdicts.ts";
import { text } from "../../core/texts/text.ts";
import { actionBar } from "./controls.tsx";
import { pressKey } from "./keys.ts";
import { dropChecker, pickChecker, recallTurn, swapDice, tapPoint } from "./moving.ts";
import { pictureOf } from "./picture.ts";
import { Playback } from "./playback.ts";
import { isOpen, onBoard } from "./questions.tsx";
import { Sheet } from "./sheet.tsx";
import { playerPanel } from "./status.tsx";

type Props = {
  client: Client;
  match: Match;
  settings: Settings;
  go: (path: string) => void;
  open: (dialog: string) => void;
};
/** asking: what is asked before it is done. hidden: the result whose card was put away. figures: luck and PR are asked for. */
type State = {
  asking: string;
  chosen: number | null;
  typing: string | null;
  copied: string;
  asked: boolean;
  hints: boolean;
  hidden: string;
  figures?: boolean;
};
export class MatchScreen extends Component<Props, State> {
  state: State = {
    asking: "",
    chosen: null,
    typing: null,
    copied: "",
    asked: false,
    hints: this.props.settings.ways === "on",
    hidden: "",
  };
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
  keys = (event: KeyboardEvent) => pressKey(this, event);
  resized = () => this.paint(0);
  awayTimer: number | undefined;

  constructor(props: Props) {
    super(props);
    props.match.news = [];
    this.shown = props.match;
  }

  componentDidMount() {
    addEventListener("keydown", this.keys);
    addEventListener("resize", this.resized);
    this.componentDidUpdate();
    this.paint(0);
  }

  componentWillUnmount() {
    removeEventListener("keydown", this.keys);
    removeEventListener("resize", this.resized);
    this.playback.stop();
    clearTimeout(this.awayTimer);
  }

  componentDidUpdate() {
    const { props, state } = this;
    this.playback.catchUp();
    this.paint(stepMs(props.settings));
    recallMoves(props.client, this.match).catch(() => {}); // then the sheet begins where we came
    leaveToServer(props.client, this.match, props.settings);
    if (state.asking && !this.asking) this.ask("");
    clearTimeout(this.awayTimer);
    if (this.isWaiting) this.awayTimer = setTimeout(() => this.setState({}), 1000);
  }

  get match() {
    return this.props.match;
  }

  /** The seat at the bottom. */
  get seat(): 0 | 1 {
    return this.match.seat === 1 ? 1 : 0;
  }

  nameOf(seat: number) {
    return seat === this.match.seat ? text.You : (this.match.view.players[seat] ?? text.someone);
  }

  /** The name of a scene. */
  words(scene: Scene) {
    return inWords(scene, (seat) => this.nameOf(seat), this.seat);
  }

  /** Whether our own turn can be made on the board now. */
  get making() {
    const { match } = this;
    return match.isOurs && match.view.phase === "move" && !this.playback.isOn;
  }

  get turn() {
    const { match } = this;
    match.turn = turns.turnOf(match.view, this.seat, match.turn ?? recallTurn(this));
    return match.turn;
  }

  paint(duration: number) {
    const portrait = innerWidth < 700 && innerHeight > innerWidth * 1.5;
    this.board.layout(portrait, this.props.settings.home === "left");
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
    return asking && isOpen(this, asking.split(":")[0]) ? asking : "";
  }

  /** Whether the opponent's offer waits for an answer. */
  get isAsked() {
    return this.match.isOurs && ["cube", "resign"].includes(this.match.view.phase);
  }

  /** Whether the match waits for a player who is away, and may be claimed in a while. */
  get isWaiting() {
    const { view, seat, claimIn, online } = this.match;
    if (seat === null || claimIn === null || ["over", "open"].includes(view.phase)) return false;
    return !online[1 - seat] && toAct(view).includes(1 - seat) && !toAct(view).includes(seat);
  }

  /** The result, told from others of this match. */
  get result() {
    const { game, phase } = this.match.view;
    return `${game} ${phase}`;
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
    return isOurs && view.phase === "roll" && !this.playback.isOn && !this.asking && !this.isStopped;
  }

  get canDouble() {
    const { view, seat } = this.match;
    return this.hasCube && !view.crawford && (view.owner === null || view.owner === seat);
  }

  /** Whether there is a cube that may be turned some time. */
  get hasCube() {
    const { rules, phase } = this.match.view;
    return Boolean(rules.cube) && rules.length !== 1 && phase !== "open";
  }

  render() {
    const { match, props } = this;
    const { view } = match;
    const mine = this.seat;
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
            <MatchTalk client={props.client} match={match} open={props.open} />
          </section>
        )}
        {this.voice.drawn()}
      </main>
    );
  }

  /** Whether something is wrong with what is being played, and the player has not said to go on. */
  get isStopped() {
    return this.match.isStopped && this.match.view.phase !== "over";
  }
}
