/** The decision that is looked at: what could be done, and what each would have been worth. */

import { h } from "preact";
import type { CubeAnswer, PlayAnswer, Ranked } from "../../core/evaluator/judge.ts";
import type { Outlook } from "../../core/evaluator/outlook.ts";
import { scroller, table, tip } from "../../core/look/parts.tsx";
import type { Decision } from "../../core/model/decisions.ts";
import {
  type Answer,
  type Answered,
  type Finding,
  isPlay,
  type Mark,
  markOf,
  SIGNS,
} from "../../core/model/findings.ts";
import { notation } from "../../core/model/notation.ts";
import { text } from "../../core/texts/text.ts";
import type { Judging } from "./judging.ts";
import { chance, cost, dice, percent, signed } from "./numbers.ts";
import { words } from "./texts/text.ts";

const SHOWN = 5;
export const NOTHING = 0.0005; // equity: less is not shown

/** The question, in words. */
export function headline({ what, question }: Decision, name: string) {
  const say = words();
  if (what === "play") return say.toPlay(name, dice(question.dice));
  return what === "take" ? say.mayTake(name) : say.mayDouble(name);
}

/** A decision that is tried: nothing is told of it. */
export const openCard = (decision: Decision, names: string[]) => (
  <section class="list decision">
    <h2>{headline(decision, names[decision.seat])}</h2>
  </section>
);

/** The choice, in words. */
export function deed({ what, words: play, done }: Pick<Decision, "what" | "words" | "done">) {
  const say = words();
  if (what === "play") return play || text.noMove;
  return what === "take" ? (done ? say.take : say.drop) : done ? text.double : say.noDouble;
}

export const badge = (mark: Mark) => (
  <span class={`badge ${mark || "good"}`}>
    {words().marks[mark]} <b aria-hidden="true">{SIGNS[mark]}</b>
  </span>
);

/** The best choice, in words. */
export function bestWords(judging: Judging, place: number) {
  const decision = judging.decisions[place];
  const found = judging.judgement?.found.get(place);
  if (!found) return deed(decision);
  return deed({ ...decision, words: found.best, done: found.answer?.done ?? true });
}

/** Of a match. finding: of what was done. reply: to a double; null = there was none. better: what the server's judge would have done. isTold: whether it has judged. */
type OfMatch = { label: string; finding: Finding | null; reply?: boolean | null; better?: string; isTold?: boolean };
type Props = {
  decision: Decision;
  answer: Answer | undefined;
  best: Answered | null;
  names: string[];
  of?: OfMatch;
};
export function decisionCard({ decision, answer, best, names, of }: Props) {
  const say = words();
  const { label = "", finding = null, better, isTold } = of ?? {};
  return (
    <section class="list decision" aria-label={label || say.decisionHere}>
      <div role={of ? "status" : undefined}>
        {label && <p class="count">{label}</p>}
        <h2>{headline(decision, names[decision.seat])}</h2>
        {label && (
          <p class="deed">
            <b>{deed(decision)}</b>
            {finding &&
              (finding.counts ? (
                [
                  badge(markOf(finding)),
                  finding.loss >= NOTHING && <span class="cost">{say.cost(cost(finding.loss))}</span>,
                ]
              ) : (
                <span class="badge good">{say.forced}</span>
              ))}
          </p>
        )}
        {better && <p class="better">{better}</p>}
      </div>
      {isTold && answer ? <p class="aside">{say.seenHere}</p> : null}
      {answer
        ? isPlay(answer)
          ? playTable(decision, answer, best)
          : cubeTable(decision, answer, best, names, of)
        : null}
    </section>
  );
}

const outlookHead = () => {
  const say = words();
  return [say.win, say.gammon, say.backgammon, say.lostGammon, say.lostBackgammon].map((label) => (
    <th scope="col" title={tip(say.chancesHelp)}>
      {label}
    </th>
  ));
};

const outlookCells = (outlook: Outlook) => outlook.map((value) => <td>{chance(value)}</td>);

function playTable(decision: Decision, { plays }: PlayAnswer, best: Answered | null) {
  const say = words();
  const placeOf = (wanted: string | undefined) => plays.findIndex(({ key }) => key === wanted);
  const [place, right] = [placeOf(decision.key), placeOf(best?.key)];
  const shown = plays
    .map((play, index): [Ranked, number] => [play, index])
    .filter(([, index]) => index < SHOWN || index === place || index === right);
  const heads = [
    "#",
    say.play,
    <th scope="col" title={tip(say.equityHelp)}>
      {say.equity}
    </th>,
    ...outlookHead(),
  ];
  const rows = shown.map(([play, index]) => (
    <tr key={index} class={`${index === place ? "done" : ""} ${index === right ? "best" : ""}`}>
      <td>{index + 1}</td>
      <th scope="row">
        {notation(play.moves, decision.question.position.theirs) || text.noMove}
        {index === place && <span class="hidden">{` (${say.played})`}</span>}
        {index > 0 && index === right && <span class="hidden">{` (${say.best})`}</span>}
      </th>
      <td>{index ? `(−${cost(plays[0].equity - play.equity)})` : signed(play.equity)}</td>
      {outlookCells(play.outlook)}
    </tr>
  ));
  return scroller(say.plays, table(heads, rows, { class: "plays ranked" }));
}

function cubeTable(
  decision: Decision,
  answer: CubeAnswer,
  right: Answered | null,
  names: string[],
  of: OfMatch | undefined,
) {
  const say = words();
  const { waiting, taken, outlook, opens, cash } = answer;
  const doubler = decision.what === "take" ? 1 - decision.seat : decision.seat;
  const rowOf = (done: boolean, isTaken: boolean) =>
    decision.what === "take" ? (done ? 1 : 2) : done ? (isTaken ? 1 : 2) : 0;
  const best = right ? rowOf(right.done, taken <= 1) : -1;
  // The window is seen at once, the equities a roll ahead: close to its edges they may differ.
  const isClose = outlook[0] > cash !== taken > 1 || outlook[0] < opens !== waiting > Math.min(taken, 1);
  const did = of ? rowOf(decision.done, of.reply ?? taken <= 1) : -1;
  const rows: [string, number][] = [
    [say.noDouble, waiting],
    [say.doubleTake, taken],
    [say.doubleDrop, 1],
  ];
  const choices = rows.map(([label, equity], index) => (
    <tr key={index} class={index === did ? "done" : ""}>
      <th scope="row">
        {label}
        {index === did && <span class="hidden">{` (${say.played})`}</span>}
      </th>
      <td>{signed(equity)}</td>
      <td>{index === best ? say.best : ""}</td>
    </tr>
  ));
  return [
    table([say.cube, say.equity, ""], choices, { class: "plays cubed", key: "cube" }),
    table(outlookHead(), [<tr>{outlookCells(outlook)}</tr>], { class: "plays chances", key: "chances" }),
    isClose ? null : (
      <p class="aside" key="take">
        {say.takePoint(names[1 - doubler], percent(1 - cash), percent(1 - outlook[0]))}{" "}
        {say.market(percent(opens), percent(cash), percent(outlook[0]))}
      </p>
    ),
  ];
}
