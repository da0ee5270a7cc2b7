/** The page of tournaments: all of them, or one; or the leaderboard; what stands above, and what is asked before all else. */

import { Component, h } from "preact";
import { attend } from "../../device/attention.ts";
import { browser, serverUrl } from "../../device/browser.ts";
import type { Settings } from "../../device/settings.ts";
import { listen, play } from "../../device/sounds.ts";
import { store } from "../../device/store.ts";
import { callsEnter, tellCall } from "../../net/calling.ts";
import { TournamentClient } from "../../net/tournaments.ts";
import { dotted, text } from "../../texts/text.ts";
import { words } from "../../texts/tournaments/text.ts";
import { AccountDialog } from "../account.ts";
import { notices } from "../document.ts";
import { Leaders } from "../leaders.ts";
import { button, homeLink, plain } from "../parts.ts";
import { All } from "./all.ts";
import { MakeDialog } from "./make.ts";
import { One } from "./one.ts";

const SECOND_MS = 1000;
const SOUND_MS = 600; // of the sound that calls a player
const ROW_MS = 15_000; // between two looks at the row of a private tournament, which is in no list

export const go = (path: string) => location.assign(path);

/** dialog: "", "account", "make". why: an account is needed. now: s since 1970. */
type State = { dialog: string; why: string; now: number };
export class Tournaments extends Component<{ id: string; settings: Settings }, State> {
  state: State = { dialog: "", why: "", now: Date.now() / 1000 };
  client: TournamentClient;

  constructor(props: { id: string; settings: Settings }) {
    super(props);
    this.client = new TournamentClient(serverUrl(), store, browser, props.id, () => this.setState({}));
    this.client.onMatched = (match) => this.toMatch(`/m/${match}`);
    this.client.onCalled = tellCall;
    callsEnter((id) => {
      if (id === props.id) this.client.showRefusal(this.client.enter());
      return id === props.id;
    });
    listen();
  }

  /** To one's match. A player whose tab is hidden is called first: the next page may not sound before it is touched. */
  toMatch(path: string) {
    if (!document.hidden) return go(path);
    attend(document.title, true);
    if (this.props.settings.sound === "on") play("turn");
    setTimeout(go, SOUND_MS, path);
  }

  componentDidMount() {
    setInterval(() => document.hidden || this.setState({ now: Date.now() / 1000 }), SECOND_MS);
    setInterval(() => this.readPrivate(), ROW_MS);
    addEventListener("pagehide", () => this.client.hide());
    document.addEventListener("visibilitychange", () => this.client.showRefusal(this.client.comeBack()));
  }

  readPrivate() {
    const { client } = this;
    const { tournament } = client;
    if (tournament?.private && !tournament.over && client.online && !document.hidden)
      client.showRefusal(client.readRow());
  }

  open = (dialog: string, why: string = "") => this.setState({ dialog, why });
  close = () => this.open("");

  render() {
    const { client } = this;
    const { id } = this.props;
    const screen = location.pathname === "/top" ? text.leaders : text.tournaments;
    document.title = dotted(client.tournament?.name, screen, text.title);
    return [
      h(
        "header",
        { class: "head" },
        homeLink(),
        id && h("a", { href: "/tournaments", class: "quiet" }, words().all),
        button(client.name || text.logIn, () => this.open("account"), "quiet name"),
      ),
      notices(client),
      this.shown(),
      this.dialog(),
    ];
  }

  shown() {
    const { client, open } = this;
    const { now } = this.state;
    const { id, settings } = this.props;
    if (!client.isRead) return plain(client.notice || text.loading);
    if (location.pathname === "/top") return h(Leaders, { client, go });
    if (!id) return h(All, { client, now, open });
    const { tournament } = client;
    if (!tournament) return plain(words().missing, h("a", { href: "/tournaments", class: "button" }, words().all));
    return h(One, { client, settings, tournament, now, open });
  }

  dialog() {
    const { client, close, open } = this;
    const { dialog, why } = this.state;
    const isAccount = client.me?.kind === "account";
    if (dialog === "account") return h(AccountDialog, { client, go, open, close, why });
    if (dialog === "make" && isAccount) return h(MakeDialog, { client, close });
    const closeUnlessDone = () => client.me?.kind === "account" || close();
    if (dialog === "make")
      return h(AccountDialog, { client, go, open, close: closeUnlessDone, why: words().needsAccount });
    return null;
  }
}
