/** One match on the screen: the board, both players, and what can be done now. */
import { Component, createRef, h } from "preact";
import type { Picture } from "../board/board.ts";
import { Board } from "../board/board.ts";
import type { Settings } from "../device/settings.ts";
import { stepMs } from "../device/settings.ts";
import { copy, invited, save } from "../device/share.ts";
import { play } from "../device/sounds.ts";
import { positionId } from "../model/gnuid.ts";
import { mat } from "../model/mat.ts";
import type { Scene } from "../model/scenes.ts";
import { lastMoves, notation, rowsOf } from "../model/scenes.ts";
import * as turns from "../model/turn.ts";
import { kindOf } from "../model/verdict.ts";
import { pips, toAct } from "../model/view.ts";
import type { Client, Match } from "../net/client.ts";
import { text } from "../texts/text.ts";
import { Clock, minutes } from "./clock.ts";
import { entered } from "./parts.ts";
import { asSound, inWords, outcome } from "./story.ts";
import { MatchTalk } from "./talk.ts";
import { Voice } from "./voice.ts";

const until = (seconds: number) =>
  seconds < 3600
    ? minutes(1000 * seconds)
    : seconds < 172_800
      ? text.hours(Math.ceil(seconds / 3600))
      : text.days(Math.ceil(seconds / 86_400));

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
  now: number;
  copied: string;
  asked: boolean;
  hints: boolean;
};
export class MatchScreen extends Component<Props, State> {
  state: State = { asking: "", chosen: null, typing: null, now: 0, copied: "", asked: false, hints: true };
  place = createRef<HTMLDivElement>();
  input = createRef<HTMLInputElement>();
  board = new Board({
    point: (point) => this.tap(point),
    pick: (point) => this.pick(point),
    drop: (from, to) => this.drop(from, to),
    dice: () => this.swap(),
  });
  queue: Scene[] = [];
  voice = new Voice(() => this.setState({}));
  timer: ReturnType<typeof setTimeout> | undefined = undefined;
  keys = (event: KeyboardEvent) => this.key(event);
  resized = () => this.paint(0);
  scene: Scene | undefined;
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
    clearTimeout(this.timer);
    clearTimeout(this.awayTimer);
  }

  componentDidUpdate() {
    this.catchUp();
    this.paint(stepMs(this.props.settings));
  }

  // --- what has happened is shown in order ---

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

  /** Tell what is new, and show it one after the other. */
  catchUp() {
    const news = this.notMade(this.match.news);
    this.match.news = [];
    if (news.some(({ rows }) => rows)) this.match.turn = null;
    for (const scene of news) this.voice.say(inWords(scene, (seat) => this.nameOf(seat)));
    if (stepMs(this.props.settings)) this.queue.push(...news);
    else for (const scene of news) this.sound(scene);
    if (this.queue.length && !this.playing) this.next();
  }

  /** Without what the player has made on this board: it was seen and said. */
  notMade(news: Scene[]) {
    const { turn, seat } = this.match;
    if (!turn?.steps.length) return news;
    const { mine, theirs } = turns.position(turn);
    const rows = String(seat ? [theirs, mine] : [mine, theirs]);
    const made = news.findIndex(
      (scene) => scene.what === "moved" && scene.whole && scene.seat === seat && String(scene.rows) === rows,
    );
    return news.slice(made + 1);
  }

  /** Show the next scene; the last one is followed by what is now. */
  next() {
    clearTimeout(this.timer);
    const { playing } = this;
    this.timer = undefined;
    let scene = this.queue.shift();
    for (; scene; scene = this.queue.shift()) {
      this.sound(scene);
      if (scene.rows) break;
    }
    if (scene) {
      const ms = stepMs(this.props.settings);
      this.scene = scene;
      this.timer = setTimeout(() => this.next(), scene.what === "moved" ? ms + 60 : 2 * ms);
      if (playing) return this.paint(ms); // around the board nothing changes between two scenes
    }
    this.setState({ chosen: null });
  }

  /** Whether something is being shown that has happened. */
  get playing() {
    return this.timer !== undefined;
  }

  skip() {
    this.queue = [];
    this.next();
  }

  sound(scene: Scene) {
    const sound = asSound(scene, scene.seat === this.match.seat);
    if (sound && this.props.settings.sound === "on") play(sound);
  }

  // --- the picture ---

  /** Whether our own turn can be made on the board now. */
  get making() {
    const { match } = this;
    return match.isOurs && match.view.phase === "move" && !this.queue.length && !this.playing;
  }

  get turn() {
    const { match } = this;
    match.turn = turns.turnOf(match.view, this.seat, match.turn);
    return match.turn;
  }

  paint(duration: number) {
    const portrait = innerWidth < 700 && innerHeight > innerWidth * 1.5;
    this.board.layout(portrait, this.props.settings.home === "left");
    this.board.show(this.picture(), duration);
  }

  picture(): Picture {
    const { match, seat } = this;
    const { view } = match;
    const blank = {
      sources: new Set() as Set<number>,
      targets: new Set() as Set<number>,
      arrows: [] as [number, number][],
      chosen: null,
      canSwap: false,
    };
    const common = { colour: this.colourOf(seat), cube: this.cube(), cubeText: this.cubeText(), ...blank };
    if (this.playing && this.scene?.rows) {
      const { rows, dice, seat: roller, last } = this.scene;
      const marks = last.map((one) => ({ ...one, mine: one.seat === seat }));
      const shown = dice.map((value) => ({ value, used: false }));
      return {
        ...common,
        mine: rows[seat],
        theirs: rows[1 - seat],
        dice: shown,
        diceMine: roller === seat,
        last: marks,
      };
    }
    const last = lastMoves(view).map((one) => ({ ...one, mine: one.seat === seat }));
    if (!this.making) {
      const rows = rowsOf(view);
      const dice = view.dice.map((value) => ({ value, used: false }));
      return { ...common, mine: rows[seat], theirs: rows[1 - seat], dice, diceMine: view.turn === seat, last };
    }
    const turn = this.turn;
    const rest = turns.left(turn);
    const dice = turn.dice.map((value) => {
      const index = rest.indexOf(value);
      if (index >= 0) rest.splice(index, 1);
      return { value, used: index < 0 };
    });
    const { chosen } = this.state;
    const targets = new Set(chosen === null ? [] : turns.goals(turn, chosen).keys());
    const canSwap = !turn.steps.length && turn.dice.length === 2;
    return {
      ...common,
      ...turns.position(turn),
      dice,
      diceMine: true,
      last,
      sources: turns.sources(turn),
      chosen,
      targets,
      canSwap,
      arrows: this.arrows(),
    };
  }

  /** Where a hint points: the ways of the chosen checker, or of all that can be moved. */
  arrows(): [number, number][] {
    if (!this.match.view.rules.hints || !this.state.hints) return [];
    const { chosen } = this.state;
    const from = chosen === null ? [...turns.sources(this.turn)] : [chosen];
    const ways = from.flatMap((one) => [...turns.goals(this.turn, one).values()]);
    const steps = ways
      .flatMap((way) => (chosen === null ? way.slice(0, 1) : way))
      .map((step) => `${step.from} ${step.to}`);
    return [...new Set(steps)].map((step) => step.split(" ").map(Number) as [number, number]);
  }

  /** How a seat's checkers are drawn: 0 = light. */
  colourOf(seat: number): 0 | 1 {
    const { colour } = this.props.settings;
    const own = colour === "seat" ? this.seat : colour === "light" ? 0 : 1;
    return seat === this.seat ? own : ((1 - own) as 0 | 1);
  }

  cube(): Picture["cube"] {
    const { view, seat } = this.match;
    if (!view.rules.cube || view.phase === "open") return null;
    const own = seat ?? 0;
    if (view.offer !== null)
      return { value: 2 * view.cube, place: view.offer === own ? "offered by me" : "offered to me" };
    return { value: view.cube, place: view.owner === null ? "middle" : view.owner === own ? "mine" : "theirs" };
  }

  // --- a turn is made ---

  /**
   * A point was tapped. Chosen already, or by the player's setting at once: its checker goes by the first die. The
   * tray: whatever the first die can bear off. A target of the only checker that can move: that one goes.
   */
  tap(point: number) {
    if (this.playing) return this.skip();
    if (!this.making) return;
    const { turn } = this;
    const { chosen } = this.state;
    const sources = turns.sources(turn);
    const only = sources.size === 1 ? [...sources][0] : null; // such as the bar: no need to choose it
    const from = chosen ?? (only !== null && only !== point && turns.goals(turn, only).has(point) ? only : null);
    const way = from !== null && from !== point ? turns.goals(turn, from).get(point) : undefined;
    const atOnce = from === point || (from === null && this.props.settings.tap === "move" && sources.has(point));
    const made = way ?? (atOnce ? this.firstWay([point]) : point === 0 ? this.firstWay([...sources], 0) : undefined);
    if (made) this.play(made);
    else this.setState({ chosen: sources.has(point) && point !== chosen ? point : null });
  }

  /** The step by the die that is first, of one of these checkers. */
  firstWay(from: number[], to: number | null = null) {
    const ways = from.flatMap((one) => [...turns.goals(this.turn, one).values()]);
    const single = ways.filter((way) => way.length === 1 && (to === null || way[0].to === to));
    const dice = turns.left(this.turn);
    return single.sort((a, b) => dice.indexOf(a[0].die) - dice.indexOf(b[0].die))[0];
  }

  pick(point: number) {
    if (!this.making || !turns.sources(this.turn).has(point)) return false;
    this.setState({ chosen: point });
    return true;
  }

  drop(from: number, to: number) {
    const way = this.making ? turns.goals(this.turn, from).get(to) : undefined;
    if (way) this.play(way);
    else this.setState({ chosen: null }, () => this.board.show(this.picture(), 0));
  }

  play(way: import("../model/plays.ts").Step[]) {
    this.match.turn = turns.play(this.turn, way);
    this.props.client.notice = "";
    this.setState({ chosen: null });
    if (this.props.settings.sound === "on") play("checker");
    this.voice.say(
      `${notation(way.map(({ from, to }) => [from, to]))}. ${turns.isDone(this.match.turn) ? text.finishTurn : ""}`.trim(),
    );
  }

  undo(all = false) {
    if (!this.making) return;
    this.match.turn = all ? { ...this.turn, steps: [] } : turns.undo(this.turn);
    this.setState({ chosen: null });
    this.voice.say(text.undo);
  }

  swap() {
    if (!this.making || this.turn.steps.length) return;
    this.match.turn = turns.swap(this.turn);
    this.setState({ chosen: null });
  }

  done() {
    if (!this.making || !turns.isDone(this.turn)) return;
    const { mine, theirs } = turns.position(this.turn);
    this.match.witness.sent = { number: this.match.view.rolls, rows: `${this.seat ? [theirs, mine] : [mine, theirs]}` };
    this.act("move", { moves: turns.movesOf(this.turn) });
  }

  act(type: string, fields?: Record<string, unknown>) {
    this.setState({ asking: "" });
    this.props.client.act(this.match, type, fields);
  }

  // --- keys ---

  key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
    const { view } = this.match;
    const canRoll = this.match.isOurs && view.phase === "roll";
    const does: Record<string, () => void> = {
      r: () => canRoll && this.act("roll"),
      d: () => (this.making ? this.done() : canRoll && this.canDouble && this.setState({ asking: "double" })),
      u: () => this.undo(),
      x: () => this.swap(),
      h: () => this.setState({ hints: !this.state.hints }),
      i: () => this.voice.say(text.sayDice(this.making ? turns.left(this.turn) : [...view.dice])),
      p: () => this.voice.say(text.sayPips(pips(rowsOf(view)[this.seat]), pips(rowsOf(view)[1 - this.seat]))),
      s: () =>
        this.voice.say(`${text.sayScore(view.score[this.seat], view.score[1 - this.seat])} ${this.cubeText()}`.trim()),
      c: () => this.voice.say(this.clockText()),
      "?": () => this.setState({ asking: "help" }),
      Escape: () => (this.playing ? this.skip() : this.setState({ asking: "", chosen: null, typing: null })),
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[0-9b]$/.test(key) && this.making) {
      event.preventDefault();
      this.setState({ typing: key }, () => this.input.current?.focus());
    } else if (key === "Enter" && target === document.body && canRoll) this.act("roll");
    else does[key]?.();
  }

  /** The cube, in words; "": there is none. */
  cubeText() {
    const cube = this.cube();
    if (!cube) return "";
    const owner = cube.place.split(" ")[0] as keyof typeof text.cubeOwners;
    return text.cube(cube.value, text.cubeOwners[owner]);
  }

  clockText() {
    const [mine, theirs] = [this.match.time(this.seat), this.match.time(1 - this.seat)];
    return mine && theirs ? text.sayClock(minutes(mine.reserve), minutes(theirs.reserve)) : text.sayNoClock;
  }

  typed(event: Event) {
    event.preventDefault();
    const turn = this.making ? turns.typed({ ...this.turn, steps: [] }, this.state.typing ?? "") : null;
    if (turn === null) return this.props.client.say(text.badMove);
    this.match.turn = turn;
    this.props.client.notice = "";
    this.setState({ typing: null, chosen: null });
    this.voice.say(turns.isDone(turn) ? text.finishTurn : "");
    this.board.focus(this.board.focused);
  }

  get canDouble() {
    const { view, seat } = this.match;
    return Boolean(view.rules.cube) && !view.crawford && (view.owner === null || view.owner === seat);
  }

  // --- drawn ---

  render() {
    const { match, props } = this;
    const { view } = match;
    const mine = this.seat;
    return h(
      "main",
      { class: "match" },
      h("h1", { class: "hidden" }, view.players.map((name) => name ?? text.someone).join(" – ")),
      this.player(1 - mine, "opponent"),
      h("div", { class: "place", ref: this.place }),
      h(
        "section",
        { class: "controls", "aria-label": text.yourTurn },
        h("p", { class: `status ${match.isOurs ? "ours" : ""}` }, this.status()),
        props.client.notice ? h("p", { class: "notice", role: "alert" }, props.client.notice) : null,
        this.controls(),
      ),
      this.player(mine, "own"),
      view.phase === "open"
        ? null
        : h(MatchTalk, { client: props.client, match, go: props.go, open: props.open, below: this.share() }),
      this.voice.drawn(),
    );
  }

  player(seat: number, where: string) {
    const { match } = this;
    const { view } = match;
    const isOn = toAct(view).includes(seat);
    return h(
      "section",
      { class: `player ${where} ${isOn ? "on" : ""}`, "aria-label": view.players[seat] ?? text.waiting },
      h("span", { class: `stone ${this.colourOf(seat) ? "black" : "white"}`, "aria-hidden": "true" }),
      h(
        "span",
        { class: "who" },
        h("b", null, view.players[seat] ?? text.freeSeat),
        view.ratings[seat] ? h("small", null, String(view.ratings[seat])) : null,
        h("i", {
          class: match.online[seat] ? "here" : "away",
          title: match.online[seat] ? text.online : text.offlineNow,
        }),
      ),
      isOn &&
        h(
          "span",
          {
            class: "turn",
            role: "img",
            title: text.toAct(this.nameOf(seat)),
            "aria-label": text.toAct(this.nameOf(seat)),
          },
          "◀",
        ),
      h("span", { class: "pips", title: text.pips }, h("b", null, String(pips(rowsOf(view)[seat]))), ` ${text.pips}`),
      view.clock && h(Clock, { match, seat, online: this.props.client.online }),
      h(
        "span",
        { class: "score", title: text.score },
        h("b", null, String(view.score[seat])),
        h("small", null, ` / ${view.rules.length || "∞"}`),
      ),
    );
  }

  /** What is going on, in a few words. */
  status() {
    const { match } = this;
    const { view, seat } = match;
    const crawford = view.crawford ? ` ${text.crawford}.` : "";
    if (!this.props.client.online) return text.offline;
    if (match.replaced) return text.replaced;
    if (this.isStopped) return text.stopped;
    if (view.phase === "open") return seat === null ? text.freeSeat : text.waiting;
    if (view.phase === "reveal") return text.revealing;
    if (view.phase === "over") return outcome(view, (one) => this.nameOf(one));
    if (view.phase === "ready") return outcome(view, (one) => this.nameOf(one));
    if (view.phase === "resign" && view.resignation) {
      const [by, kind] = view.resignation;
      return by === seat
        ? text.theirTurn(this.nameOf(1 - by))
        : text.offersResign(this.nameOf(by), kind, kind * view.cube);
    }
    if (view.offer !== null) {
      return view.offer === seat
        ? text.theirTurn(this.nameOf(1 - view.offer))
        : text.doubles(this.nameOf(view.offer), 2 * view.cube);
    }
    if (!match.isOurs)
      return (seat === null ? `${text.watching} ` : "") + text.theirTurn(this.nameOf(toAct(view)[0] ?? 0)) + crawford;
    if (view.phase === "roll") return (this.canDouble ? text.yourRoll : text.yourTurn) + crawford;
    return (this.making && turns.isDone(this.turn) ? text.finishTurn : text.yourMove) + crawford;
  }

  controls() {
    const { match, props } = this;
    const { view, seat } = match;
    if (this.isStopped) return this.stopped();
    const asking = this.asking();
    if (asking) return asking;
    if (match.replaced)
      return h(
        "div",
        { class: "buttons" },
        this.button(text.takeBack, () => props.client.attach(match), "main"),
      );
    if (view.phase === "open") return this.open();
    if (view.phase === "over") return this.over();
    if (seat === null) return this.away();
    return [this.aborting(), h("div", { class: "buttons" }, this.choices(), this.away())];
  }

  /** Whether something is wrong with what is being played, and the player has not said to go on. */
  get isStopped() {
    return this.match.isStopped && this.match.view.phase !== "over";
  }

  /** What is wrong; nothing is sent until the player goes on. */
  stopped() {
    const { match, props } = this;
    return h(
      "div",
      { class: "asking" },
      match.witness.faults.slice(match.waived).map((fault) => h("p", { class: "verdict wrong", role: "alert" }, fault)),
      h("p", null, text.stoppedHelp),
      h(
        "div",
        { class: "buttons" },
        this.button(text.toLobby, () => props.go("/"), "main"),
        this.button(text.goOn, () => props.client.goOn(match), "danger"),
      ),
    );
  }

  /** What can be done now. */
  choices() {
    const { match } = this;
    const { view } = match;
    const value = view.cube;
    const resign = ["roll", "move", "cube"].includes(view.phase)
      ? [
          view.rules.resignations !== false
            ? this.button(text.resign, () => this.setState({ asking: "resign" }), "quiet")
            : null,
          this.wantsAbort(match.seat ?? 0)
            ? null
            : this.button(text.abort, () => this.setState({ asking: "abort" }), "quiet"),
        ]
      : null;
    if (view.phase === "ready") {
      return match.isOurs
        ? [
            this.button(text.nextGame, () => this.act("ready"), "main"),
            view.rules.length === 0 ? this.button(text.leaveMoney, () => this.act("leave")) : null,
          ]
        : null;
    }
    if (!match.isOurs || this.playing) return resign;
    switch (view.phase) {
      case "roll":
        return [
          this.button(text.roll, () => this.act("roll"), "main"),
          this.canDouble ? this.button(text.double, () => this.setState({ asking: "double" })) : null,
          resign,
        ];
      case "cube":
        return [
          this.button(text.takeFor(2 * value), () => this.act("take"), "main"),
          view.rules.beavers ? this.button(text.beaver, () => this.act("beaver")) : null,
          this.button(text.dropFor(value), () => this.setState({ asking: "drop" })),
        ];
      case "resign":
        return [
          this.button(text.accept, () => this.act("accept"), "main"),
          this.button(text.refuse, () => this.act("refuse")),
        ];
      case "move":
        return this.moving(resign);
    }
    return null;
  }

  moving(resign: import("preact").ComponentChildren) {
    if (!this.making) return null;
    const turn = this.turn;
    const { typing } = this.state;
    return [
      this.button(text.done, () => this.done(), "main", !turns.isDone(turn)),
      this.button(text.undo, () => this.undo(), "", !turn.steps.length),
      turn.steps.length > 1 ? this.button(text.undoAll, () => this.undo(true), "quiet") : null,
      typing === null
        ? null
        : h(
            "form",
            { class: "typing", onSubmit: (event: Event) => this.typed(event) },
            h("input", {
              ref: this.input,
              value: typing,
              "aria-label": text.typeMove,
              placeholder: text.typeMove,
              autocomplete: "off",
              onInput: entered((typing) => this.setState({ typing })),
              onKeyDown: (event: KeyboardEvent) => event.key === "Escape" && this.setState({ typing: null }),
            }),
          ),
      resign,
    ];
  }

  /** A question that is asked before something that cannot be taken back. */
  asking() {
    const { view } = this.match;
    const { asking } = this.state;
    const [what, kind] = asking.split(":");
    const back = this.button(text.back, () => this.setState({ asking: "" }));
    const ask = (question: string, yes: import("preact").ComponentChildren) =>
      h(
        "div",
        { class: "asking", role: "group", "aria-label": question },
        h("p", null, question),
        h("div", { class: "buttons" }, back, yes),
      );
    if (what === "double" && view.phase === "roll")
      return ask(
        text.askDouble(2 * view.cube),
        this.button(text.yesDouble, () => this.act("double"), "main"),
      );
    if (what === "drop" && view.phase === "cube")
      return ask(
        text.askDrop(view.cube),
        this.button(text.yesDrop, () => this.act("drop"), "danger"),
      );
    if (what === "resign" && kind) {
      return ask(
        text.askResign(Number(kind), Number(kind) * view.cube),
        this.button(text.yesResign, () => this.act("resign", { value: Number(kind) }), "danger"),
      );
    }
    if (what === "resign") {
      return ask(
        text.resignAs,
        [1, 2, 3].map((one) =>
          this.button(text.resignKind(one, one * view.cube), () => this.setState({ asking: `resign:${one}` })),
        ),
      );
    }
    if (what === "abort")
      return ask(
        text.askAbort,
        this.button(text.yesAbort, () => this.act("abort"), "danger"),
      );
    if (what === "help") {
      return h(
        "div",
        { class: "asking", role: "group", "aria-label": text.help },
        h(
          "dl",
          { class: "keys" },
          text.keys.map(([key, does]) => [h("dt", null, key), h("dd", null, does)]),
        ),
        h(
          "div",
          { class: "buttons" },
          this.button(text.close, () => this.setState({ asking: "" }), "main"),
        ),
      );
    }
    return null;
  }

  open() {
    const { match, props } = this;
    const link = `${invited()}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
    if (match.seat === null) {
      return h(
        "div",
        { class: "buttons" },
        this.button(text.sitDown, () => props.client.tell(props.client.join(match.id, match.code)), "main"),
      );
    }
    return [
      h("p", null, text.sendLink),
      h("input", {
        class: "link",
        readonly: true,
        value: link,
        "aria-label": text.copy,
        onFocus: (event) => event.currentTarget.select(),
      }),
      h(
        "div",
        { class: "buttons" },
        this.copyButton(text.copy, () => link, "main"),
        this.button(text.closeTable, () => {
          props.client.act(match, "cancel");
          props.go("/");
        }),
      ),
    ];
  }

  over() {
    const { match, props } = this;
    const rematch = async () => {
      this.setState({ asked: true });
      const next = await props.client.rematch(match);
      if (next) props.go(`/m/${next}`);
    };
    const { verdict } = match;
    return [
      verdict && h("p", { class: `verdict ${kindOf(verdict)}`, role: "status" }, verdict.text),
      h(
        "div",
        { class: "buttons" },
        match.next ? this.button(text.watch, () => props.go(`/m/${match.next}`), "main") : null,
        match.seat !== null && match.view.outcome
          ? this.button(
              this.state.asked ? text.rematchAsked : text.rematch,
              () => props.client.tell(rematch()),
              "main",
              this.state.asked,
            )
          : null,
        this.again(),
        match.view.rolls
          ? this.button(text.replay, () => props.go(`/m/${match.id}?replay${match.code ? `#${match.code}` : ""}`))
          : null,
        this.proof(),
        this.button(text.toLobby, () => props.go("/")),
      ),
    ];
  }

  /** A quick match that came to nothing: look for another one. */
  again() {
    const { match, props } = this;
    const { found, sought, seeking } = props.client;
    if (match.view.game || found !== match.id || !sought || seeking) return null;
    return this.button(
      text.seekAgain,
      () => props.client.tell(props.client.seek(sought.rules).then(() => props.go("/"))),
      "main",
    );
  }

  /** What proves that we have revealed our seed, as a file. */
  proof() {
    const { match, props } = this;
    const proof = match.view.game ? undefined : props.client.pledges.proofs().find((one) => one.match === match.id);
    return proof
      ? this.button(text.saveProof, () => save(`${match.id}.proof.json`, JSON.stringify(proof, null, 2)))
      : null;
  }

  /** Whether a seat's wish to abort the match stands. */
  wantsAbort(seat: number) {
    const { aborts, rolls } = this.match.view;
    const at = aborts[seat];
    return at !== null && rolls <= at + 1;
  }

  /** The wish of one player to end the match without a winner. */
  aborting() {
    const { match } = this;
    const seat = match.seat ?? 0;
    const mine = this.wantsAbort(seat);
    if (match.view.phase === "reveal" || !(mine || this.wantsAbort(1 - seat))) return null;
    return h(
      "div",
      { class: "asking", role: "group", "aria-label": text.abort },
      h("p", null, mine ? text.abortAsked : text.wantsAbort(this.nameOf(1 - seat))),
      h(
        "div",
        { class: "buttons" },
        mine
          ? this.button(text.takeAbortBack, () => this.act("abort", { on: false }))
          : this.button(text.agree, () => this.act("abort")),
      ),
    );
  }

  /** The other player is not there; when the match waits for them, it may be claimed in a while. */
  away() {
    const { match } = this;
    const { view, seat } = match;
    const other = 1 - (seat ?? 0);
    if (match.online[other] || ["over", "open"].includes(view.phase)) return null;
    const name = this.nameOf(other);
    if (match.claimAt === null || seat === null || !toAct(view).includes(other) || toAct(view).includes(seat)) {
      return seat === null ? null : h("p", { class: "away" }, text.awayNow(name));
    }
    const seconds = Math.ceil((match.claimAt - performance.now()) / 1000);
    if (seconds <= 0) return this.button(text.claim, () => this.act("claim"), "main");
    clearTimeout(this.awayTimer);
    this.awayTimer = setTimeout(() => this.setState({ now: performance.now() }), 1000);
    return h("p", { class: "away" }, text.away(name, until(seconds)));
  }

  /** What can be taken away from here. */
  share() {
    const { match } = this;
    const { view } = match;
    const link = `${invited()}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
    const onRoll = ["roll", "move", "cube"].includes(view.phase) ? view.turn : this.seat;
    const id = () => positionId(rowsOf(view)[onRoll], rowsOf(view)[1 - onRoll]);
    const file = async () => {
      const { events, verdict } = await this.props.client.judged(match.id, match.code);
      const unverified = verdict.sound ? "" : text.notVerified(verdict.text);
      save(`${match.id}.mat`, mat(match.id, view, events, unverified));
      if (verdict.sound === false) this.props.client.say(unverified);
    };
    return h(
      "div",
      { class: "share" },
      this.copyButton(text.copy, () => link, "quiet"),
      this.copyButton(text.copyPosition, id, "quiet"),
      this.button(text.exportMat, () => this.props.client.tell(file()), "quiet"),
    );
  }

  /** A button that copies something, and says so. */
  copyButton(words: string, what: () => string, kind: string) {
    const does = async () =>
      (await copy(what())) && this.setState({ copied: words }, () => this.voice.say(text.copied));
    return this.button(this.state.copied === words ? text.copied : words, () => void does(), kind);
  }

  button(words: string, does: () => void, kind: string = "", disabled: boolean = false) {
    return h("button", { type: "button", class: kind, onClick: does, disabled }, words);
  }
}
