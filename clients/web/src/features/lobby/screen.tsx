/** The lobby: the doors to a match, and what goes on here, live. */

import { Component, h } from "preact";
import type { AskedRules, Person, Seeker, Table } from "../../../../../protocol/tavla.d.ts";
import { settings } from "../../core/device/settings.ts";
import { change, go, openDialog } from "../../core/look/app.ts";
import { timeOfDay } from "../../core/look/clock.tsx";
import { choice, refusal } from "../../core/look/forms.tsx";
import { button, buttons, type Children, link, list, nothing, player, rivals, versus } from "../../core/look/parts.tsx";
import { toldScore } from "../../core/look/story.ts";
import { type Line, Talk } from "../../core/look/talk.tsx";
import { clockChoices, rulesText } from "../../core/model/rules.ts";
import type { Client } from "../../core/net/client.ts";
import { ENTERED } from "../../core/net/keys.ts";
import { chatInLobby, openChat } from "../../core/net/lists.ts";
import type { Match } from "../../core/net/match.ts";
import { act } from "../../core/net/matches.ts";
import {
  createTable,
  joinTable,
  levels,
  peopleFirst,
  playComputer,
  seekMatch,
  stopSeeking,
  whyNone,
} from "../../core/net/pairing.ts";
import { dotted, lookUp, text } from "../../core/texts/text.ts";
import { LiveBoard } from "./live.tsx";

const SHOWN = 50; // rows of a list
const FIRST_MATCH = "#beginner";

const newest = <T extends { since?: number }>(rows: Record<string, T>): [string, T][] =>
  Object.entries(rows)
    .sort(([, a], [, b]) => (b.since ?? 0) - (a.since ?? 0))
    .slice(0, SHOWN);

const row = (key: string, what: Children, small: Children, does: Children = null) => (
  <li key={key}>
    <span class="what">
      {what}
      <small>{small}</small>
    </span>
    {does}
  </li>
);

const you = () => <small>{text.you}</small>;

/** A match that may be watched. */
function liveRow([id, one]: [string, Table]) {
  const paused = isPaused(one) ? ` · ${text.paused}` : "";
  const score = toldScore(one.score ?? [0, 0], one.rules?.length).join(" : ");
  const label = `${text.watch}: ${versus(one.players)}`;
  const watch = one.spectators === false ? null : link(`/m/${id}`, text.watch, "button", label);
  return row(id, <b>{rivals(one.players)}</b>, `${score} · ${rulesText(one.rules)}${paused}`, watch);
}

const isPaused = (one: Table) => (one.away ?? []).some(Boolean);

/** Matches under way; below them those whose players are away. */
function matchList(matches: Record<string, Table>) {
  const all = newest(matches);
  const paused = all.filter(([, one]) => isPaused(one));
  return list(
    text.watch,
    all.filter(([, one]) => !isPaused(one)).map(liveRow),
    paused.length ? "" : text.noMatches,
    paused.length ? (
      <details>
        <summary>{text.pausedMatches(paused.length)}</summary>
        <ul>{paused.map(liveRow)}</ul>
      </details>
    ) : null,
  );
}

/** What is played here now: the newest match on a board, and all others. */
export const Watch = ({ client }: { client: Client }) => (
  <main class={`lobby watch ${client.online ? "" : "stale"}`}>
    <h1 class="hidden">{text.watch}</h1>
    <section class="start">
      <LiveBoard client={client} />
    </section>
    <div class="lists">{matchList(client.lists.matches)}</div>
  </main>
);

const SOON_S = 3600;

export class Lobby extends Component<{ client: Client }, { busy: string }> {
  state = { busy: "" };

  /** Do something that may be refused. */
  does(what: () => Promise<unknown>, busy: string = " ") {
    const { client } = this.props;
    client.notice = "";
    this.setState({ busy });
    what()
      .catch((error) => client.say(error.message))
      .finally(() => this.setState({ busy: "" }));
  }

  get rules() {
    const { length, clock } = settings;
    return { length: Number(length), clock };
  }

  /** The end of the lesson leads here, and on to a first match. */
  componentDidMount() {
    if (location.hash !== FIRST_MATCH) return;
    history.replaceState(null, "", "/");
    this.computer("beginner", { ...this.rules, length: 1 }); // a game, without the cube
  }

  computer(level = settings.level, rules: AskedRules = this.rules) {
    this.does(async () => go(`/m/${await playComputer(this.props.client, rules, level)}`), "computer");
  }

  render() {
    const { client } = this.props;
    if (client.seeking) return this.seeking();
    const { people, tables, matches, seekers } = client.lists;
    const others = peopleFirst(people).slice(0, SHOWN);
    if (!client.me)
      return (
        <main class="lobby">
          {this.doors()}
          <p class="empty">{text.loading}</p>
        </main>
      );
    return (
      <main class={`lobby ${client.online ? "" : "stale"}`}>
        {this.doors()}
        <div class="lists">
          {this.tournaments()}
          {Object.keys(seekers).length ? list(text.seekers, newest(seekers).map(this.seeker)) : null}
          {matchList(matches)}
          {list(
            text.tables,
            newest(tables).map(this.table),
            "",
            Object.keys(tables).length
              ? null
              : nothing(
                  text.noTables,
                  button(text.openOne, () => openDialog("create:table")),
                ),
          )}
          {list(text.people, others.map(this.person), text.nobody)}
          {this.voids()}
        </div>
        {this.chat()}
      </main>
    );
  }

  /** Tournaments that are under way, or begin soon. */
  tournaments() {
    const { client } = this.props;
    const now = Date.now() / 1000;
    const near = Object.entries(client.lists.tournaments).filter(
      ([, { over, starts, ends }]) => !over && starts < ends && starts - now < SOON_S,
    );
    near.sort(([, a], [, b]) => a.starts - b.starts);
    const rows = near.map(([id, { name, starts, rules }]) =>
      row(
        id,
        <b>{link(`/tournaments/${id}`, <bdi>{name}</bdi>)}</b>,
        dotted(starts > now ? text.beginsAt(timeOfDay(1000 * starts)) : text.underWay, rulesText(rules)),
      ),
    );
    return rows.length ? list(text.places.tournaments, rows) : null;
  }

  /** Void matches of this server, of all. */
  voids() {
    const [voids, all] = this.props.client.me?.voids ?? [0, 0];
    return voids ? <p class="empty">{text.voids(voids, all)}</p> : null;
  }

  seeking() {
    const { client } = this.props;
    const rules = { ...client.seeking?.rules, rated: false }; // so it may be left at any moment
    const none = whyNone(client, rules);
    return (
      <main class="lobby">
        <section class="start">
          <h1>{text.seeking}</h1>
          <p class="tagline">{rulesText(client.seeking?.rules)}</p>
          {buttons(
            button(text.cancel, () => stopSeeking(client)),
            button(
              text.playComputer,
              () => {
                stopSeeking(client);
                this.computer(settings.level, rules);
              },
              "main",
              none !== "",
            ),
          )}
          {none && <p class="empty">{none}</p>}
        </section>
      </main>
    );
  }

  doors() {
    const { client } = this.props;
    const { busy } = this.state;
    const entered = client.storage.getItem(ENTERED);
    const own = [...client.matches.values()].filter((match) => match.seat !== null && match.view.phase !== "over");
    const pick = (
      name: "length" | "clock" | "level",
      label: string,
      options: Record<string, string> | [string, string][],
    ) => choice(label, settings[name], options, (value) => change({ [name]: value }));
    return (
      <section class="start">
        <LiveBoard client={client} />
        <h1>{text.tagline}</h1>
        {own.length ? list(text.yourMatches, own.map(this.own)) : null}
        <div class="doors">
          {button(busy === "computer" ? "…" : text.playComputer, () => this.computer(), "main", Boolean(busy))}
          {button(text.playSomeone, () => this.does(() => seekMatch(client, this.rules)), "", Boolean(busy))}
          {button(
            text.playFriend,
            () => this.does(async () => go(`/m/${await createTable(client, { rules: this.rules, private: true })}`)),
            "",
            Boolean(busy),
          )}
        </div>
        <div class="options">
          {pick(
            "length",
            text.length,
            ["1", "3", "5", "7", "0"].map((one) => [one, text.points(Number(one))]),
          )}
          {pick("clock", text.clock, clockChoices())}
          {pick("level", text.level, levels(client))}
        </div>
        {buttons(
          button(text.moreOptions, () => openDialog("create:table"), "quiet"),
          client.me?.name === "" && link("/learn", text.learn, "button"), // for new ones
          entered && link(`/tournaments/${entered}`, text.tournament, "button"),
        )}
        {refusal(client.notice)}
      </section>
    );
  }

  /** A match of ours. */
  own = (match: Match) => {
    const { client } = this.props;
    const { id, view } = match;
    const isOpen = view.phase === "open";
    const what = <b>{isOpen ? <bdi>{view.name}</bdi> : rivals(view.players)}</b>;
    const small = isOpen
      ? rulesText(view.rules)
      : `${toldScore(view.score, view.rules.length).join(" : ")} · ${match.isOurs ? text.yourTurn : rulesText(view.rules)}`;
    return row(
      id,
      what,
      small,
      <span class="buttons">
        {isOpen ? button(text.closeTable, () => act(client, match, "cancel")) : null}
        {link(`/m/${id}`, text.resume, `button ${match.isOurs ? "main" : ""}`)}
      </span>,
    );
  };

  /** A table with a free seat. */
  table = ([id, one]: [string, Table]) => {
    const { client } = this.props;
    const maker = one.players.find(Boolean) ?? "";
    const name = one.name === maker ? null : [" · ", <bdi>{one.name}</bdi>];
    const join = () => this.does(async () => go(`/m/${await joinTable(client, id)}`));
    const sit = button(text.sitDown, join, "", false, { "aria-label": `${text.sitDown}: ${maker}` });
    const isOwn = maker === client.name;
    return row(
      id,
      <b>{player(maker)}</b>,
      [rulesText(one.rules), name],
      isOwn ? you() : one.opponent === "computer" ? null : sit,
    );
  };

  seeker = ([key, one]: [string, Seeker]) => {
    const { client } = this.props;
    const seek = () => this.does(() => seekMatch(client, { delay_s: 0, reserve_s: 0, ...one.rules }, key));
    const play = button(text.play, seek, "", false, { "aria-label": `${text.play}: ${one.name}` });
    return row(key, <b>{player(one.name)}</b>, rulesText(one.rules), one.name === client.name ? you() : play);
  };

  person = ([name, one]: [string, Person]) => {
    const { client } = this.props;
    const { rating, level, kind = "guest" } = one;
    const small = dotted(lookUp(text.kinds, kind), rating, level && (lookUp(text.levels, level) ?? level));
    const ask = () => openDialog(`create:${name}`);
    const challenge = button(text.challenge, ask, "", false, { "aria-label": text.challengeName(name) });
    return row(name, <b>{player(name)}</b>, small, name === client.name ? you() : challenge);
  };

  chat() {
    const { client } = this.props;
    if (!client.chatting)
      return (
        <div class="aloud">
          {list(text.lobbyChat, [], text.chatClosed, buttons(button(text.openChat, () => openChat(client))))}
        </div>
      );
    const lines = Object.entries(client.lists.chat)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([key, line]): [string, Line] => [key, { ...line, at: 1000 * (line.since ?? 0) }]);
    return (
      <section class="list talk aloud" aria-label={text.lobbyChat}>
        <h2>{text.lobbyChat}</h2>
        <Talk lines={lines} mayTalk say={(words) => chatInLobby(client, words)} />
      </section>
    );
  }
}
