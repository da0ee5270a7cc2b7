/** One match on the screen: the board, both players, and what can be done now. */

import { Component, createRef, h } from "preact";
import { Board } from "../../board/board.ts";
import type { Settings } from "../../device/settings.ts";
import { stepMs } from "../../device/settings.ts";
import * as turns from "../../model/turn.ts";
import type { Client } from "../../net/client.ts";
import type { Fields } from "../../net/connection.ts";
import type { Match } from "../../net/match.ts";
import type { Action } from "../../net/matches.ts";
import { act } from "../../net/matches.ts";
import { text } from "../../texts/text.ts";
import { MatchTalk } from "../talk.ts";
import { Voice } from "../voice.ts";
import { controls } from "./controls.ts";
import { pressKey } from "./keys.ts";
import { dropChecker, pickChecker, swapDice, tapPoint } from "./moving.ts";
import { pictureOf } from "./picture.ts";
import { Playback } from "./playback.ts";
import { shareButtons } from "./sharing.ts";
import { playerPanel, statusText } from "./status.ts";

type Props = {
  client: Client;
  match: Match;
  settings: Settings;
  go: (path: string) => void;
  open: (dialog: string) => void;
};
type State = {
  asking: string;
  chosen: number | null;
  typing: string | null;
  copied: string;
  asked: boolean;
  hints: boolean;
};
export class MatchScreen extends Component<Props, State> {
  state: State = { asking: "", chosen: null, typing: null, copied: "", asked: false, hints: true };
  place = createRef<HTMLDivElement>();
  input = createRef<HTMLInputElement>();
  board = new Board({
    point: (point) => tapPoint(this, point),
    pick: (point) => pickChecker(this, point),
    drop: (from, to) => dropChecker(this, from, to),
    dice: () => swapDice(this),
  });
  voice = new Voice(() => this.setState({}));
  playback = new Playback(this);
  keys = (event: KeyboardEvent) => pressKey(this, event);
  resized = () => this.paint(0);
  awayTimer: number | undefined;

  constructor(props: Props) {
    super(props);
    props.match.news = [];
  }

  componentDidMount() {
    this.place.current?.append(this.board.svg);
    addEventListener("keydown", this.keys);
    addEventListener("resize", this.resized);
    this.paint(0);
  }

  componentWillUnmount() {
    removeEventListener("keydown", this.keys);
    removeEventListener("resize", this.resized);
    this.playback.stop();
    clearTimeout(this.awayTimer);
  }

  componentDidUpdate() {
    this.playback.catchUp();
    this.paint(stepMs(this.props.settings));
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

  /** Whether our own turn can be made on the board now. */
  get making() {
    const { match } = this;
    return match.isOurs && match.view.phase === "move" && !this.playback.isOn;
  }

  get turn() {
    const { match } = this;
    match.turn = turns.turnOf(match.view, this.seat, match.turn);
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

  get canDouble() {
    const { view, seat } = this.match;
    return Boolean(view.rules.cube) && !view.crawford && (view.owner === null || view.owner === seat);
  }

  render() {
    const { match, props } = this;
    const { view } = match;
    const mine = this.seat;
    return h(
      "main",
      { class: "match" },
      h("h1", { class: "hidden" }, view.players.map((name) => name ?? text.someone).join(" – ")),
      playerPanel(this, 1 - mine, "opponent"),
      h("div", { class: "place", ref: this.place }),
      h(
        "section",
        { class: "controls", "aria-label": text.yourTurn },
        h("p", { class: `status ${match.isOurs ? "ours" : ""}` }, statusText(this)),
        props.client.notice ? h("p", { class: "notice", role: "alert" }, props.client.notice) : null,
        controls(this),
      ),
      playerPanel(this, mine, "own"),
      view.phase === "open"
        ? null
        : h(MatchTalk, { client: props.client, match, go: props.go, open: props.open, below: shareButtons(this) }),
      this.voice.drawn(),
    );
  }

  /** Whether something is wrong with what is being played, and the player has not said to go on. */
  get isStopped() {
    return this.match.isStopped && this.match.view.phase !== "over";
  }
}
