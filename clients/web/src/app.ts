/** The page: where one is, and what stands above every screen. */

import { Component, h } from "preact";
import type { Welcome } from "../../../protocol/tavla.d.ts";
import { attend } from "./device/attention.ts";
import { browser, serverUrl } from "./device/browser.ts";
import { type Settings, save } from "./device/settings.ts";
import { findOrigin } from "./device/share.ts";
import { listen, play } from "./device/sounds.ts";
import { store } from "./device/store.ts";
import { script } from "./device/worker.ts";
import { rulesText } from "./model/rules.ts";
import { toAct } from "./model/view.ts";
import { closeCall, tellCall } from "./net/calling.ts";
import { Client } from "./net/client.ts";
import { reason } from "./net/connection.ts";
import { followTournament, showLobby } from "./net/lists.ts";
import type { Match } from "./net/match.ts";
import { followMatch, leaveMatch, showBoard } from "./net/matches.ts";
import { answerChallenge, isProgram, joinTable, withdrawChallenge } from "./net/pairing.ts";
import { ensurePlayer, ignorePlayer } from "./net/players.ts";
import type { People } from "./people.ts";
import { AccountDialog } from "./screens/account.ts";
import { CreateDialog } from "./screens/create.ts";
import { mount, notices, settle } from "./screens/document.ts";
import { field, form, labelled, refusal, select, submit, tick } from "./screens/forms.ts";
import { fetchHelp } from "./screens/help.ts";
import { KeysDialog } from "./screens/keys.ts";
import { Lobby } from "./screens/lobby.ts";
import { MatchScreen } from "./screens/match/screen.ts";
import { Missing, missingBy } from "./screens/missing.ts";
import {
  banner,
  brand,
  button,
  buttons,
  Dialog,
  link,
  list,
  Pop,
  plain,
  player,
  showTips,
  signButton,
  versus,
} from "./screens/parts.ts";
import { Replay } from "./screens/replay.ts";
import { outcome } from "./screens/story.ts";
import { LANGUAGES, language, text } from "./texts/text.ts";

/** How a match of ours has ended that is not on the screen. */
const endedText = (match?: Match) =>
  match
    ? `${versus(match.view.players)}: ${outcome(match.view, (seat) => (seat === match.seat ? text.You : (match.view.players[seat] ?? text.someone)))}`
    : text.endedNews;

const RETRY_MS = 1000; // what is on the screen may wait for a script that did not come

/** dialog: "", "account", "friends", "keys", "create:" and against whom, or "report:" and about whom. */
type State = { path: string; settings: Settings; missing: string; dialog: string };
class App extends Component<object, State> {
  state: State;
  client: Client;
  wanted = "";
  followed = ""; // the match on the screen
  seen = ""; // the last one that was there while the page was in sight
  fetching: Promise<void> | undefined;
  met: Welcome | null = null; // as whom we follow friends

  constructor() {
    super();
    const settings = settle();
    this.state = {
      path: location.pathname + location.search,
      settings,
      missing: "",
      dialog: "",
    };
    this.client = new Client(serverUrl(), store, browser, () => this.setState({}));
    this.client.onMatched = (match) => this.go(`/m/${match}`);
    this.client.onCalled = tellCall;
    listen();
    findOrigin()
      .then(() => this.setState({}))
      .catch(() => {});
    document.addEventListener("visibilitychange", () => this.setState({}));
    addEventListener("popstate", () =>
      this.setState({ path: location.pathname + location.search, missing: "", dialog: "" }),
    );
  }

  go = (path: string) => {
    this.client.notice = "";
    this.wanted = "";
    history.pushState(null, "", path);
    scrollTo(0, 0);
    this.setState({ path: location.pathname + location.search, missing: "", dialog: "" });
  };

  /** The parts of the address: `m` or `t` a match, `p` a player. */
  get named(): string[] {
    return /^\/([mtp])\/([A-Za-z0-9_-]+)(\?replay)?$/.exec(this.state.path)?.slice(1) ?? [];
  }

  /** The match that the address names. */
  get table() {
    const [kind, name, replay] = this.named;
    return kind && kind !== "p" && !replay ? name : "";
  }

  /** The match to be shown, if it is here; it is asked for once. */
  get match(): Match | undefined {
    const { table, client } = this;
    const here = client.matches.get(table) ?? [...client.matches.values()].find((match) => match.view.name === table);
    if (here || !table || this.wanted === table) return here;
    this.wanted = table;
    showBoard(client, table);
    followMatch(client, table, location.hash.slice(1)).catch((error) => this.setState({ missing: missingBy(error) }));
    return undefined;
  }

  get isPlaying() {
    const { match } = this;
    return match && match.seat !== null && match.view.phase !== "over";
  }

  componentDidUpdate() {
    const { client } = this;
    showLobby(client, this.state.path === "/" || this.named[0] === "p");
    const match = this.match;
    showBoard(client, match?.id ?? this.table);
    if (this.followed && this.followed !== match?.id) leaveMatch(client, this.followed);
    const isNew = document.hidden && this.isPlaying && this.seen !== match?.id;
    if (isNew && this.followed !== match?.id && this.state.settings.sound === "on") play("turn");
    this.followed = match?.id ?? "";
    if (!document.hidden) this.seen = this.followed;
    client.news.delete(this.followed);
    if (this.followed) closeCall(this.followed);
    followTournament(client, (match && match.view.phase !== "over" && match.view.tournament?.[0]) || "");
    if (client.me?.kind === "account" && this.met !== client.me) {
      this.met = client.me;
      this.fetchPeople((people) => people.follow());
    }
    attend(
      match ? `${versus(match.view.players)} · ${text.title}` : text.title,
      match && toAct(match.view).length ? match.isOurs : null,
      isNew,
    );
    const isAsked = match?.isOurs && ["cube", "resign"].includes(match.view.phase);
    if (isAsked && this.state.dialog === "keys") this.setState({ dialog: "" });
  }

  componentDidMount() {
    this.componentDidUpdate();
  }

  /** The script for friends, reports and profiles, with the calls that wait for it. */
  fetchPeople(then: (people: People) => void = () => this.setState({})) {
    const { client, go } = this;
    const parts = { Dialog, button, buttons, field, form, list, player, refusal, rulesText, submit, tick };
    const net = { client, ensurePlayer, fetchHelp, ignorePlayer, joinTable, reason };
    const kit = { h, Component, go, speech: () => ({ text, language }), ...parts, ...net };
    // @ts-expect-error: it stands beside the page
    this.fetching ??= import("/people.js").then(({ people }: typeof import("./people.ts")) => {
      client.people = people(kit);
    });
    this.fetching
      .then(() => client.people && then(client.people))
      .catch(() => {
        this.fetching = undefined;
        setTimeout(() => this.setState({}), RETRY_MS);
      });
  }

  set = (change: Partial<Settings>) => {
    const settings = { ...this.state.settings, ...change };
    save(settings);
    showTips(settings.tips === "on");
    this.setState({ settings });
  };

  render() {
    const { client } = this;
    return [
      this.head(),
      notices(client),
      this.news(),
      this.isPlaying ? null : client.people?.news(),
      this.challenges(),
      this.screen(),
      this.dialog(),
    ];
  }

  screen() {
    const { client, go } = this;
    const { settings, missing, path } = this.state;
    const [kind, name, replay] = this.named;
    const code = location.hash.slice(1);
    if (kind === "p") {
      const { people } = client;
      if (people) return h(people.Profile, { key: `${name} ${language}`, client, name, go, open: this.open });
      this.fetchPeople();
      return this.loading();
    }
    if (replay || missing === "match")
      return h(Replay, { key: `${name} ${language}`, client, match: name, code, settings, go });
    const { match } = this;
    if (match) return h(MatchScreen, { key: `${match.id} ${language}`, client, match, settings, go, open: this.open });
    if (this.table) return missing ? h(Missing, { missing, name, go }) : this.loading();
    if (path !== "/" && !path.startsWith("/?")) return h(Missing, { missing: "page", name: "", go });
    return h(Lobby, { client, settings, set: this.set, go, open: this.open });
  }

  loading = () => plain(text.loading);

  head() {
    const { client, go } = this;
    const { settings } = this.state;
    const pick = (name: keyof Settings, label: string, options: Record<string, string>) =>
      labelled(
        label,
        select(String(settings[name]), options, (value) => this.set({ [name]: value })),
      );
    const languages = Object.fromEntries(Object.entries(LANGUAGES).map(([code, one]) => [code, one.name]));
    return h(
      "header",
      { class: "head" },
      link("/", go, brand(), "brand", text.title),
      button(client.name || text.logIn, () => this.open("account"), "quiet name"),
      this.match && signButton("?", text.help, () => this.open("keys"), "quiet"),
      h(
        Pop,
        { label: text.settings },
        pick("speed", text.speed, text.speeds),
        pick("home", text.direction, { right: text.right, left: text.left }),
        pick("theme", text.theme, text.themes),
        pick("board", text.boardStyle, text.boards),
        pick("colour", text.colour, text.colours),
        pick("tap", text.tap, text.taps),
        pick("first", text.first, text.autoRolls),
        pick("autoRoll", text.autoRoll, text.autoRolls),
        pick("autoPlay", text.autoPlay, text.autoPlays),
        pick("sound", text.sound, text.sounds),
        pick("tips", text.tips, text.sounds),
        pick("language", text.language, { auto: text.automatic, ...languages }),
      ),
    );
  }

  open = (dialog: string) => this.setState({ dialog });

  dialog() {
    const { client, go } = this;
    const { dialog, settings } = this.state;
    const close = () => this.setState({ dialog: "" });
    if (dialog === "keys") return h(KeysDialog, { close });
    if (dialog === "account") return h(AccountDialog, { client, go, open: this.open, close });
    if (/^(friends|report)/.test(dialog)) {
      if (!client.people) this.fetchPeople();
      return client.people?.dialog(dialog, this.followed, close);
    }
    if (dialog.startsWith("create:")) return h(CreateDialog, { client, settings, against: dialog.slice(7), go, close });
    return null;
  }

  /** News of our matches that are not on the screen. */
  news() {
    const { client } = this;
    return [...client.news]
      .filter(([id]) => id !== this.followed)
      .map(([id, what]) =>
        banner(
          id,
          what === "seated" ? text.seatedNews : endedText(client.matches.get(id)),
          button(what === "seated" ? text.resume : text.see, () => this.go(`/m/${id}`), "main"),
          button(text.close, () => {
            client.news.delete(id);
            this.setState({});
          }),
        ),
      );
  }

  challenges() {
    const { client } = this;
    const answer = (words: string, what: () => Promise<unknown>, kind?: string) =>
      button(words, () => client.showRefusal(what()), kind);
    return [...client.challenges.values()].map(({ challenge: id, by, to, rules }) => {
      if (by === client.name && !isProgram(client, to)) {
        const withdraw = answer(text.withdraw, () => withdrawChallenge(client, id));
        return banner(id, text.youChallenge(to, rulesText(rules)), withdraw);
      }
      if (to !== client.name) return null;
      const decline = () => answerChallenge(client, id, false);
      return banner(
        id,
        text.challengedBy(by, rulesText(rules)),
        answer(text.accept, async () => this.go(`/m/${await answerChallenge(client, id, true)}`), "main"),
        answer(text.decline, decline),
        answer(text.ignore, () => decline().then(() => ignorePlayer(client, by, true)), "quiet"),
      );
    });
  }
}

/** The page can be installed, and says without a network that there is none. */
function install() {
  if (!navigator.serviceWorker) return; // not over http://, but on this machine
  navigator.serviceWorker.register(script("/sw.js")).catch(() => {});
}

install();
// A decision of a match that is over is on a page of its own.
function toReview() {
  if (/^\/m\/\w+#\d{1,4}$/.test(location.pathname + location.hash)) location.replace(`?review${location.hash}`);
}
addEventListener("hashchange", toReview);
toReview();
mount(h(App, {}));
