/** All tournaments: those under way, to come, and over. */

import { Component, h } from "preact";
import type { Held, Tournament } from "../../../../../protocol/tavla.d.ts";
import { refusal } from "../../core/look/forms.tsx";
import { button, buttons, type Children, list, nothing } from "../../core/look/parts.tsx";
import { rulesText } from "../../core/model/rules.ts";
import { dotted, language, lookUp, text } from "../../core/texts/text.ts";
import { countdown, needsPlayers, type Stage, stageOf } from "./model/ranks.ts";
import type { TournamentClient } from "./net.ts";
import { words } from "./texts/text.ts";

const NEAR_S = 12 * 3600; // what begins within them has a countdown

/** When it begins: a time, and with it the day, unless that is near. @param now s since 1970 */
export const startTime = (starts: number, now: number) =>
  new Date(1000 * starts).toLocaleString(language, {
    ...(starts - now > NEAR_S ? { weekday: "short", day: "numeric", month: "short" } : {}),
    hour: "2-digit",
    minute: "2-digit",
  });

/** Summary of a tournament: the rules of a match, and its duration or number of rounds. */
export function factsOf({ rules, starts, ends, by, format = "arena", round = 0, rounds = 0, ...more }: Tournament) {
  const say = words();
  const isArena = format === "arena";
  const length = isArena ? say.lasts(Math.round((ends - starts) / 60)) : round ? say.roundOf(round, rounds) : "";
  const { min_rating: least = 0, max_rating: most = 0 } = more;
  return dotted(
    !isArena && (lookUp(say.formats, format) ?? format),
    rulesText(rules),
    length,
    (least || most) && say.band(least, most),
    more.private && say.private_,
    say.by(by),
  );
}

type Props = { client: TournamentClient; now: number; make: () => void };
/** past: those that the list has no longer; null = they were not asked for. */
export class All extends Component<Props, { past: Record<string, Tournament> | null; next: string }> {
  state: { past: Record<string, Tournament> | null; next: string } = { past: null, next: "" };

  asked = false; // for them without a click: where nothing else is over

  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const { client, now } = this.props;
    if (this.asked || Object.values(client.lists.tournaments).some((one) => stageOf(one, now) === "over")) return;
    this.asked = true;
    this.read().catch(() => this.setState({ past: {} })); // there may be no archive
  }

  /** The next page of those that were over long ago. */
  read() {
    const { past, next } = this.state;
    const add = ({ tournaments = {}, next }: Held) =>
      this.setState({ past: { ...past, ...tournaments }, next: next ?? "" });
    return this.props.client.connection.ask("past_tournaments", { after: next }).then(add);
  }
  more = () => this.props.client.showRefusal(this.read());

  render() {
    const { client, now, make } = this.props;
    const { past, next } = this.state;
    const say = words();
    const all = Object.entries({ ...past, ...client.lists.tournaments });
    const group = (title: string, stages: Stage[], order: 1 | -1, below: Children = null) => {
      const found = all.filter(([, one]) => stages.includes(stageOf(one, now)));
      found.sort(([, a], [, b]) => order * (a.starts - b.starts));
      const rows = found.map(([id, one]) => row(id, one, stageOf(one, now), now));
      return rows.length ? list(title, rows, "", below) : null;
    };
    const isAll = past && !next;
    const makes = button(say.make, make, "main");
    return (
      <main class={`arenas ${client.online ? "" : "stale"}`}>
        <div class="title">
          <h1>{text.places.tournaments}</h1>
          {all.length ? makes : null}
        </div>
        {refusal(client.notice)}
        {all.length || !past ? null : nothing(say.none, makes)}
        {group(say.stages.running, ["running", "ending"], -1)}
        {group(say.stages.coming, ["coming"], 1)}
        {group(
          say.stages.over,
          ["over"],
          -1,
          isAll ? null : buttons(button(past ? text.more : say.earlier, this.more, "quiet")),
        )}
      </main>
    );
  }
}

function row(id: string, one: Tournament, stage: Stage, now: number) {
  const say = words();
  const { starts, ends, players = 0 } = one;
  const time =
    stage === "coming"
      ? starts - now > NEAR_S
        ? ""
        : countdown(starts - now)
      : stage === "running" && !needsPlayers(one, stage)
        ? countdown(ends - now)
        : "";
  const when = stage === "coming" || stage === "over" ? startTime(starts, now) : say.stages[stage];
  return (
    <li key={id}>
      <a class="arena" href={`/tournaments/${id}`}>
        <span class="what">
          <b>
            <bdi>{one.name}</bdi>
          </b>
          <small>{factsOf(one)}</small>
        </span>
        <span class="when">
          <b>{time || when}</b>
          <small>{say.players(players)}</small>
        </span>
      </a>
    </li>
  );
}
