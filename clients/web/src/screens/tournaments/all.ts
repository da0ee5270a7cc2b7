/** All tournaments: those under way, to come, and over. */

import { h } from "preact";
import type { Tournament } from "../../../../../protocol/tavla.d.ts";
import { rulesText } from "../../model/rules.ts";
import type { Stage } from "../../model/tournaments.ts";
import { countdown, stageOf } from "../../model/tournaments.ts";
import type { TournamentClient } from "../../net/tournaments.ts";
import { language, text } from "../../texts/text.ts";
import { words } from "../../texts/tournaments/text.ts";
import { button, list, refusal } from "../parts.ts";

const NEAR_S = 12 * 3600; // what begins within them has a countdown

/** When it begins: a time, and with it the day, unless that is near. @param now s since 1970 */
export const startTime = (starts: number, now: number) =>
  new Date(1000 * starts).toLocaleString(language, {
    ...(starts - now > NEAR_S ? { weekday: "short", day: "numeric", month: "short" } : {}),
    hour: "2-digit",
    minute: "2-digit",
  });

export const lengthOf = ({ starts, ends }: Tournament) => words().lasts(Math.round((ends - starts) / 60));

type Props = { client: TournamentClient; now: number; open: (dialog: string, why?: string) => void };
export function All({ client, now, open }: Props) {
  const say = words();
  const all = Object.entries(client.lists.tournaments).map(([id, one]) => ({ id, one, stage: stageOf(one, now) }));
  const group = (title: string, stages: Stage[], order: 1 | -1) => {
    const found = all.filter(({ stage }) => stages.includes(stage));
    found.sort((a, b) => order * (a.one.starts - b.one.starts));
    return found.length
      ? list(
          title,
          found.map(({ id, one, stage }) => row(id, one, stage, now)),
        )
      : null;
  };
  return h(
    "main",
    { class: `arenas ${client.online ? "" : "stale"}` },
    h(
      "div",
      { class: "title" },
      h("h1", null, text.tournaments),
      button(say.make, () => open("make"), "main"),
    ),
    refusal(client.notice),
    all.length ? null : h("p", { class: "empty" }, say.none),
    group(say.stages.running, ["running", "ending"], -1),
    group(say.stages.coming, ["coming"], 1),
    group(say.stages.over, ["over"], -1),
  );
}

function row(id: string, one: Tournament, stage: Stage, now: number) {
  const say = words();
  const { starts, ends, by, players = 0 } = one;
  const time =
    stage === "coming"
      ? starts - now > NEAR_S
        ? ""
        : countdown(starts - now)
      : stage === "running"
        ? countdown(ends - now)
        : "";
  const when = stage === "coming" || stage === "over" ? startTime(starts, now) : say.stages[stage];
  return h(
    "li",
    { key: id },
    h(
      "a",
      { class: "arena", href: `/tournaments/${id}` },
      h(
        "span",
        { class: "what" },
        h("b", null, one.name),
        h("small", null, [rulesText(one.rules), lengthOf(one), say.by(by)].join(" · ")),
      ),
      h("span", { class: "when" }, h("b", null, time || when), h("small", null, say.players(players))),
    ),
  );
}
