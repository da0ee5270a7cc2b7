/** The page of tournaments: all of them, or one; or the leaderboard. */

import { Component, h } from "preact";
import { attend } from "../../core/device/attention.ts";
import { play } from "../../core/device/sounds.ts";
import { go, openDialog } from "../../core/look/app.ts";
import type { Shell } from "../../core/look/feature.ts";
import { link, plain } from "../../core/look/parts.tsx";
import { text } from "../../core/texts/text.ts";
import { callsEnter } from "../calls/calling.ts";
import { All } from "./all.tsx";
import { Leaders } from "./leaders.tsx";
import { MakeDialog } from "./make.tsx";
import type { TournamentClient } from "./net.ts";
import { One } from "./one.tsx";
import { words } from "./texts/text.ts";

const SECOND_MS = 1000;
const SOUND_MS = 600; // of the sound that calls a player
const ROW_MS = 15_000; // between two looks at the row of a private tournament, which is in no list

type Props = Shell & { client: TournamentClient; id: string };
/** makes: one is made as soon as there is an account. now: s since 1970. */
export class Tournaments extends Component<Props, { makes: boolean; now: number }> {
  state = { makes: false, now: Date.now() / 1000 };

  constructor(props: Props) {
    super(props);
    const { client, id } = props;
    client.onMatched = (match) => this.toMatch(`/m/${match}`);
    callsEnter((called) => {
      if (called === id) client.showRefusal(client.enter());
      return called === id;
    });
  }

  /** To one's match. A player whose tab is hidden is called first: the next page may not sound before it is touched. */
  toMatch(path: string) {
    if (!document.hidden) return go(path);
    attend(document.title, true);
    play("turn");
    setTimeout(go, SOUND_MS, path);
  }

  componentDidMount() {
    const { client } = this.props;
    setInterval(() => document.hidden || this.setState({ now: Date.now() / 1000 }), SECOND_MS);
    setInterval(() => this.readPrivate(), ROW_MS);
    addEventListener("pagehide", () => client.hide());
    document.addEventListener("visibilitychange", () => client.showRefusal(client.comeBack()));
  }

  componentDidUpdate({ dialog }: Props) {
    const { client, dialog: now } = this.props;
    if (this.state.makes && dialog === "account" && !now && client.me?.kind !== "account")
      this.setState({ makes: false });
  }

  readPrivate() {
    const { client } = this.props;
    const { tournament } = client;
    if (tournament?.private && !tournament.over && client.online && !document.hidden)
      client.showRefusal(client.readRow());
  }

  /** Make one; that needs an account. */
  make = () => {
    this.setState({ makes: true });
    if (this.props.client.me?.kind !== "account") openDialog("account", words().needsAccount);
  };

  render() {
    const { client } = this.props;
    const isAsked = this.state.makes && client.me?.kind === "account";
    return [this.shown(), isAsked && <MakeDialog client={client} close={() => this.setState({ makes: false })} />];
  }

  shown() {
    const { make } = this;
    const { now } = this.state;
    const { client, id } = this.props;
    if (!client.isRead) return plain(client.notice || text.loading);
    if (location.pathname === "/top") return <Leaders client={client} />;
    if (!id) return <All client={client} now={now} make={make} />;
    const { tournament } = client;
    if (!tournament) return plain(words().missing, link("/tournaments", words().all, "button"));
    return <One client={client} tournament={tournament} now={now} />;
  }
}
