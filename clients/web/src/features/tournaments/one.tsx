/** A tournament: its time, our actions in it, the leaders' boards, and the standings. */

import { Component, h } from "preact";
import type { Tournament } from "../../../../../protocol/tavla.d.ts";
import { invited } from "../../core/device/share.ts";
import { openDialog } from "../../core/look/app.ts";
import { refusal } from "../../core/look/forms.tsx";
import { button, buttons, CopyButton, link, list, mainLink, Pop, qrCode, rivals } from "../../core/look/parts.tsx";
import { dotted, lookUp, text } from "../../core/texts/text.ts";
import { LiveBoard } from "../lobby/live.tsx";
import { factsOf, startTime } from "./all.tsx";
import { type Decision, DirectDialog } from "./direct.tsx";
import { countdown, needsPlayers, pairsOf, type Row, ranked, type Stage, stageOf } from "./model/ranks.ts";
import { roundsOf, walkoverOf, winnerOf } from "./model/rounds.ts";
import type { TournamentClient } from "./net.ts";
import { Played } from "./played.tsx";
import { podium } from "./podium.tsx";
import { brackets, crosstable, Rounds } from "./rounds.tsx";
import { standings } from "./standings.tsx";
import { words } from "./texts/text.ts";

const WIDE = matchMedia("(min-width: 900px)"); // a phone has no room for a board, and none below the standings
const LATE = ["arena", "swiss"]; // one may come when they have begun
const BOARDS = 4; // of the leaders that are shown
const OPEN_TO_PLAYERS = ["begin", "add", "rename", "cancel"]; // directions that one may give who plays

const isRounds = ({ format = "arena" }: Tournament) => format !== "arena";
/** Description of a format, which may be of a later version. */
const lookUpAll = (all: Record<string, string[]>, format: string) => all[format] ?? [];

type Props = { client: TournamentClient; tournament: Tournament; now: number };
type State = { all: boolean; busy: boolean; decides: Decision | "" };
export class One extends Component<Props, State> {
  state: State = { all: false, busy: false, decides: "" };

  does(what: () => Promise<unknown>) {
    const { client } = this.props;
    client.notice = "";
    this.setState({ busy: true });
    const asked = what().finally(() => this.setState({ busy: false }));
    client.showRefusal(asked);
  }

  join = () => {
    const { client, tournament } = this.props;
    if (tournament.rules?.rated && client.me?.kind !== "account") openDialog("account", words().needsAccountToPlay);
    else this.does(() => client.enter());
  };

  render() {
    const { client, tournament, now } = this.props;
    const { all, decides } = this.state;
    const say = words();
    const rows = ranked(client.lists.standings);
    const stage = stageOf(tournament, now);
    const { format = "arena" } = tournament;
    const { pairings } = client.lists;
    const tiebreaks = lookUpAll(say.tiebreaks, format);
    const isOver = stage === "over";
    const { at } = client;
    const about = { tournament, pairings, own: client.name, at };
    const close = () => this.setState({ decides: "" });
    return (
      <main class={`arenas one ${client.online ? "" : "stale"}`}>
        {this.head(stage, rows)}
        {this.own(stage, rows)}
        <div class="results">
          {format === "knock-out" ? brackets(about) : null}
          <section class={`list table ${tiebreaks.length ? "ties" : ""}`}>
            <h2>{isOver ? say.final_ : stage === "coming" ? say.players(rows.length) : say.standings}</h2>
            {standings({
              rows,
              tiebreaks,
              isOver,
              at,
              own: client.name,
              all,
              showAll: () => this.setState({ all: true }),
            })}
          </section>
          {format === "swiss" || format === "round-robin" ? crosstable(rows, about) : null}
          {WIDE.matches ? this.how(stage) : null}
        </div>
        <div class="beside">
          {Object.keys(client.lists.matches).length && WIDE.matches ? <LiveBoard client={client} /> : null}
          {format === "arena" ? this.boards(rows) : h(Rounds, about)}
          {stage === "coming" ? null : (
            <Played key={String(isOver)} client={client} names={rows.map(({ name }) => name)} isOver={isOver} />
          )}
          {WIDE.matches ? null : this.how(stage)}
        </div>
        {decides ? (
          <DirectDialog client={client} what={decides} names={rows.map(({ name }) => name)} close={close} />
        ) : null}
      </main>
    );
  }

  head(stage: Stage, rows: Row[]) {
    const { client, tournament, now } = this.props;
    const { name, by, starts, ends, players = 0, playing = 0, round = 0, format = "arena" } = tournament;
    const say = words();
    const isPlayed = Boolean(roundsOf(client.lists.pairings)[round - 1]?.every((one) => one.over));
    const directs = stage !== "over" && (client.name === by || Boolean(client.me?.role));
    return (
      <section class="title">
        <div>
          {link("/tournaments", say.all)}
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <p class="aside">{factsOf(tournament)}</p>
          <p class="aside">{dotted(say.players(players), playing && say.playing(playing))}</p>
          {stage === "over" && rows[0]?.points ? <p class="winner">{say.wonBy(rows[0].name)}</p> : null}
        </div>
        <p class={`time ${stage}`}>
          {stage === "coming" ? (
            [
              <b role="timer">{countdown(starts - now)}</b>,
              <small>{`${say.untilStart} (${startTime(starts, now)})`}</small>,
            ]
          ) : needsPlayers(tournament, stage) ? (
            <small>
              {say.needsTwo}
              {format === "arena" && ` (${say.until(startTime(ends, now))})`}
            </small>
          ) : stage === "running" && isPlayed ? (
            <b>{say.roundPlayed(round)}</b>
          ) : stage === "running" ? (
            [<b role="timer">{countdown(ends - now)}</b>, <small>{round ? say.leftOfRound(round) : say.left}</small>]
          ) : (
            [<b>{ends < starts ? say.cancelled : say.stages[stage]}</b>, <small>{startTime(starts, now)}</small>]
          )}
        </p>
        {stage === "over" && rows[0]?.points
          ? podium(rows.map(({ place, name, points = 0 }) => [place, name, `${say.points}: ${points}`]))
          : null}
        {directs ? this.director(stage) : null}
      </section>
    );
  }

  director(stage: Stage) {
    const { client, tournament } = this.props;
    const { matches, match, waiting } = client.own ?? {};
    const plays = Boolean(matches || match || waiting);
    const say = words();
    const all: Decision[] = stage === "coming" ? ["begin"] : [];
    all.push(tournament.halted ? "resume" : "halt", "extend", "add", "remove");
    if (stage !== "ending") all.push(stage === "coming" ? "cancel" : "end");
    all.push("rename");
    const decides = plays ? all.filter((what) => OPEN_TO_PLAYERS.includes(what)) : all;
    return (
      <Pop label={say.direct} kind="" closes>
        {decides.map((what) => button(say[what], () => this.setState({ decides: what }), "quiet"))}
        {plays ? <p class="aside">{say.playsToo}</p> : null}
      </Pop>
    );
  }

  /** Our standing in it, and our actions. */
  own(stage: Stage, rows: Row[]) {
    const { client, tournament } = this.props;
    const { busy } = this.state;
    const say = words();
    const own = rows.find(({ name }) => name === client.name);
    const opponent = own?.match && rows.find(({ match, name }) => match === own.match && name !== own.name);
    const { format = "arena", round = 0 } = tournament;
    const hasBegun = stage !== "coming" && (!isRounds(tournament) || round > 0); // till then it waits for players
    const isLate = stage === "running" && hasBegun && !own && !LATE.includes(format);
    const isOpen = !client.done && (stage === "coming" || (stage === "running" && !isLate));
    const waits = client.waits || client.returns;
    const isPaused = own && !own.match && !waits && !own.waiting;
    const said = () => {
      if (own?.match) return say.youPlay(opponent ? opponent.name : text.someone);
      if (stage === "over") return own ? say.youWere(own.place, tournament.players ?? rows.length) : say.final;
      if (client.done) return say.noMoreForYou;
      if (stage === "ending") return say.noMore;
      if (waits) return !hasBegun ? say.youAreIn : isRounds(tournament) ? say.youWaitForRound : say.youWait;
      if (own?.waiting) return say.youWaitElsewhere;
      if (isLate) return client.name === tournament.by ? say.youDirect : say.tooLate;
      if (own) return say.youPause;
      return isRounds(tournament) ? (hasBegun ? say.notInLate : say.notInRounds) : say.notIn;
    };
    const decided = walkoverOf(client.lists.pairings, client.name);
    const other = decided?.players.find((name) => name !== client.name) ?? "";
    const address = `${invited()}/tournaments/${client.id}`;
    return (
      <section class={`list self ${waits ? "waits" : ""}`}>
        <p role="status">{said()}</p>
        {decided && (
          <p class="aside">
            {!other
              ? say.haveBye(decided.round)
              : winnerOf(decided) === client.name
                ? say.wonWithout(decided.round, other)
                : say.lostWithout(decided.round, other)}
          </p>
        )}
        {tournament.halted && stage !== "over" ? <p class="aside">{say.halted}</p> : null}
        {refusal(client.notice)}
        {isOpen && client.waits ? <p class="aside">{lookUp(say.leaving, hasBegun ? format : "coming")}</p> : null}
        {buttons(
          own?.match ? mainLink(`/m/${own.match}`, say.toBoard) : null,
          isOpen && !own?.match && !waits
            ? button(isPaused ? say.enter : own ? say.waitHere : say.join, this.join, "main", busy)
            : null,
          isOpen && client.waits
            ? button(hasBegun ? say.leave : say.withdraw, () => this.does(() => client.leave()), "", busy)
            : null,
          stage === "over" ? null : <CopyButton words={text.copy} what={() => address} kind="quiet" />,
        )}
        {stage === "over" ? null : qrCode(address)}
      </section>
    );
  }

  /** The matches of the leaders: watched by one click. */
  boards(rows: Row[]) {
    const { client } = this.props;
    const say = words();
    const pairs = pairsOf(rows).slice(0, BOARDS);
    if (!pairs.length) return null;
    return list(
      say.boards,
      pairs.map(([match, one, other]) => {
        const names = `${one.name} – ${other.name}`;
        const watch = [one.name, other.name].includes(client.name)
          ? link(client.at(match), say.toBoard, "button")
          : link(client.at(match), text.watch, "button", say.watchNames(names));
        return (
          <li key={match}>
            <span class="what">
              <b>{rivals([one.name, other.name])}</b>
              <small>{`#${one.place} – #${other.place}`}</small>
            </span>
            {watch}
          </li>
        );
      }),
    );
  }

  how(stage: Stage) {
    const say = words();
    const { format = "arena" } = this.props.tournament;
    return (
      <details class="list" open={stage === "coming" || WIDE.matches}>
        <summary>{say.how}</summary>
        <ul class="how">
          {[...lookUpAll(say.rules, format), ...(format === "arena" ? [] : say.rulesOfRounds)].map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </details>
    );
  }
}
