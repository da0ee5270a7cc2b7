/** Profile of a player, with their matches: a part of the script for people, made with what the page passes to it. */

import type { Career, Finished, Result } from "../../../../protocol/tavla.d.ts";
import type { Client } from "../net/client.ts";
import type { Kit } from "../people.ts";
import type { Texts } from "../texts/text.ts";
import type { Help } from "./help.ts";

/** @param ms since 1970 */
const date = (ms: number, language: string) =>
  new Date(ms).toLocaleDateString(language, { day: "numeric", month: "short", year: "numeric" });
const signed = (change: number) => `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(1)}`;

/** Performance ratings of a match, own figures first; "" until it is judged. */
export function judged(text: Texts, { analysis, seat }: Finished) {
  if (!analysis) return "";
  const { by = "", rough = false, error = "", ratings = [null, null], luck = [0, 0] } = analysis;
  if (error) return text.notJudged(error);
  const [mine, theirs] = [seat, 1 - seat].map((one) => ratings[one]?.toFixed(1) ?? "–");
  const [own, other] = [seat, 1 - seat].map((one) => `${luck[one] < 0 ? "−" : "+"}${Math.abs(luck[one]).toFixed(2)}`);
  return text.judged(mine, theirs, own, other, rough ? text.forNow(by) : by);
}

const [RENEW_MS, RENEWALS] = [5000, 20]; // once after 5 s, then after 10, ...: a quarter of an hour

type Props = { client: Client; name: string; go: (path: string) => void; open: (dialog: string) => void };
type State = Partial<Help> & {
  career: Career | null;
  played: Finished[];
  next: string | null;
  fault: string;
  busy: boolean;
};
export function profiles(kit: Kit) {
  const { h, Component, speech, button, buttons, list, player, refusal, rulesText, fetchHelp, reason } = kit;
  const { ignorePlayer } = kit;

  class Profile extends Component<Props, State> {
    state: State = { career: null, played: [], next: null, fault: "", busy: true };

    gone = false;

    componentDidMount() {
      const { client, name } = this.props;
      client.connection.ask("profile", { name }).then(
        (career) => this.setState({ career }),
        (error) => this.setState({ fault: error.message }),
      );
      this.more("");
      fetchHelp().then((help) => this.setState(help));
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
      const { client, name, open } = this.props;
      const { career, fault } = this.state;
      const isOther = name.toLowerCase() !== client.name.toLowerCase();
      const isThere = name in client.lists.people;
      const { text } = speech();
      return h(
        "main",
        { class: "lobby" },
        h(
          "section",
          { class: "start profile" },
          h("h1", null, career?.name ?? name),
          career ? h("p", { class: "tagline" }, this.standing(career)) : null,
          career?.results?.length ? h(Curve, { results: career.results }) : null,
          refusal(fault),
          career && isOther
            ? buttons(
                isThere ? button(text.challenge, () => open(`create:${career.name}`), "main") : null,
                client.people?.follows(career.name),
                this.ignore(career.name),
                button(text.report, () => open(`report:${career.name}`), "quiet"),
              )
            : null,
        ),
        career || !fault ? this.history() : null,
      );
    }

    standing({
      kind,
      rating = null,
      experience = 0,
      unrevealed: [missing, due] = [0, 0],
      left: [left, begun] = [0, 0],
    }: Career) {
      const { text } = speech();
      const kinds: Record<string, string> = text.kinds;
      const words = [kinds[kind]];
      if (rating !== null) words.push(`${text.rating} ${rating.toFixed(1)}`, `${text.experience} ${experience}`);
      if (missing) words.push(text.unrevealed(missing, due));
      if (left) words.push(text.leaver(left, begun));
      return words.join(" · ");
    }

    ignore(name: string) {
      const { client } = this.props;
      const { text } = speech();
      const on = !client.ignored.has(name);
      return button(on ? text.ignore : text.hearAgain, () => client.showRefusal(ignorePlayer(client, name, on)));
    }

    history() {
      const { played, next, busy } = this.state;
      const { text } = speech();
      const more = next ? buttons(button(text.more, () => this.more(next), "", busy)) : null;
      return h(
        "div",
        { class: "wide" },
        list(text.playedMatches, played.map(this.row), busy ? text.loading : text.nothingPlayed, more),
      );
    }

    row = (match: Finished) => {
      const { go } = this.props;
      const { text, language } = speech();
      const { seat, players, score = [0, 0], winner = null, changes = [0, 0], ratings = [null, null] } = match;
      const result = winner === null ? text.level_ : winner === seat ? text.won : text.lost;
      const [white, black] = score.map((one) => Math.min(one, (match.rules?.length ?? 7) || one));
      const toldByScore = white || black ? ` ${[white, black][seat]} – ${[white, black][1 - seat]} ` : " ";
      const change = ratings[seat] === null ? "" : ` · ${signed(changes[seat])}`;
      return h(
        "li",
        { key: match.match },
        h(
          "span",
          { class: "what" },
          h("span", null, h("b", null, result), toldByScore, player(players[1 - seat], go)),
          h("small", null, `${date(match.ended, language)} · ${rulesText(match.rules)}${change}`),
          match.analysis ? h("small", { title: this.state.judgedHelp }, judged(text, match)) : null,
        ),
        button(text.replay, () => go(`/m/${match.match}?replay`)),
      );
    };
  }

  /** Course of a rating: newest last. */
  function Curve({ results }: { results: Result[] }) {
    const ratings = results.map(({ rating }) => rating).reverse();
    const first = ratings[0] - results[results.length - 1].change;
    const all = [first, ...ratings];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const points = all.map(
      (rating, index) => `${(300 * index) / (all.length - 1)},${60 - (56 * (rating - low)) / (high - low || 1)}`,
    );
    return h(
      "svg",
      {
        class: "curve",
        viewBox: "-4 0 308 64",
        role: "img",
        "aria-label": speech().text.ratingWent(Math.round(first), Math.round(all[all.length - 1])),
      },
      h("polyline", { points: points.join(" ") }),
    );
  }

  return Profile;
}
