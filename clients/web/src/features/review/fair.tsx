/** Were these dice fair? What is known of a match's dice, and of all that this server has rolled, in plain words. */

import { Component, h } from "preact";
import type { Analysis, Rolls } from "../../../../../protocol/tavla.d.ts";
import { refusal } from "../../core/look/forms.tsx";
import { Later } from "../../core/look/later.tsx";
import { card, namesOf, reviewLink, scroller, table, verdictLine } from "../../core/look/parts.tsx";
import { reason } from "../../core/net/connection.ts";
import { judgeMatch, type Reader } from "../../core/net/verdicts.ts";
import { judgeName } from "../../core/texts/hint/text.ts";
import { language, text } from "../../core/texts/text.ts";
import {
  all,
  bounds,
  type Counts,
  doubles,
  faceBounds,
  faces,
  fallen,
  readable,
  sum,
  tablesPerAlarm,
} from "./model/fairness.ts";
import { percent, signed } from "./numbers.ts";
import { words } from "./texts/text.ts";

type Told = Awaited<ReturnType<typeof judgeMatch>>;
type Props = { reader: Reader | null; match: string; code: string };
/** rolls: null = the server has none; undefined = it is asked. */
type State = { told: Told | null; fault: string; rolls?: (Rolls & Counts) | null };

const whole = (number: number) => Math.round(number).toLocaleString(language);

/** reader: null = no match is asked about, but the server alone. */
export class Fair extends Component<Props, State> {
  state: State = { told: null, fault: "" };

  componentDidMount() {
    const { reader, match, code } = this.props;
    if (reader) {
      judgeMatch(reader, match, code).then(
        (told) => this.setState({ told }),
        (error) => this.setState({ fault: reason(error) }),
      );
    }
    const ask = async () => {
      const answer = await fetch("/dice.json");
      return answer.ok ? readable(await answer.json()) : null;
    };
    ask().then(
      (rolls) => this.setState({ rolls }),
      () => this.setState({ rolls: null }),
    );
  }

  render() {
    const say = words().fair;
    return (
      <main class="fair">
        <h1>{text.fairDice}</h1>
        {this.props.reader ? this.match() : <p>{say.intro}</p>}
        {this.server()}
        <Later part={() => import("../ledger/entry.ts")} show={({ Remembered }) => <Remembered />} />
      </main>
    );
  }

  match() {
    const say = words().fair;
    const { told, fault } = this.state;
    if (fault) return refusal(fault);
    if (!told) return <p role="status">{words().loading}</p>;
    const { view, verdict, steps, analysis } = told;
    const names = namesOf(view.players);
    if (view.phase !== "over") return <p>{words().notOver}</p>;
    const { white, black } = fallen(steps);
    return card(
      names.join(" – "),
      verdictLine(verdict),
      <h3>{say.shows}</h3>,
      say.showsText.map((line) => <p>{line}</p>),
      <h3>{say.luck}</h3>,
      [white, black].map((counts, seat) => (
        <p>{say.rolled(names[seat], sum(counts), doubles(counts), Math.round(sum(counts) / 6))}</p>
      )),
      luckOf(analysis, names),
      <p>{reviewLink(this.props.match, this.props.code)}</p>,
    );
  }

  server() {
    const say = words().fair;
    const { rolls } = this.state;
    const counts = rolls && all(rolls);
    const number = counts ? sum(counts) : 0;
    if (rolls === undefined) return card(say.here, <p role="status">{text.loading}</p>);
    if (!rolls || !counts || !number) return card(say.here, <p>{say.nothing}</p>);
    return card(
      say.here,
      <p>{say.counted(whole(number), whole(rolls.matches ?? 0), whole(rolls.proved ?? 0))}</p>,
      grid(counts),
      verdictOf(counts, number),
      bySide(rolls),
      luckHere(rolls),
      <p>{say.serversWord}</p>,
      <details>
        <summary>{say.how}</summary>
        <p>{say.formula(whole(tablesPerAlarm(number)))}</p>
      </details>,
      <p>
        {`${say.download} `}
        <a href="/dice.json" download>
          JSON
        </a>
      </p>,
    );
  }
}

const isOut = (count: number, { low, high }: { low: number; high: number }) => count < low || count > high;

/** The 36 outcomes, the first die from above, the second from the left. */
function grid(counts: number[]) {
  const say = words().fair;
  const limits = bounds(sum(counts));
  const faces = [1, 2, 3, 4, 5, 6];
  const cell = (count: number) => {
    const out = isOut(count, limits);
    return (
      <td class={out ? "out" : ""}>
        {whole(count)}
        {out && <span>{` ${say.outside}`}</span>}
      </td>
    );
  };
  const rows = faces.map((one) => {
    const cells = faces.map((two) => cell(counts[6 * one + two - 7]));
    return (
      <tr key={one}>
        <th scope="row">{one}</th>
        {cells}
      </tr>
    );
  });
  const heads = [<td />, ...faces.map(String)];
  return scroller(say.tableLabel, table(heads, rows, {}, <caption>{say.caption}</caption>));
}

/** The table in a sentence. */
function verdictOf(counts: number[], number: number) {
  const say = words().fair;
  const limits = bounds(number);
  const ofFace = faceBounds(number);
  const shown = faces(counts).map(
    (count, face) => `${face + 1}: ${whole(count)}${isOut(count, ofFace) ? ` ${say.outside}` : ""}`,
  );
  const outside = [
    ...counts.map((count) => isOut(count, limits)),
    ...faces(counts).map((count) => isOut(count, ofFace)),
  ];
  const many = outside.filter(Boolean).length;
  return [
    <p>{say.expected(whole(limits.mean), whole(limits.low), whole(limits.high))}</p>,
    <p>{say.faces(shown.join(", "), whole(ofFace.low), whole(ofFace.high))}</p>,
    <p>
      <b>{many ? say.someOut(many, whole(tablesPerAlarm(number))) : say.allIn}</b>
    </p>,
    number < 1000 ? <p>{say.few}</p> : null,
  ];
}

function bySide({ white, black, opening }: Counts) {
  const say = words().fair;
  const rows: [string, number[]][] = [
    [text.sides.white, white],
    [text.sides.black, black],
    [say.opening, opening],
  ];
  return (
    <ul>
      {rows.map(([who, counts]) => {
        const { low, high } = bounds(sum(counts), 6);
        return (
          <li key={who}>{say.doubles(who, whole(sum(counts)), whole(doubles(counts)), whole(low), whole(high))}</li>
        );
      })}
    </ul>
  );
}

function luckHere({ judged = 0, luck = [0, 0], luckier = 0 }: Rolls) {
  if (!judged) return null;
  const [winners, losers] = luck.map((one) => signed(one / judged));
  return <p>{words().fair.luckHere(whole(judged), winners, losers, percent(luckier / judged))}</p>;
}

function luckOf(analysis: Analysis | undefined | null, names: string[]) {
  const say = words().fair;
  if (!analysis || analysis.error) return <p>{say.noLuck}</p>;
  const [white, black] = (analysis.luck ?? [0, 0]).map(signed);
  return <p>{say.luckOf(names[0], white, names[1], black, judgeName(analysis, language))}</p>;
}
