/** Friends, reports and profiles. Fetched when they are wanted. */

import { Component, h } from "preact";
import type { Followed, Friend } from "../../../../../protocol/tavla.d.ts";
import { wear } from "../../core/device/dress.ts";
import { go, openDialog } from "../../core/look/app.ts";
import { field, form, fulfil, refusal, submit, tick } from "../../core/look/forms.tsx";
import { button, buttons, Dialog, player } from "../../core/look/parts.tsx";
import type { Client } from "../../core/net/client.ts";
import { reason } from "../../core/net/connection.ts";
import { joinTable } from "../../core/net/pairing.ts";
import { ensurePlayer } from "../../core/net/players.ts";
import { language, text } from "../../core/texts/text.ts";
import styles from "./people.css";
import { Profile } from "./profile.tsx";
import { PEOPLE } from "./texts/text.ts";

const SHOWN_MS = 20_000; // a notice: who does not need it has nothing to do about it
const MOST = 200; // characters of a report

export type People = ReturnType<typeof people>;

/** What is known of others, for as long as the page is open. */
export function people(client: Client) {
  wear(styles);
  let friends: Record<string, Followed> = {};
  let followers = true;
  let news: Friend | undefined;
  let hides: ReturnType<typeof setTimeout> | undefined;
  /** Whether one has an account: only then others can be followed. */
  const can = () => client.me?.kind === "account";
  const words = () => PEOPLE[language];

  let changes = 0; // of the list, and questions for it: an answer to an earlier one is none

  /** @param again on a later connection, if this one is lost first */
  async function read(again = true) {
    const asked = ++changes;
    const answer = await client.connection.ask("friends", { notices: true }, again);
    if (asked !== changes) return;
    friends = answer.friends ?? {};
    followers = answer.followers ?? true;
    client.changed();
  }
  const change = (player: string, on: boolean) => client.connection.ask("follow", { player, on }).then(() => read());

  function allow(on: boolean) {
    changes++;
    followers = on;
    return client.connection.ask("followers", { on }).finally(() => read());
  }

  const show = (notice?: Friend) => {
    news = notice;
    clearTimeout(hides);
    if (notice) hides = setTimeout(show, SHOWN_MS);
    client.changed();
  };

  /** Where a friend is to be seen, or played. */
  function way(match: string, isOpen: boolean, then: () => void, kind: string) {
    if (!match) return null;
    if (!isOpen) return button(text.watch, () => [then(), go(`/m/${match}`)], kind);
    const join = async () => go(`/m/${await joinTable(client, match)}`);
    return button(text.sitDown, () => [then(), client.showRefusal(join())], kind);
  }

  class FriendsDialog extends Component<{ close: () => void }, { name: string; fault: string }> {
    state = { name: "", fault: "" };

    componentDidMount() {
      this.does(read());
    }

    does(what: Promise<unknown>) {
      this.setState({ fault: "" });
      what.catch((error) => this.setState({ fault: reason(error) }));
    }

    row = ([name, { online = false, match = "", table = "", shy = false }]: [string, Followed]) => (
      <li key={name}>
        <span class="what">
          <span>{player(name)}</span>
          <small>{shy ? words().shy : online ? words().here : words().away}</small>
        </span>
        <span class="buttons">
          {way(match || table, !match, this.props.close, "")}
          {button("✕", () => this.does(change(name, false)), "quiet", false, {
            "aria-label": words().unfollowName(name),
            title: words().unfollow,
          })}
        </span>
      </li>
    );

    render() {
      const { name, fault } = this.state;
      const rows = Object.entries(friends).sort(
        ([, a], [, b]) => Number(b.online ?? false) - Number(a.online ?? false),
      );
      const add = () => {
        // What is typed before the answer comes stays.
        const clear = () => this.setState((now) => (now.name === name ? { name: "" } : null));
        this.does(change(name, true).then(clear));
      };
      return (
        <Dialog title={words().friends} close={this.props.close}>
          <section class="list">
            {rows.length ? <ul>{rows.map(this.row)}</ul> : <p class="empty">{words().nobody}</p>}
          </section>
          <p class="aside">{words().secret}</p>
          {form(
            "form",
            add,
            field(words().whom, name, (name) => this.setState({ name, fault: "" }), {
              required: true,
              minLength: 2,
              maxLength: 20,
              autocapitalize: "none",
              spellcheck: false,
            }),
            refusal(fault),
            tick(words().followers, followers, (on) => this.does(allow(on))),
            buttons(button(text.close, this.props.close), submit(words().follow)),
          )}
        </Dialog>
      );
    }
  }

  /** match: where it happened; "" = elsewhere. */
  type Report = { about: string; match: string; close: () => void };
  class ReportDialog extends Component<Report, { why: string; fault: string; busy: boolean; done: boolean }> {
    state = { why: "", fault: "", busy: false, done: false };

    async send() {
      const { about: player, match } = this.props;
      await ensurePlayer(client);
      await client.connection.ask("report", { player, reason: this.state.why, match });
      this.setState({ done: true });
    }

    render() {
      const { about, close } = this.props;
      const { why, fault, busy, done } = this.state;
      return (
        <Dialog title={text.reportName(about)} close={close}>
          {done
            ? [<p role="status">{words().reported}</p>, buttons(button(text.close, close, "main"))]
            : form(
                "form",
                () => fulfil(this, () => this.send()),
                field(words().reportWhy, why, (why) => this.setState({ why, fault: "" }), {
                  required: true,
                  maxLength: MOST,
                }),
                refusal(fault),
                buttons(button(text.cancel, close), submit(text.report, busy)),
              )}
        </Dialog>
      );
    }
  }

  return {
    Profile,
    /** Ask for notices on this connection, where the server has them. */
    follow: () => {
      if (can()) client.showRefusal(read(false));
    },
    tell: show,
    opens: () => can() && button(words().friends, () => openDialog("friends")),
    /** @param which `friends`, or `report:` and about whom. @param match on the screen; "" = none */
    dialog: (which: string, match: string, close: () => void) =>
      which === "friends" ? (
        <FriendsDialog close={close} />
      ) : (
        <ReportDialog about={which.slice(7)} match={match} close={close} />
      ),
    /** A button to follow a player, or no longer. */
    follows: (name: string) => {
      const on = !(name in friends);
      const does = on ? words().follow : words().unfollow;
      return can() && button(does, () => client.showRefusal(change(name, on)));
    },
    /** The newest notice of a friend. */
    news: () => {
      if (!news) return null;
      const { name, what, match = "", opponent } = news;
      const said: Record<string, string> = {
        came: words().came(name),
        plays: words().plays(name, opponent ?? "?"),
        opened: words().opened(name),
      };
      return (
        said[what] && (
          <div class="challenge" role="status" key="friend">
            <p>{said[what]}</p>
            {buttons(
              way(match, what === "opened", show, "main"),
              button(text.close, () => show()),
            )}
          </div>
        )
      );
    },
  };
}
