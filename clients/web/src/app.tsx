/** The page: where one is, and the frame around every screen. */

import { Component, Fragment, h, render } from "preact";
import type { Welcome } from "../../../protocol/tavla.d.ts";
import { attend } from "./core/device/attention.ts";
import { browser, serverUrl } from "./core/device/browser.ts";
import { closest } from "./core/device/closest.ts";
import { dress } from "./core/device/dress.ts";
import { fetched } from "./core/device/fetched.ts";
import { apply } from "./core/device/settings.ts";
import { findOrigin } from "./core/device/share.ts";
import { listen, play } from "./core/device/sounds.ts";
import { store } from "./core/device/store.ts";
import { script } from "./core/device/worker.ts";
import { change, pageIs } from "./core/look/app.ts";
import { notices } from "./core/look/document.tsx";
import type { Feature } from "./core/look/feature.ts";
import { keepFocus, toHeading } from "./core/look/focus.ts";
import { foot, Head } from "./core/look/frame.tsx";
import { KeysDialog } from "./core/look/keys.tsx";
import { Missing, missingBy } from "./core/look/missing.tsx";
import { banner, button, mainLink, plain, versus } from "./core/look/parts.tsx";
import { outcome } from "./core/look/story.ts";
import { rulesText } from "./core/model/rules.ts";
import { toAct } from "./core/model/view.ts";
import { Client } from "./core/net/client.ts";
import { ENTERED } from "./core/net/keys.ts";
import { ledgerIs } from "./core/net/ledgers.ts";
import { followTournament, showLobby } from "./core/net/lists.ts";
import type { Match } from "./core/net/match.ts";
import { followMatch, leaveMatch, showBoard } from "./core/net/matches.ts";
import { answerChallenge, isProgram, withdrawChallenge } from "./core/net/pairing.ts";
import { ignorePlayer } from "./core/net/players.ts";
import { dotted, language, text } from "./core/texts/text.ts";
import { AccountDialog } from "./features/account/dialog.tsx";
import { closeCall, tellCall } from "./features/calls/calling.ts";
import { CreateDialog } from "./features/lobby/create.tsx";
import { Lobby, Watch } from "./features/lobby/screen.tsx";
import { MatchScreen } from "./features/match/screen.tsx";
import type { People } from "./features/people/entry.tsx";

/** How a match of ours has ended that is not on the screen. */
const endedText = (match?: Match) =>
  match ? `${versus(match.view.players)}: ${outcome(match.view, match.nameOf)}` : text.endedNews;

type Loader = () => Promise<{ feature: Feature }>;
const APART = /^\/(tournaments|top)\b/; // with a client of their own
const FEATURES: [RegExp, Loader][] = [
  [/^\/learn\b/, () => import("./features/learn/entry.tsx")],
  [/^\/(m\/[\w-]+\?(review|dice)|position|dice|review|embed)\b/, () => import("./features/review/entry.tsx")],
  [/^\/puzzles\b/, () => import("./features/puzzles/entry.tsx")],
  [APART, () => import("./features/tournaments/entry.tsx")],
];
/** A part of an address as it reads; as it is, if it is none. */
const decoded = (part: string) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
const isWatch = (path: string) => /^\/watch(\?|$)/.test(path);
const here = () => location.pathname + location.search;
/** The part of the page that is at the address; null = none with a script of its own. */
const partHere = async () => (await FEATURES.find(([shape]) => shape.test(here()))?.[1]())?.feature ?? null;
/** The code of a private match in the address: `#CODE`, or `#CODE.12` at a decision. */
const codeHere = () => /^#([^.]*?[^.\d][^.]*)(?:\.|$)/.exec(location.hash)?.[1] ?? "";

/** dialog: "", "account", "friends", "keys", "create:" and against whom, or "report:" and about whom. why: it is asked. visits: how often an address was asked for. */
type State = {
  path: string;
  feature: Feature | null;
  missing: string;
  dialog: string;
  why: string;
  visits: number;
};
class App extends Component<{ feature: Feature | null }, State> {
  state: State;
  client: Client;
  wanted = "";
  followed = ""; // the match on the screen
  seen = ""; // the last one that was there while the page was in sight
  people: People | null = null; // fetched when it is wanted
  fetching: Promise<People> | undefined;
  met: Welcome | null = null; // as whom we follow friends

  constructor(props: { feature: Feature | null }) {
    super(props);
    const { feature } = props;
    this.state = { path: here(), feature, missing: "", dialog: "", why: "", visits: 0 };
    const changed = () => this.setState({});
    pageIs({ go: this.go, open: this.open, changed });
    this.client = feature?.connect?.(changed) ?? new Client(serverUrl(), store, browser, changed);
    if (!feature?.connect)
      this.client.onMatched = (match) =>
        this.state.feature ? this.client.news.set(match, "seated") : this.go(`/m/${match}`);
    this.client.onCalled = tellCall;
    this.client.onFriend = (notice) => this.people?.tell(notice);
    listen();
    keepFocus();
    findOrigin().then(changed, () => {});
    document.addEventListener("visibilitychange", changed);
    addEventListener("popstate", () => this.came());
    addEventListener("click", (event) => this.follow(event));
    addEventListener("keydown", (event) => {
      if (event.key === "?" && !closest(event, "input, textarea, select, dialog")) this.open("keys");
    });
  }

  /** A click on a link to another screen of the page, if it asks for no window of its own. */
  follow(event: MouseEvent) {
    const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>("a[href^='/']");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.target || link.hasAttribute("download")) return;
    event.preventDefault();
    this.go(link.getAttribute("href") ?? "/");
  }

  go = (path: string) => {
    this.client.notice = "";
    this.wanted = "";
    const [place, hash] = path.split("#");
    if (this.state.feature?.connect || APART.test(place) || (hash && place === here())) {
      window.name = place; // outlives the load: the screen begins at its heading as others do
      return location.assign(path);
    }
    if (path !== here() + location.hash) history.pushState(null, "", path); // a match may be told of twice
    scrollTo(0, 0);
    this.came(1);
  };

  /** The address has changed, or was asked for anew: then its screen begins again. */
  async came(more = 0) {
    const path = here();
    try {
      const feature = await partHere();
      if (path !== here()) return;
      dress(feature);
      this.setState({ path, feature, missing: "", dialog: "", visits: this.state.visits + more }, toHeading);
    } catch {
      location.reload();
    }
  }

  /** The parts of the address: `m` or `t` a match, `p` a player. */
  get named(): string[] {
    return /^\/([mtp])\/([\w%-]+)(?:\?review)?$/.exec(this.state.path)?.slice(1).map(decoded) ?? [];
  }

  /** The match that the address names. */
  get table() {
    const [kind, name] = this.named;
    return kind && kind !== "p" ? name : "";
  }

  /** The match to be shown, if it is here; it is asked for once. */
  get match(): Match | undefined {
    const { table, client } = this;
    const here = client.matches.get(table) ?? [...client.matches.values()].find((match) => match.view.name === table);
    if (here) this.wanted = ""; // where it goes, it is asked for anew, and the answer says why
    if (here || !table || this.wanted === table) return here;
    this.wanted = table;
    showBoard(client, table);
    followMatch(client, table, codeHere()).catch((error) => this.isMissing(missingBy(error)));
    return undefined;
  }

  /** A match that is not here may be in the archive: its review says. */
  isMissing(missing: string) {
    const [kind, name] = this.named;
    if (missing !== "match" || kind !== "m" || this.state.feature) return this.setState({ missing });
    history.replaceState(null, "", `/m/${name}?review${location.hash}`);
    this.came();
  }

  get isPlaying() {
    const { match } = this;
    return match && match.seat !== null && match.view.phase !== "over";
  }

  componentDidUpdate() {
    const { client } = this;
    const { feature } = this.state;
    if (client.me?.kind === "account" && this.met !== client.me) {
      this.met = client.me;
      this.fetchPeople((people) => people.follow());
    }
    showLobby(client, /^\/(watch)?(\?|$)/.test(this.state.path) || this.named[0] === "p");
    const match = this.match;
    showBoard(client, match?.id ?? this.table);
    if (this.followed && this.followed !== match?.id) leaveMatch(client, this.followed);
    const isNew = document.hidden && this.isPlaying && this.seen !== match?.id;
    if (isNew && this.followed !== match?.id) play("turn");
    this.followed = match?.id ?? "";
    if (!document.hidden) this.seen = this.followed;
    client.news.delete(this.followed);
    if (this.followed) closeCall(this.followed);
    if (feature) return attend(dotted(feature.title(), text.title), null);
    followTournament(client, (match && match.view.phase !== "over" && match.view.tournament?.[0]) || "");
    const [kind, name] = this.named;
    const title = match
      ? versus(match.view.players)
      : kind === "p"
        ? name
        : isWatch(this.state.path) && text.places.watch;
    attend(dotted(title, text.title), match && toAct(match.view).length ? match.isOurs : null, isNew);
    if (match?.isAsked && this.state.dialog === "keys") this.setState({ dialog: "" });
  }

  componentDidMount() {
    this.componentDidUpdate();
  }

  /** The script for friends, reports and profiles, with the calls that wait for it. */
  fetchPeople(then: (people: People) => void = () => this.setState({})) {
    this.fetching ??= fetched(() => import("./features/people/entry.tsx")).then(({ people }) => {
      this.people = people(this.client);
      return this.people;
    });
    this.fetching.then(then);
  }

  render() {
    const { client } = this;
    if (this.state.feature?.alone) return this.screen();
    const isMatch = Boolean(this.match) && !this.state.feature;
    const entered = client.storage.getItem(ENTERED) ?? "";
    return [
      <Head path={this.state.path} name={client.name} entered={entered} isMatch={isMatch} />,
      notices(client),
      this.news(),
      this.isPlaying ? null : this.people?.news(),
      this.challenges(),
      this.screen(),
      isMatch ? null : foot(),
      this.dialog(),
    ];
  }

  screen() {
    const { client } = this;
    const { missing, path, dialog, feature } = this.state;
    const [kind, name] = this.named;
    if (feature) {
      const shell = { client, code: codeHere(), dialog };
      return <Fragment key={path + language + this.state.visits}>{feature.screen(shell)}</Fragment>;
    }
    if (kind === "p") {
      const { people } = this;
      if (people) return h(people.Profile, { key: `${name} ${language}`, client, name, follows: people.follows });
      this.fetchPeople();
      return this.loading();
    }
    const { match } = this;
    if (match) return <MatchScreen key={`${match.id} ${language}`} client={client} match={match} />;
    if (this.table) return missing ? <Missing missing={missing} name={name} /> : this.loading();
    if (isWatch(path)) return <Watch client={client} />;
    if (path !== "/" && !path.startsWith("/?")) return <Missing missing="page" name="" />;
    return <Lobby client={client} />;
  }

  loading = () => plain(text.loading);

  open = (dialog: string, why = "") => this.setState({ dialog, why });

  dialog() {
    const { client } = this;
    const { dialog, why } = this.state;
    const close = () => this.setState({ dialog: "" });
    if (dialog === "keys") return <KeysDialog close={close} />;
    if (dialog === "account")
      return <AccountDialog client={client} friends={this.people?.opens()} close={close} why={why} />;
    if (/^(friends|report)/.test(dialog)) {
      if (!this.people) this.fetchPeople();
      return this.people?.dialog(dialog, this.followed, close);
    }
    if (dialog.startsWith("create:")) return <CreateDialog client={client} against={dialog.slice(7)} close={close} />;
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
          mainLink(`/m/${id}`, what === "seated" ? text.resume : text.see),
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

/** A decision of a match that is over is on a page of its own. */
function toReview() {
  if (/^\/m\/\w+#\d{1,5}$/.test(location.pathname + location.hash)) location.replace(`?review${location.hash}`);
}

/** Show the page: in the player's language, and with the part that the address asks for. */
async function begin() {
  const isSpoken = await apply();
  const feature = await fetched(partHere);
  dress(feature);
  render(<App feature={feature} />, document.getElementById("app") as HTMLElement);
  if (window.name) toHeading();
  if (!isSpoken) change({});
}

ledgerIs(() => import("./features/ledger/entry.ts"));
install();
addEventListener("hashchange", toReview);
toReview();
begin();
