/**
 * One match on the screen: the board, both players, and what can be done now.
 *
 * @import {Client, Match} from "./client.js"
 * @import {Settings} from "./settings.js"
 * @import {Scene} from "./scenes.js"
 * @import {Picture} from "./board.js"
 */
import { Component, createRef, h } from "preact";
import { Board } from "./board.js";
import { lastMoves, notation, rowsOf, scenes } from "./scenes.js";
import { stepMs } from "./settings.js";
import { text } from "./text.js";
import * as turns from "./turn.js";
import { pips, toAct } from "./view.js";

const TICK_MS = 200; // the clocks

/** @param {number} ms */
const minutes = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1000)).padStart(2, "0")}`;

/**
 * @typedef {{client: Client, match: Match, settings: Settings, go: (path: string) => void}} Props
 * @typedef {{asking: string, chosen: number | null, playing: boolean, typing: string | null, now: number, copied: boolean, asked: boolean}} State
 * @extends {Component<Props, State>}
 */
export class MatchScreen extends Component {
  /** @param {Props} props */
  constructor(props) {
    super(props);
    /** @type {State} */
    this.state = { asking: "", chosen: null, playing: false, typing: null, now: 0, copied: false, asked: false };
    this.place = createRef();
    this.input = createRef();
    this.board = new Board({
      point: (point) => this.tap(point),
      pick: (point) => this.pick(point),
      drop: (from, to) => this.drop(from, to),
      dice: () => this.swap(),
    });
    this.shown = props.match.view;
    /** @type {Scene[]} */
    this.queue = [];
    this.spoken = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    this.resized = () => this.paint(0);
  }

  componentDidMount() {
    this.place.current.append(this.board.svg);
    addEventListener("keydown", this.keys);
    addEventListener("resize", this.resized);
    this.clock = setInterval(() => this.props.match.view.clock && this.setState({ now: performance.now() }), TICK_MS);
    this.paint(0);
  }

  componentWillUnmount() {
    removeEventListener("keydown", this.keys);
    removeEventListener("resize", this.resized);
    clearInterval(this.clock);
    clearTimeout(this.timer);
  }

  componentDidUpdate() {
    this.catchUp();
    this.paint(stepMs(this.props.settings));
  }

  // --- what has happened is shown in order ---

  get match() {
    return this.props.match;
  }

  /** The seat at the bottom. @returns {0 | 1} */
  get seat() {
    return this.match.seat === 1 ? 1 : 0;
  }

  /** @param {number} seat */
  nameOf(seat) {
    return seat === this.match.seat ? text.You : (this.match.view.players[seat] ?? text.someone);
  }

  /** Queue what is new; what the player has just made on this board is not shown again. */
  catchUp() {
    const { view } = this.match;
    if (view === this.shown) return;
    const before = this.shown;
    this.shown = view;
    if (`${before.points}` === `${view.points}` && before.rolls === view.rolls) return;
    let news = scenes(before, view, (seat) => this.nameOf(seat));
    const mine = this.match.turn && turns.position(this.match.turn);
    if (mine && before.phase === "move" && before.turn === this.match.seat) {
      const rows = this.seat ? [mine.theirs, mine.mine] : [mine.mine, mine.theirs];
      const made = news.findIndex((scene) => scene.roller === this.match.seat && `${scene.rows}` === `${rows}`);
      if (made >= 0) news = news.slice(made + 1);
    }
    this.match.turn = null;
    this.speak(news.map((scene) => scene.words).filter(Boolean).join(" "));
    if (stepMs(this.props.settings)) this.queue.push(...news);
    if (this.queue.length && !this.state.playing) this.next();
  }

  next() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const scene = this.queue.shift();
    if (this.state.playing !== Boolean(scene)) this.setState({ playing: Boolean(scene), chosen: null });
    if (!scene) return this.paint(0);
    const ms = stepMs(this.props.settings);
    this.scene = scene;
    this.paint(ms);
    this.timer = setTimeout(() => this.next(), scene.last.length ? ms + 60 : 2 * ms);
  }

  skip() {
    this.queue = [];
    this.next();
  }

  /** Say something to a screen reader, once. @param {string} words */
  speak(words) {
    if (words && words !== this.spoken) this.setState(() => ((this.spoken = words), {}));
  }

  // --- the picture ---

  /** Whether our own turn can be made on the board now. */
  get making() {
    const { match } = this;
    return match.isOurs && match.view.phase === "move" && !this.queue.length && this.timer === undefined;
  }

  get turn() {
    const { match } = this;
    match.turn = turns.turnOf(match.view, this.seat, match.turn);
    return match.turn;
  }

  /** @param {number} duration */
  paint(duration) {
    const portrait = innerWidth < 700 && innerHeight > innerWidth * 1.5;
    this.board.layout(portrait, this.props.settings.home === "left");
    this.board.show(this.picture(), duration);
  }

  /** @returns {Picture} */
  picture() {
    const { match, seat } = this;
    const { view } = match;
    const blank = { sources: /** @type {Set<number>} */ (new Set()), targets: /** @type {Set<number>} */ (new Set()), chosen: null, canSwap: false };
    const common = { colour: seat, cube: this.cube(), ...blank };
    if (this.timer !== undefined && this.scene) {
      const { rows, dice, roller, last } = this.scene;
      const marks = last.map((one) => ({ ...one, mine: one.seat === seat }));
      const shown = dice.map((value) => ({ value, used: false }));
      return { ...common, mine: rows[seat], theirs: rows[1 - seat], dice: shown, diceMine: roller === seat, last: marks };
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
    return { ...common, ...turns.position(turn), dice, diceMine: true, last, sources: turns.sources(turn), chosen, targets, canSwap };
  }

  /** @returns {Picture["cube"]} */
  cube() {
    const { view, seat } = this.match;
    if (!view.rules.cube || view.phase === "open") return null;
    const own = seat ?? 0;
    if (view.offer !== null) return { value: 2 * view.cube, place: view.offer === own ? "offered by me" : "offered to me" };
    return { value: view.cube, place: view.owner === null ? "middle" : view.owner === own ? "mine" : "theirs" };
  }

  // --- a turn is made ---

  /** A point was tapped. Chosen already: its checker goes by the first die. @param {number} point */
  tap(point) {
    if (this.state.playing) return this.skip();
    if (!this.making) return;
    const { turn } = this;
    const { chosen } = this.state;
    const sources = turns.sources(turn);
    const only = sources.size === 1 ? [...sources][0] : null; // such as the bar: no need to choose it
    const from = chosen ?? (only !== null && only !== point && turns.goals(turn, only).has(point) ? only : null);
    const way = from === null ? undefined : from === point ? this.firstWay(from) : turns.goals(turn, from).get(point);
    if (way) this.play(way);
    else this.setState({ chosen: sources.has(point) && point !== chosen ? point : null });
  }

  /** The step of a checker by the die that is first. @param {number} from */
  firstWay(from) {
    const single = [...turns.goals(this.turn, from).values()].filter((way) => way.length === 1);
    const dice = turns.left(this.turn);
    return single.sort((a, b) => dice.indexOf(a[0].die) - dice.indexOf(b[0].die))[0];
  }

  /** @param {number} point */
  pick(point) {
    if (!this.making || !turns.sources(this.turn).has(point)) return false;
    this.setState({ chosen: point });
    return true;
  }

  /** @param {number} from @param {number} to */
  drop(from, to) {
    const way = this.making ? turns.goals(this.turn, from).get(to) : undefined;
    if (way) this.play(way);
    else this.setState({ chosen: null }, () => this.board.show(this.picture(), 0));
  }

  /** @param {import("./plays.js").Step[]} way */
  play(way) {
    this.match.turn = turns.play(this.turn, way);
    this.props.client.notice = "";
    this.setState({ chosen: null });
    this.speak(`${notation(way.map(({ from, to }) => [from, to]))}. ${turns.isDone(this.match.turn) ? text.finishTurn : ""}`);
  }

  undo(all = false) {
    if (!this.making) return;
    this.match.turn = all ? { ...this.turn, steps: [] } : turns.undo(this.turn);
    this.setState({ chosen: null });
    this.speak(text.undo);
  }

  swap() {
    if (!this.making || this.turn.steps.length) return;
    this.match.turn = turns.swap(this.turn);
    this.setState({ chosen: null });
  }

  done() {
    if (this.making && turns.isDone(this.turn)) this.act("move", { moves: turns.movesOf(this.turn) });
  }

  /** @param {string} type @param {Record<string, unknown>} [fields] */
  act(type, fields) {
    this.setState({ asking: "" });
    this.props.client.act(this.match, type, fields);
  }

  // --- keys ---

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, textarea, select")) return;
    const { view } = this.match;
    const canRoll = this.match.isOurs && view.phase === "roll";
    /** @type {Record<string, () => void>} */
    const does = {
      r: () => canRoll && this.act("roll"),
      d: () => (this.making ? this.done() : canRoll && this.canDouble && this.setState({ asking: "double" })),
      u: () => this.undo(),
      x: () => this.swap(),
      i: () => this.say(text.sayDice(this.making ? turns.left(this.turn) : [...view.dice])),
      p: () => this.say(text.sayPips(pips(rowsOf(view)[this.seat]), pips(rowsOf(view)[1 - this.seat]))),
      s: () => this.say(text.sayScore(view.score[this.seat], view.score[1 - this.seat])),
      c: () => this.say(this.clockText()),
      "?": () => this.setState({ asking: "help" }),
      Escape: () => this.setState({ asking: "", chosen: null, typing: null }),
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[0-9b]$/.test(key) && this.making) {
      event.preventDefault();
      this.setState({ typing: key }, () => this.input.current?.focus());
    } else if (key === "Enter" && target === document.body && canRoll) this.act("roll");
    else does[key]?.();
  }

  /** Say it even if it was said before. @param {string} words */
  say(words) {
    this.spoken = "";
    this.speak(words);
  }

  clockText() {
    const [mine, theirs] = [this.match.time(this.seat), this.match.time(1 - this.seat)];
    return mine && theirs ? text.sayClock(minutes(mine.reserve), minutes(theirs.reserve)) : text.sayNoClock;
  }

  /** @param {Event} event */
  typed(event) {
    event.preventDefault();
    const turn = this.making ? turns.typed({ ...this.turn, steps: [] }, this.state.typing ?? "") : null;
    if (turn === null) return this.props.client.say(text.badMove);
    this.match.turn = turn;
    this.props.client.notice = "";
    this.setState({ typing: null, chosen: null });
    this.speak(turns.isDone(turn) ? text.finishTurn : "");
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
      this.talk(),
      h("p", { class: "hidden", role: "status", "aria-live": "polite" }, this.spoken),
    );
  }

  /** @param {number} seat @param {string} where */
  player(seat, where) {
    const { match } = this;
    const { view } = match;
    const time = match.time(seat);
    const isOn = toAct(view).includes(seat);
    const clock = time && h("span", { class: `clock ${time.runs && this.props.client.online ? "runs" : ""}`, role: "timer" },
      time.free > 0 ? `${minutes(time.reserve)} +${Math.ceil(time.free / 1000)}` : minutes(time.reserve));
    return h(
      "section",
      { class: `player ${where} ${isOn ? "on" : ""}`, "aria-label": view.players[seat] ?? text.waiting },
      h("span", { class: `stone ${seat ? "black" : "white"}`, "aria-hidden": "true" }),
      h("span", { class: "who" },
        h("b", null, view.players[seat] ?? text.freeSeat),
        view.ratings[seat] ? h("small", null, String(view.ratings[seat])) : null,
        h("i", { class: match.online[seat] ? "here" : "away", title: match.online[seat] ? text.online : text.offlineNow }),
      ),
      h("span", { class: "pips" }, h("b", null, String(pips(rowsOf(view)[seat]))), ` ${text.pips}`),
      clock,
      h("span", { class: "score", title: text.score }, h("b", null, String(view.score[seat])),
        h("small", null, ` / ${view.rules.length || "∞"}`)),
    );
  }

  /** What is going on, in a few words. */
  status() {
    const { match } = this;
    const { view, seat } = match;
    const crawford = view.crawford ? ` ${text.crawford}.` : "";
    if (!this.props.client.online) return text.offline;
    if (match.replaced) return text.replaced;
    if (view.phase === "open") return seat === null ? text.freeSeat : text.waiting;
    if (view.phase === "reveal") return text.revealing;
    if (view.phase === "over") return this.outcome();
    if (view.phase === "ready") return this.outcome();
    if (view.phase === "resign" && view.resignation) {
      const [by, kind] = view.resignation;
      return by === seat ? text.theirTurn(this.nameOf(1 - by)) : text.offersResign(this.nameOf(by), kind, kind * view.cube);
    }
    if (view.offer !== null) {
      return view.offer === seat ? text.theirTurn(this.nameOf(1 - view.offer)) : text.doubles(this.nameOf(view.offer), 2 * view.cube);
    }
    if (!match.isOurs) return (seat === null ? `${text.watching} ` : "") + text.theirTurn(this.nameOf(toAct(view)[0] ?? 0)) + crawford;
    if (view.phase === "roll") return (this.canDouble ? text.yourRoll : text.yourTurn) + crawford;
    return (this.making && turns.isDone(this.turn) ? text.finishTurn : text.yourMove) + crawford;
  }

  outcome() {
    const { view } = this.match;
    if (!view.outcome) return view.unrevealed.length ? text.voided : view.phase === "over" ? text.cancelled : text.revealing;
    const [winner, points, kind, ending] = view.outcome;
    const game = winner === null ? text.level_ : text.gameWon(this.nameOf(winner), points, kind, ending);
    return view.phase === "over" && winner !== null ? `${text.matchWon(this.nameOf(winner))}, ${view.score[winner]} – ${view.score[1 - winner]}.` : game;
  }

  controls() {
    const { match, props } = this;
    const { view, seat } = match;
    const asking = this.asking();
    if (asking) return asking;
    if (match.replaced) return h("div", { class: "buttons" }, this.button(text.takeBack, () => props.client.attach(match), "main"));
    if (view.phase === "open") return this.open();
    if (view.phase === "over") return this.over();
    if (seat === null) return null;
    return h("div", { class: "buttons" }, this.choices(), this.away());
  }

  /** What can be done now. */
  choices() {
    const { match } = this;
    const { view } = match;
    const value = view.cube;
    const resign = view.rules.resignations !== false && ["roll", "move", "cube"].includes(view.phase)
      ? this.button(text.resign, () => this.setState({ asking: "resign" }), "quiet")
      : null;
    if (view.phase === "ready") {
      return match.isOurs
        ? [this.button(text.nextGame, () => this.act("ready"), "main"), view.rules.length === 0 ? this.button(text.leaveMoney, () => this.act("leave")) : null]
        : null;
    }
    if (!match.isOurs || this.state.playing) return resign;
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
        return [this.button(text.accept, () => this.act("accept"), "main"), this.button(text.refuse, () => this.act("refuse"))];
      case "move":
        return this.moving(resign);
    }
    return null;
  }

  /** @param {import("preact").ComponentChildren} resign */
  moving(resign) {
    if (!this.making) return null;
    const turn = this.turn;
    const { typing } = this.state;
    return [
      this.button(text.done, () => this.done(), "main", !turns.isDone(turn)),
      this.button(text.undo, () => this.undo(), "", !turn.steps.length),
      turn.steps.length > 1 ? this.button(text.undoAll, () => this.undo(true), "quiet") : null,
      typing === null ? null : h("form", { class: "typing", onSubmit: (/** @type {Event} */ event) => this.typed(event) },
        h("input", {
          ref: this.input, value: typing, "aria-label": text.typeMove, placeholder: text.typeMove, autocomplete: "off",
          onInput: (/** @type {any} */ event) => this.setState({ typing: event.target.value }),
          onKeyDown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && this.setState({ typing: null }),
        })),
      resign,
    ];
  }

  /** A question that is asked before something that cannot be taken back. */
  asking() {
    const { view } = this.match;
    const { asking } = this.state;
    const [what, kind] = asking.split(":");
    const back = this.button(text.back, () => this.setState({ asking: "" }));
    /** @param {string} question @param {import("preact").ComponentChildren} yes */
    const ask = (question, yes) => h("div", { class: "asking", role: "group", "aria-label": question }, h("p", null, question), h("div", { class: "buttons" }, back, yes));
    if (what === "double" && view.phase === "roll") return ask(text.askDouble(2 * view.cube), this.button(text.yesDouble, () => this.act("double"), "main"));
    if (what === "drop" && view.phase === "cube") return ask(text.askDrop(view.cube), this.button(text.yesDrop, () => this.act("drop"), "danger"));
    if (what === "resign" && kind) {
      return ask(text.askResign(Number(kind), Number(kind) * view.cube), this.button(text.yesResign, () => this.act("resign", { value: Number(kind) }), "danger"));
    }
    if (what === "resign") {
      return ask(text.resignAs, [1, 2, 3].map((one) => this.button(text.resignKind(one, one * view.cube), () => this.setState({ asking: `resign:${one}` }))));
    }
    if (what === "help") {
      return h("div", { class: "asking", role: "group", "aria-label": text.help },
        h("dl", { class: "keys" }, text.keys.map(([key, does]) => [h("dt", null, key), h("dd", null, does)])),
        h("div", { class: "buttons" }, this.button(text.close, () => this.setState({ asking: "" }), "main")));
    }
    return null;
  }

  open() {
    const { match, props } = this;
    const link = `${location.origin}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
    if (match.seat === null) {
      return h("div", { class: "buttons" }, this.button(text.sitDown, () => props.client.tell(props.client.join(match.id, match.code)), "main"));
    }
    const copy = () => navigator.clipboard?.writeText(link).then(() => this.setState({ copied: true }));
    return [
      h("p", null, text.sendLink),
      h("input", { class: "link", readonly: true, value: link, "aria-label": text.copy, onFocus: (/** @type {any} */ event) => event.target.select() }),
      h("div", { class: "buttons" },
        this.button(this.state.copied ? text.copied : text.copy, copy, "main"),
        this.button(text.closeTable, () => {
          props.client.act(match, "cancel");
          props.go("/");
        })),
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
      verdict && h("p", { class: `verdict ${verdict.sound ? "sound" : "wrong"}`, role: "status" }, verdict.text),
      h("div", { class: "buttons" },
        match.next ? this.button(text.watch, () => props.go(`/m/${match.next}`), "main") : null,
        match.seat !== null && match.view.outcome
          ? this.button(this.state.asked ? text.rematchAsked : text.rematch, () => props.client.tell(rematch()), "main", this.state.asked)
          : null,
        this.button(text.toLobby, () => props.go("/"))),
    ];
  }

  away() {
    const { match } = this;
    if (match.claimAt === null || match.seat === null) return null;
    const seconds = Math.ceil((match.claimAt - performance.now()) / 1000);
    const name = this.nameOf(1 - match.seat);
    if (seconds <= 0) return this.button(text.claim, () => this.act("claim"), "main");
    setTimeout(() => this.setState({ now: performance.now() }), 1000);
    return h("p", { class: "away" }, text.away(name, seconds));
  }

  talk() {
    const { match, props } = this;
    if (match.view.phase === "open") return null;
    /** @param {any} event */
    const send = (event) => {
      event.preventDefault();
      const field = event.target.elements.words;
      if (field.value.trim()) props.client.talk(match, field.value.trim());
      field.value = "";
    };
    return h(
      "section",
      { class: "talk", "aria-label": text.chat },
      match.watching ? h("p", { class: "watchers", title: match.watchers.join(", ") }, text.watchers(match.watching)) : null,
      h("ol", { tabIndex: 0, "aria-label": text.chat }, match.said.map((one) => h("li", null, h("b", null, one.name), " ", one.text))),
      props.client.me?.token
        ? h("form", { onSubmit: send }, h("input", { name: "words", maxLength: 200, placeholder: text.sayHere, "aria-label": text.sayHere, autocomplete: "off" }))
        : null,
    );
  }

  /** @param {string} words @param {() => void} does @param {string} [kind] @param {boolean} [disabled] */
  button(words, does, kind = "", disabled = false) {
    return h("button", { type: "button", class: kind, onClick: does, disabled }, words);
  }
}
