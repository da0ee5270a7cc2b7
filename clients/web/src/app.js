/**
 * The page: where one is, the lobby, and what opens from there.
 *
 * @import {Match} from "./client.js"
 * @import {Settings} from "./settings.js"
 * @import {Table, Create} from "../../../protocol/tavla.d.ts"
 */
import { Component, h, render } from "preact";
import { attend } from "./attention.js";
import { Client } from "./client.js";
import { MatchScreen } from "./match_screen.js";
import { apply, load, save } from "./settings.js";
import { LANGUAGES, language, text } from "./text.js";

/**
 * @typedef {{path: string, settings: Settings, missing: string, menu: boolean, busy: string}} State
 * @extends {Component<{}, State>}
 */
class App extends Component {
  constructor() {
    super();
    /** @type {State} */
    this.state = { path: location.pathname, settings: load(), missing: "", menu: false, busy: "" };
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.client = new Client(`${scheme}//${location.host}/`, localStorage, () => this.setState({}));
    this.client.onMatched = (match) => this.go(`/m/${match}`);
    this.wanted = "";
    apply(this.state.settings);
    document.addEventListener("visibilitychange", () => this.setState({}));
    addEventListener("popstate", () => this.setState({ path: location.pathname, missing: "" }));
  }

  /** @param {string} path */
  go(path) {
    this.client.notice = "";
    history.pushState(null, "", path);
    this.setState({ path, missing: "", busy: "", menu: false });
  }

  /** The match that the address names. */
  get table() {
    return /^\/[mt]\/([A-Za-z0-9_-]+)$/.exec(this.state.path)?.[1] ?? "";
  }

  /** The match to be shown, if it is here; it is asked for once. @returns {Match | undefined} */
  get match() {
    const { table, client } = this;
    const here = client.matches.get(table) ?? [...client.matches.values()].find((match) => match.view.name === table);
    if (here || !table || this.wanted === table) return here;
    this.wanted = table;
    client.follow(table, location.hash.slice(1)).catch((error) => this.setState({ missing: error.message }));
    return undefined;
  }

  componentDidUpdate() {
    this.client.list(!this.table);
    const match = this.match;
    attend(match ? `${match.view.players.map((name) => name ?? text.someone).join(" – ")} · ${text.title}` : text.title, Boolean(match?.isOurs));
  }

  componentDidMount() {
    this.client.list(!this.table);
  }

  /** @param {Partial<Settings>} change */
  set(change) {
    const settings = { ...this.state.settings, ...change };
    save(settings);
    this.setState({ settings });
  }

  render() {
    const { client } = this;
    const { settings, missing } = this.state;
    const match = this.match;
    const screen = match
      ? h(MatchScreen, { key: `${match.id} ${language}`, client, match, settings, go: (/** @type {string} */ path) => this.go(path) })
      : this.table
        ? h("main", { class: "lobby" }, h("h1", null, missing ? text.notFound : text.loading), missing ? h("p", { class: "notice", role: "alert" }, missing) : null)
        : this.lobby();
    return [this.head(), client.online ? null : h("p", { class: "offline", role: "alert" }, text.offline), this.challenges(), screen];
  }

  head() {
    const { client } = this;
    const { settings, menu } = this.state;
    /** @param {keyof Settings} name @param {string} label @param {Record<string, string>} options */
    const pick = (name, label, options) =>
      h("label", null, label, this.select(name, options));
    return h(
      "header",
      { class: "head" },
      h("a", { href: "/", class: "brand", onClick: (/** @type {Event} */ event) => (event.preventDefault(), this.go("/")) }, text.title),
      h("span", { class: "name" }, client.name),
      h("button", { type: "button", class: "quiet", "aria-expanded": menu, onClick: () => this.setState({ menu: !menu }) }, text.settings),
      menu
        ? h("div", { class: "menu", role: "group", "aria-label": text.settings },
            pick("speed", text.speed, text.speeds),
            pick("home", text.direction, { right: text.right, left: text.left }),
            pick("theme", text.theme, text.themes),
            pick("board", text.boardStyle, text.boards),
            pick("colour", text.colour, text.colours),
            pick("tap", text.tap, text.taps),
            pick("sound", text.sound, text.sounds),
            pick("language", text.language, { auto: text.automatic, ...Object.fromEntries(Object.entries(LANGUAGES).map(([code, one]) => [code, one.name])) }))
        : null,
      void settings,
    );
  }

  /** @param {keyof Settings} name @param {Record<string, string>} options */
  select(name, options) {
    const value = this.state.settings[name];
    return h("select", { value, onChange: (/** @type {any} */ event) => this.set({ [name]: event.target.value }) },
      Object.entries(options).map(([key, label]) => h("option", { value: key, selected: key === value }, label)));
  }

  challenges() {
    const { client } = this;
    return [...client.challenges.values()].filter((one) => one.to === client.name).map((one) =>
      h("div", { class: "challenge", role: "alert", key: one.challenge },
        h("p", null, text.challengedBy(one.by, this.rulesText(one.rules))),
        h("div", { class: "buttons" },
          this.button(text.accept, () => this.does(async () => this.go(`/m/${await client.answer(one.challenge, true)}`)), "main"),
          this.button(text.decline, () => this.does(async () => void (await client.answer(one.challenge, false)))))));
  }

  /** @param {Create["rules"]} [rules] */
  rulesText(rules = {}) {
    const { length = 7, clock, variant } = /** @type {any} */ (rules);
    return [text.points(length), variant, clock].filter(Boolean).join(", ");
  }

  get rules() {
    const { length, clock } = this.state.settings;
    return { length: Number(length), ...(clock === "none" ? {} : { clock }) };
  }

  /** Do something that may be refused. @param {() => Promise<void>} what @param {string} [busy] */
  does(what, busy = "") {
    this.client.notice = "";
    this.setState({ busy });
    what().catch((error) => this.client.say(error.message)).finally(() => this.setState({ busy: "" }));
  }

  lobby() {
    const { client } = this;
    const { busy, settings } = this.state;
    const own = [...client.matches.values()].filter((match) => match.seat !== null && match.view.phase !== "over");
    if (client.seeking) {
      return h("main", { class: "lobby" }, h("section", { class: "start" }, h("h1", null, text.seeking), h("p", { class: "dots", "aria-hidden": "true" }),
        h("div", { class: "buttons" }, this.button(text.cancel, () => client.unseek()), this.button(text.playComputer, () => {
          client.unseek();
          this.computer();
        }, "main"))));
    }
    return h(
      "main",
      { class: "lobby" },
      h("section", { class: "start" },
        h("h1", null, text.title),
        h("p", { class: "tagline" }, text.tagline),
        h("div", { class: "doors" },
          this.button(busy === "computer" ? "…" : text.playComputer, () => this.computer(), "main", Boolean(busy)),
          this.button(text.playSomeone, () => this.does(() => client.seek(this.rules)), "", Boolean(busy)),
          this.button(text.playFriend, () => this.does(async () => this.go(`/m/${await client.create({ rules: this.rules, private: true })}`), "friend"), "", Boolean(busy))),
        h("div", { class: "options" },
          h("label", null, text.length, this.select("length", { 1: text.points(1), 3: text.points(3), 5: text.points(5), 7: text.points(7), 0: text.points(0) })),
          h("label", null, text.clock, this.select("clock", text.clocks)),
          h("label", null, text.level, this.select("level", text.levels))),
        client.notice ? h("p", { class: "notice", role: "alert" }, client.notice) : null,
        void settings),
      own.length ? this.list(text.yourMatches, own.map((match) => this.row(match.id, match.view.players, match.view.score, this.rulesText(match.view.rules), text.resume))) : null,
      this.list(text.matches, this.sorted(client.lists.matches).map(([id, one]) => this.row(id, one.players, one.score ?? [0, 0], this.rulesText(one.rules), text.watch)), text.noMatches),
      this.list(text.tables, this.sorted(client.lists.tables).map(([id, one]) => this.openRow(id, one)), text.noTables),
      this.list(text.people, Object.entries(client.lists.people).map(([name, one]) =>
        h("li", { key: name }, h("span", { class: "what" }, h("b", null, name), h("small", null, one.rating ?? (one.level || one.kind))),
          name === client.name ? h("small", null, text.you) : this.button(text.challenge, () => this.does(async () => void (await client.challenge(name, this.rules)))))), text.nobody),
    );
  }

  computer() {
    const { client } = this;
    this.does(async () => this.go(`/m/${await client.playComputer(this.rules, this.state.settings.level)}`), "computer");
  }

  /** Newest first. @param {Record<string, Table>} rows @returns {[string, Table][]} */
  sorted(rows) {
    return Object.entries(rows).sort(([, a], [, b]) => (b.since ?? 0) - (a.since ?? 0)).slice(0, 50);
  }

  /** @param {string} title @param {any[]} rows @param {string} [empty] */
  list(title, rows, empty = "") {
    return h("section", { class: "list" }, h("h2", null, title), rows.length ? h("ul", null, rows) : h("p", { class: "empty" }, empty));
  }

  /** @param {string} id @param {(string | null)[]} players @param {number[]} score @param {string} rules @param {string} does */
  row(id, players, score, rules, does) {
    return h("li", { key: id },
      h("span", { class: "what" }, h("b", null, players.map((name) => name ?? text.someone).join(" – ")), h("small", null, `${score.join(" : ")} · ${rules}`)),
      this.button(does, () => this.go(`/m/${id}`)));
  }

  /** @param {string} id @param {Table} table */
  openRow(id, table) {
    const { client } = this;
    const maker = table.players.find(Boolean);
    return h("li", { key: id },
      h("span", { class: "what" }, h("b", null, maker), h("small", null, this.rulesText(table.rules))),
      maker === client.name || table.opponent === "computer" ? null
        : this.button(text.sitDown, () => this.does(async () => this.go(`/m/${await client.join(id)}`))));
  }

  /** @param {string} words @param {() => void} does @param {string} [kind] @param {boolean} [disabled] */
  button(words, does, kind = "", disabled = false) {
    return h("button", { type: "button", class: kind, onClick: does, disabled }, words);
  }
}

render(h(App, {}), /** @type {HTMLElement} */ (document.getElementById("app")));
