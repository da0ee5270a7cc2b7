/** One's collection: matches in files that the server keeps and judges. */

import { Component, h } from "preact";
import type { CollectedMatch } from "../../../../../protocol/tavla.d.ts";
import { choice, refusal } from "../../core/look/forms.tsx";
import { Missing, missingBy } from "../../core/look/missing.tsx";
import { button, buttons, type Children, card, Dialog, link, plain, scroller, table } from "../../core/look/parts.tsx";
import { rulesText } from "../../core/model/rules.ts";
import type { Client } from "../../core/net/client.ts";
import { Refused, reason } from "../../core/net/connection.ts";
import { fixed } from "../../core/texts/fixed.ts";
import { judgeName } from "../../core/texts/hint/text.ts";
import { dotted, language, text } from "../../core/texts/text.ts";
import { date } from "../people/played.ts";
import { collect, readCollected } from "./collected.ts";
import { type Opened, opened } from "./files.tsx";
import { COLLECTION } from "./texts/collection/text.ts";

const say = () => COLLECTION[language];
const hasAccount = (client: Client) => client.me?.kind === "account";
const versus = ({ players }: CollectedMatch) => players.join(" – ");

type ListState = {
  matches: CollectedMatch[];
  next: string | null;
  busy: boolean;
  fault: string;
  asked: CollectedMatch | null;
  judging: boolean;
};

/** The list of them. asked: which one is to be discarded. judging: the server does, in time. */
export class CollectionCard extends Component<{ client: Client }, ListState> {
  state: ListState = { matches: [], next: null, busy: true, fault: "", asked: null, judging: false };

  /** Whether one has an account may not be known yet: who has none is refused, and sees no list. */
  componentDidMount() {
    this.more("");
  }

  /** The next page. @param after `next` of the page before */
  more(after: string) {
    this.setState({ busy: true });
    this.props.client.connection.ask("collection", { after }).then(
      ({ matches = [], next = null, judging = false }) =>
        this.setState((now) => ({ matches: [...now.matches, ...matches], next, judging, busy: false })),
      (error) => this.setState({ fault: reason(error), busy: false }),
    );
  }

  discard({ match }: CollectedMatch) {
    this.setState({ asked: null });
    this.props.client.connection.ask("discard", { match }).then(
      () => this.setState(({ matches }) => ({ matches: matches.filter((one) => one.match !== match) })),
      (error) => this.setState({ fault: reason(error) }),
    );
  }

  row = (one: CollectedMatch) => {
    const { match, name = "", rules = {}, score = [0, 0], seat = null, analysis = null, added } = one;
    const figures = <T,>(pair: readonly [T, T]) => (seat === 1 ? [pair[1], pair[0]] : pair);
    const most = (points: number) => Math.min(points, rules.length ?? 7) || points;
    const isJudged = analysis && !analysis.error;
    const ratings = figures(analysis?.ratings ?? [null, null]).map((rating) => (rating ? fixed(rating, 1) : "–"));
    const luck = isJudged && seat !== null ? fixed(analysis.luck?.[seat] ?? 0, 2) : "";
    return (
      <tr key={match}>
        <th scope="row">{link(`/review#file-${match}`, versus(one))}</th>
        <td>
          {`${most(score[0])} – ${most(score[1])}`}
          <small>{dotted(rulesText(rules), date(added), name)}</small>
        </td>
        <td>
          {isJudged ? ratings.join(" / ") : null}
          <small>
            {isJudged ? judgeName(analysis, language) : (analysis?.error ?? (this.state.judging && say().waits))}
          </small>
        </td>
        <td>{luck}</td>
        <td>
          {button("✕", () => this.setState({ asked: one }), "quiet", false, {
            "aria-label": say().discardThis(versus(one)),
            title: say().discard,
          })}
        </td>
      </tr>
    );
  };

  render() {
    const { matches, next, busy, fault, asked } = this.state;
    if (!hasAccount(this.props.client)) return null;
    const shut = () => this.setState({ asked: null });
    return card(
      say().title,
      <p class="aside">{say().help}</p>,
      refusal(fault),
      matches.length ? (
        scroller(say().title, table(say().heads, matches.map(this.row), { class: "collected" }))
      ) : (
        <p class="empty">{busy ? text.loading : say().none}</p>
      ),
      next ? buttons(button(text.more, () => this.more(next), "", busy)) : null,
      asked && (
        <Dialog title={say().discardThis(versus(asked))} close={shut}>
          <p>{say().forGood}</p>
          {buttons(
            button(say().discard, () => this.discard(asked), "main"),
            button(say().cancel, shut),
          )}
        </Dialog>
      ),
    );
  }
}

type KeepProps = { client: Client; files: Opened[] };
/** me: the name by which one is in the files; "" = neither. done: how many are kept; null = it was not begun. */
type KeepState = { me: string; done: number | null; busy: boolean; faults: string[] };

/** Matches in files, to be kept: who one is in them, and a button. */
export class Keep extends Component<KeepProps, KeepState> {
  state: KeepState = { me: this.likely, done: null, busy: false, faults: [] };

  /** The names in the files, the most frequent first. */
  get names() {
    const counts = new Map<string, number>();
    for (const { view } of this.props.files)
      for (const name of view.players) counts.set(name ?? "", (counts.get(name ?? "") ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  }

  /** Our own name here, if it is there. */
  get likely() {
    const own = this.props.client.name.toLowerCase();
    return this.names.find((name) => name.toLowerCase() === own) ?? "";
  }

  async keep() {
    const { client, files } = this.props;
    this.setState({ done: 0, busy: true, faults: [] });
    for (const file of files)
      try {
        const seat = file.view.players.indexOf(this.state.me);
        await collect(client, file, seat < 0 || !this.state.me ? null : seat);
        this.setState(({ done }) => ({ done: (done ?? 0) + 1 }));
      } catch (error) {
        const why = error instanceof RangeError ? say().tooLong : reason(error as Error);
        this.setState(({ faults }) => ({ faults: [...faults, `${file.name}: ${why}`] }));
        if (error instanceof Refused && error.code === "too_many") break; // the others would be, too
      }
    this.setState({ busy: false });
  }

  render() {
    const { client, files } = this.props;
    const { me, done, busy, faults } = this.state;
    if (!hasAccount(client)) return <p class="aside">{say().account}</p>;
    const names = [["", say().neither], ...this.names.map((name) => [name, name])] as [string, string][];
    return (
      <div class="keep">
        {done === null || faults.length ? choice(say().you, me, names, (me) => this.setState({ me })) : null}
        {done === null || (faults.length && !busy)
          ? button(say().keep(files.length), () => this.keep(), "", busy)
          : null}
        {done === null ? null : <p role="status">{say().keeping(done, files.length)}</p>}
        {done && !busy ? link("/review", say().toIt, "button") : null}
        {faults.map((fault) => refusal(fault))}
      </div>
    );
  }
}

type ReadProps = { client: Client; id: string; show: (file: Opened) => Children };

/** A match of the collection, when it is read. */
export class WithCollected extends Component<ReadProps, { file: Opened | null; fault: string }> {
  state: { file: Opened | null; fault: string } = { file: null, fault: "" };

  componentDidMount() {
    const { client, id } = this.props;
    readCollected(client, id).then(
      (found) =>
        this.setState({ file: { ...opened(found, found.collected.match.name ?? ""), collected: found.collected } }),
      (error) => this.setState({ fault: missingBy(error) }),
    );
  }

  render() {
    const { file, fault } = this.state;
    if (fault) return <Missing missing={fault} name={this.props.id} />;
    return file ? this.props.show(file) : plain(text.loading);
  }
}
