/** Were these dice fair? What is known of a match's dice, and of all that this server has rolled, in plain words. */

import { Component, h } from "preact";
import type { Analysis, Rolls } from "../../../../../protocol/tavla.d.ts";
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
} from "../../model/fairness.ts";
import { kindOf } from "../../model/verdict.ts";
import { reason } from "../../net/connection.ts";
import { judgeMatch, type Reader } from "../../net/verdicts.ts";
import { words } from "../../texts/review/text.ts";
import { language, text } from "../../texts/text.ts";
import { namesOf, reviewLink, scroller, table } from "../parts.ts";
import { judgeName } from "./card.ts";
import { percent, signed } from "./numbers.ts";

type Told = Awaited<ReturnType<typeof judgeMatch>>;
type Props = { reader: Reader | null; match: string; code: string };
type State = {
  Remembered?: typeof import("../remembered.ts").Remembered;
  told: Told | null;
  fault: string;
  rolls: (Rolls & Counts) | null;
  state: "asking" | "none" | "there";
};

const whole = (number: number) => Math.round(number).toLocaleString(language);

/** reader: null = no match is asked about, but the server alone. */
export class Fair extends Component<Props, State> {
  state: State = { told: null, fault: "", rolls: null, state: "asking" };

  componentDidMount() {
    const { reader, match, code } = this.props;
    if (reader) {
      judgeMatch(reader, match, code).then(
        (told) => this.setState({ told }),
        (error) => this.setState({ fault: reason(error) }),
      );
    }
    this.askServer();
    import("../../ledger.ts").then(
      ({ Remembered }) => this.setState({ Remembered }),
      () => {},
    );
  }

  async askServer() {
    try {
      const answer = await fetch("/dice.json");
      const rolls = answer.ok ? readable(await answer.json()) : null;
      this.setState({ rolls, state: rolls ? "there" : "none" });
    } catch {
      this.setState({ state: "none" });
    }
  }

  render() {
    const say = words().fair;
    return h(
      "main",
      { class: "fair" },
      h("h1", null, text.fairDice),
      this.props.reader ? this.match() : h("p", null, say.intro),
      this.server(),
      this.state.Remembered && h(this.state.Remembered, null),
    );
  }

  match() {
    const say = words().fair;
    const { told, fault } = this.state;
    if (fault) return h("p", { class: "notice", role: "alert" }, fault);
    if (!told) return h("p", { role: "status" }, words().loading);
    const { view, verdict, steps, analysis } = told;
    const names = namesOf(view.players);
    if (view.phase !== "over") return h("p", null, words().notOver);
    const { white, black } = fallen(steps);
    return h(
      "section",
      { class: "list" },
      h("h2", null, names.join(" – ")),
      h("p", { class: `verdict ${kindOf(verdict)}`, role: "status" }, verdict.text),
      h("h3", null, say.shows),
      say.showsText.map((line) => h("p", null, line)),
      h("h3", null, say.luck),
      [white, black].map((counts, seat) =>
        h("p", null, say.rolled(names[seat], sum(counts), doubles(counts), Math.round(sum(counts) / 6))),
      ),
      luckOf(analysis, names),
      h("p", null, reviewLink(this.props.match, this.props.code)),
    );
  }

  server() {
    const say = words().fair;
    const { rolls, state } = this.state;
    const counts = rolls && all(rolls);
    const number = counts ? sum(counts) : 0;
    return h(
      "section",
      { class: "list" },
      h("h2", null, say.here),
      state === "asking"
        ? h("p", { role: "status" }, text.loading)
        : rolls && counts && number
          ? [
              h("p", null, say.counted(whole(number), whole(rolls.matches ?? 0), whole(rolls.proved ?? 0))),
              grid(counts),
              verdictOf(counts, number),
              bySide(rolls),
              luckHere(rolls),
              h("p", null, say.serversWord),
              h("details", null, h("summary", null, say.how), h("p", null, say.formula(whole(tablesPerAlarm(number))))),
              h("p", null, `${say.download} `, h("a", { href: "/dice.json", download: "dice.json" }, "JSON")),
            ]
          : h("p", null, say.nothing),
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
    return h("td", { class: out ? "out" : "" }, whole(count), out && h("span", null, ` ${say.outside}`));
  };
  const rows = faces.map((one) => {
    const cells = faces.map((two) => cell(counts[6 * one + two - 7]));
    return h("tr", { key: one }, h("th", { scope: "row" }, one), cells);
  });
  const heads = [h("td", null), ...faces.map(String)];
  return scroller(say.tableLabel, table(heads, rows, {}, h("caption", null, say.caption)));
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
    h("p", null, say.expected(whole(limits.mean), whole(limits.low), whole(limits.high))),
    h("p", null, say.faces(shown.join(", "), whole(ofFace.low), whole(ofFace.high))),
    h("p", null, h("b", null, many ? say.someOut(many, whole(tablesPerAlarm(number))) : say.allIn)),
    number < 1000 ? h("p", null, say.few) : null,
  ];
}

function bySide({ white, black, opening }: Counts) {
  const say = words().fair;
  const rows: [string, number[]][] = [
    [words().bottom, white],
    [words().top, black],
    [say.opening, opening],
  ];
  return h(
    "ul",
    null,
    rows.map(([who, counts]) => {
      const { low, high } = bounds(sum(counts), 6);
      return h(
        "li",
        { key: who },
        say.doubles(who, whole(sum(counts)), whole(doubles(counts)), whole(low), whole(high)),
      );
    }),
  );
}

function luckHere({ judged = 0, luck = [0, 0], luckier = 0 }: Rolls) {
  if (!judged) return null;
  const [winners, losers] = luck.map((one) => signed(one / judged));
  return h("p", null, words().fair.luckHere(whole(judged), winners, losers, percent(luckier / judged)));
}

function luckOf(analysis: Analysis | undefined | null, names: string[]) {
  const say = words().fair;
  if (!analysis || analysis.error) return h("p", null, say.noLuck);
  const [white, black] = (analysis.luck ?? [0, 0]).map(signed);
  return h("p", null, say.luckOf(names[0], white, names[1], black, judgeName(analysis)));
}
