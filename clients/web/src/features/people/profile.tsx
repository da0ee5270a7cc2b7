/** Profile of a player: how they stand, how that came about, and their matches. */

import { Component, h } from "preact";
import type { BestPlay, Career, CollectedMatch, Errors, Figures, Finished } from "../../../../../protocol/tavla.d.ts";
import { openDialog } from "../../core/look/app.ts";
import { choice, refusal } from "../../core/look/forms.tsx";
import { Missing } from "../../core/look/missing.tsx";
import { button, buttons, type Children, card, link, nothing, scroller, table } from "../../core/look/parts.tsx";
import type { Client } from "../../core/net/client.ts";
import { reason } from "../../core/net/connection.ts";
import { ignorePlayer } from "../../core/net/players.ts";
import { fixed } from "../../core/texts/fixed.ts";
import { judgeName } from "../../core/texts/hint/text.ts";
import { language, lookUp, text } from "../../core/texts/text.ts";
import { date, playedCard } from "./played.ts";
import { PLAYED } from "./texts/played.ts";
import { PEOPLE } from "./texts/text.ts";

const PR_FACTOR = 500; // as in findings.ts
const [RENEW_MS, RENEWALS] = [5000, 20]; // once after 5 s, then after 10, ...: a quarter of an hour

const SIZES = ["blunder", "mistake", "doubtful"]; // they have no rating

/** follows: a button to follow a player. */
type Props = { client: Client; name: string; follows: (name: string) => Children };
/** collected: matches in files, that none but their collector sees. isHere: all of it was answered, so that nothing moves
 * what is read. filter: of the matches, "" = all; "won" or "lost"; or `=` and the name of an opponent. */
const BEGIN = {
  career: null as Career | null,
  figures: null as Figures | null,
  played: [] as Finished[],
  next: null as string | null,
  fault: "",
  busy: true,
  filter: "",
  collected: [] as CollectedMatch[],
  isHere: false,
};
export class Profile extends Component<Props, typeof BEGIN> {
  state = BEGIN;
  gone = false;

  componentDidMount() {
    Promise.all([this.career(), this.more("")]).then(() => this.setState({ isHere: true }));
  }

  async career() {
    const { connection } = this.props.client;
    try {
      const career = await connection.ask("profile", { name: this.props.name });
      this.setState({ career });
      if (this.isOther || career.kind !== "account") return;
      const asked = [connection.ask("fair_play", {}), connection.ask("collection", {})] as const;
      const [figures, { matches = [] }] = await Promise.all(asked);
      this.setState({ figures, collected: matches });
    } catch (error) {
      if (!this.state.career) this.setState({ fault: reason(error) }); // else there is no archive, which has the rest
    }
  }

  get isOther() {
    const { client, name } = this.props;
    return name.toLowerCase() !== client.name.toLowerCase();
  }

  /** The next page of what was played. @param after `next` of the page before */
  async more(after: string) {
    this.setState({ busy: true });
    try {
      const { client, name } = this.props;
      const { matches = [], next = null } = await client.connection.ask("history", { name, after });
      this.setState({ played: [...this.state.played, ...matches], next });
      if (!after) this.renew(matches);
    } catch (error) {
      if (this.state.career) this.setState({ fault: reason(error) }); // else the profile has said it
    }
    this.setState({ busy: false });
  }

  /** Figures for now are replaced by the last ones when these come. @param matches the newest */
  async renew(matches: Finished[]) {
    const { client, name } = this.props;
    for (let asked = 1; asked <= RENEWALS && matches.some(({ analysis }) => analysis?.rough); asked++) {
      await client.waiters.sleep(RENEW_MS * asked);
      if (this.gone) return;
      ({ matches = [] } = await client.connection.ask("history", { name }).catch(() => ({ matches })));
      const fresh = new Map(matches.map((one) => [one.match, one]));
      this.setState({ played: this.state.played.map((one) => fresh.get(one.match) ?? one) });
    }
  }

  componentWillUnmount() {
    this.gone = true;
  }

  render() {
    const { client, name, follows } = this.props;
    const { career, fault, isHere } = this.state;
    if (fault && !career) return <Missing missing={fault} name={name} />;
    return (
      <main class="profile">
        <h1>{career?.name ?? name}</h1>
        {career && <p class="tagline">{this.standing(career)}</p>}
        {refusal(fault)}
        {career &&
          this.isOther &&
          buttons(
            name in client.lists.people && button(text.challenge, () => openDialog(`create:${career.name}`), "main"),
            follows(career.name),
            this.ignore(career.name),
            button(text.report, () => openDialog(`report:${career.name}`), "quiet"),
          )}
        {isHere ? [this.courses(), this.figures(), this.history()] : <p class="empty">{text.loading}</p>}
      </main>
    );
  }

  /** Rating and performance, each from its oldest figure that is known. */
  courses() {
    const { career, played, collected } = this.state;
    const rating = (career?.results ?? []).map((one): [number, number] => [one.time, one.rating]);
    const performance = [...played, ...collected].flatMap(({ analysis, seat, ...one }): [number, number][] => {
      const found = analysis?.ratings?.[seat ?? -1];
      return typeof found === "number" ? [["ended" in one ? one.ended : one.added, found]] : [];
    });
    performance.sort(([one], [other]) => one - other);
    return (
      <div class="courses">
        {curve(text.rating, rating.reverse(), 1)}
        {curve(PEOPLE[language].performance, performance, 1)}
      </div>
    );
  }

  /** How one plays by the server's judge, as moderators see it. */
  figures() {
    const { figures } = this.state;
    const { matches = 0, decisions = 0, performance, error, by = "", opponents = [], errors = [] } = figures ?? {};
    const { hard = 0, right = 0, hard_s, others_s, best = [] } = figures ?? {};
    if (typeof performance !== "number") return null;
    const say = PEOPLE[language];
    const digit = (value?: number | null) => fixed(value ?? 0, 1);
    const met = opponents.map(([name, count]) => ` ${name} (${count})`).join(",");
    return card(
      say.ownPlay,
      <p>{`PR ${digit(performance)}${error ? ` ± ${digit(error)}` : ""} · ${say.judged(matches, decisions, judgeName({ by }, language))}`}</p>,
      hard ? <p>{say.hard(right, hard, digit(hard_s), digit(others_s))}</p> : null,
      met && <p>{say.met + met}</p>,
      errors.length ? scroller(say.errors, table(say.errorHeads, errors.map(errorRow))) : null,
      best.length ? scroller(say.best, table([say.best, say.ahead], best.map(bestRow))) : null,
      <p class="aside">{say.noVerdict}</p>,
      buttons(link("/puzzles#mine", say.mistakes, "button")),
    );
  }

  standing({ kind, rating = null, experience = 0, unrevealed, left, puzzles }: Career) {
    const kinds: Record<string, string> = text.kinds;
    const words = [kinds[kind]];
    if (rating !== null) words.push(`${text.rating} ${fixed(rating, 1)}`, `${text.experience} ${experience}`);
    if (puzzles) words.push(PEOPLE[language].puzzles(puzzles));
    if (unrevealed?.[0]) words.push(PEOPLE[language].unrevealed(...unrevealed));
    if (left?.[0]) words.push(PEOPLE[language].leaver(...left));
    return words.join(" · ");
  }

  ignore(name: string) {
    const { client } = this.props;
    const on = !client.ignored.has(name);
    return button(on ? text.ignore : PEOPLE[language].hearAgain, () =>
      client.showRefusal(ignorePlayer(client, name, on)),
    );
  }

  isShown = ({ seat, winner = null, players }: Finished) => {
    const { filter } = this.state;
    const result = winner === null ? "" : winner === seat ? "won" : "lost";
    return !filter || filter === result || filter === `=${players[1 - seat]}`;
  };

  history() {
    const { played, next, busy, filter } = this.state;
    const say = PEOPLE[language];
    const met = [...new Set(played.map(({ players, seat }) => players[1 - seat]))].filter(Boolean).sort();
    const filters = [...Object.entries(say.filters), ...met.map((name): [string, string] => [`=${name}`, name ?? ""])];
    const more = next && buttons(button(text.more, () => this.more(next), "", busy));
    const filtered = played.length > 1 && choice(say.shown, filter, filters, (filter) => this.setState({ filter }));
    const none = played.length
      ? nothing(say.noneOfThese)
      : nothing(say.nothingPlayed, !this.isOther && link("/", text.play, "button"));
    return playedCard(PLAYED[language].title, played.filter(this.isShown), busy, none, more, filtered);
  }
}

/** What decisions of one kind, in one phase, or of one size have cost; with the costliest one. */
function errorRow([what, decisions, lost, worst, match, number]: Errors) {
  const name = lookUp(PEOPLE[language].whats, what) ?? what;
  return (
    <tr key={what}>
      <th scope="row">{name}</th>
      <td>{decisions}</td>
      <td>{SIZES.includes(what) ? "" : decisions ? fixed((PR_FACTOR * lost) / decisions, 1) : "–"}</td>
      <td>{fixed(lost, 1)}</td>
      <td>{worst ? link(`/m/${match}?review#${number}`, fixed(worst, 2), "", `${name}: ${fixed(worst, 2)}`) : ""}</td>
    </tr>
  );
}

/** A hard play that was right, and by how much. */
const bestRow = ([done, margin, match, number]: BestPlay) => (
  <tr key={`${match} ${number}`}>
    <th scope="row">{link(`/m/${match}?review#${number}`, done)}</th>
    <td>{fixed(margin, 2)}</td>
  </tr>
);

/** Course of a figure over time. points: when, in ms since 1970, and how much; the oldest first. */
function curve(title: string, points: [number, number][], digits: number) {
  if (points.length < 2) return null;
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [points[0], points[points.length - 1]];
  const at = ([, value]: [number, number], index: number) =>
    `${(300 * index) / (points.length - 1)},${60 - (56 * (value - low)) / (high - low || 1)}`;
  const shown = (value: number) => fixed(value, digits);
  return (
    <figure class="list course">
      <figcaption>
        <h2>{title}</h2>
        <b>{shown(last[1])}</b>
      </figcaption>
      <svg
        class="curve"
        viewBox="-4 0 308 64"
        preserveAspectRatio="none"
        role="img"
        aria-label={PEOPLE[language].course(title, shown(first[1]), shown(last[1]))}
      >
        <polyline points={points.map(at).join(" ")} vector-effect="non-scaling-stroke" />
      </svg>
      <small class="range">
        <span>{shown(high)}</span>
        <span>{shown(low)}</span>
      </small>
      <small class="dates">
        <span>{date(first[0])}</span>
        <span>{date(last[0])}</span>
      </small>
    </figure>
  );
}
