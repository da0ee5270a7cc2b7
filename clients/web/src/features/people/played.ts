/** Matches that somebody has played, as rows. */

import { h } from "preact";
import type { Finished } from "../../../../../protocol/tavla.d.ts";
import { type Children, card, link, player, scroller, table } from "../../core/look/parts.tsx";
import { rulesText } from "../../core/model/rules.ts";
import { fixed } from "../../core/texts/fixed.ts";
import { judgeName } from "../../core/texts/hint/text.ts";
import { dotted, language, text } from "../../core/texts/text.ts";
import { PLAYED } from "./texts/played.ts";

/** @param ms since 1970 */
export const date = (ms: number) =>
  new Date(ms).toLocaleDateString(language, { day: "numeric", month: "short", year: "numeric" });
const signed = (change: number, digits: number) => `${change < 0 ? "" : "+"}${fixed(change, digits)}`;

/** Performance ratings of a match, own figures first; "" until it is judged. */
export function judged(match: Finished) {
  const { analysis } = match;
  if (!analysis) return "";
  if (analysis.error) return PLAYED[language].notJudged(analysis.error);
  const [[mine, theirs], [own, other]] = [ratings(match), lucks(match)];
  return PLAYED[language].judged(mine, theirs, own, other, judge(match));
}

const judge = ({ analysis }: Finished) => judgeName(analysis ?? {}, language);

/** A figure of each player, own first. */
const pair = <T>(seat: number, all: readonly T[]) => [all[seat], all[1 - seat]];
const ratings = ({ analysis, seat }: Finished) =>
  pair(seat, analysis?.ratings ?? [null, null]).map((one) => (typeof one === "number" ? fixed(one, 1) : "–"));
const lucks = ({ analysis, seat }: Finished) => pair(seat, analysis?.luck ?? [0, 0]).map((one) => signed(one, 2));

/** Them on a panel. @param none what stands there if there are none @param above the rows, and below them: what is chosen */
export function playedCard(
  title: string,
  matches: Finished[],
  isBusy: boolean,
  none: Children,
  below?: Children,
  above?: Children,
) {
  const rows = () => table(PLAYED[language].heads, matches.map(row), { class: "played" });
  const shown = matches.length ? scroller(PLAYED[language].title, rows()) : none;
  return card(title, above, isBusy && !matches.length ? h("p", { class: "empty" }, text.loading) : shown, below);
}

const row = (match: Finished) => {
  const { match: id, seat, players, winner = null, changes = [0, 0], ratings: rated = [null, null], analysis } = match;
  const result = winner === null ? text.level_ : winner === seat ? text.won : text.lost;
  const most = match.rules?.length ?? 7;
  const [mine, theirs] = pair(seat, match.score ?? [0, 0]).map((one) => Math.min(one, most || one));
  const score = mine || theirs ? ` ${mine} – ${theirs}` : "";
  const other = players[1 - seat] ?? text.someone;
  const isJudged = analysis && !analysis.error;
  return h(
    "tr",
    { key: id, class: winner === seat ? "won" : "" },
    h(
      "th",
      { scope: "row" },
      link(`/m/${id}?review`, [h("b", null, result), score], "", `${result}${score}, ${other}`),
    ),
    h("td", null, player(other), h("small", null, dotted(date(match.ended), rulesText(match.rules)))),
    h("td", null, rated[seat] === null ? "" : signed(changes[seat], 1)),
    h("td", { title: judged(match) }, isJudged && [ratings(match).join(" / "), h("small", null, judge(match))]),
    h("td", null, isJudged ? lucks(match)[0] : ""),
    h(
      "td",
      null,
      link(
        `/m/${id}?dice`,
        PLAYED[language].proof,
        "quiet",
        [PLAYED[language].proof, other, date(match.ended)].join(", "),
      ),
    ),
  );
};
