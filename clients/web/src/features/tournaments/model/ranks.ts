/** Tournaments: their times, and their standings. Pure. */

import type { Standing, Tournament } from "../../../../../../protocol/tavla.d.ts";
import { minutes } from "../../../core/model/time.ts";

/** ending: no more matches are made, some are played to their end. */
export type Stage = "coming" | "running" | "ending" | "over";

/** @param now s since 1970 */
export function stageOf({ over, starts, ends, format = "arena", round = 0 }: Tournament, now: number): Stage {
  if (over) return "over";
  const waits = format !== "arena" && !round; // for players, as long as it takes
  return now < starts ? "coming" : now < ends || waits ? "running" : "ending";
}

/** Whether it goes on without a match, as long as nobody comes. */
export const needsPlayers = ({ players = 0, playing = 0 }: Tournament, stage: Stage) =>
  stage === "running" && players < 2 && !playing;

export type Row = Standing & { name: string; place: number };

/** The rows of standings, the first first. */
export const ranked = (rows: Record<string, Standing>): Row[] =>
  Object.entries(rows)
    .sort(
      ([one, a], [other, b]) =>
        (b.points ?? 0) - (a.points ?? 0) ||
        byTiebreaks(a.tiebreaks ?? [], b.tiebreaks ?? []) ||
        (b.performance ?? -1e9) - (a.performance ?? -1e9) ||
        (b.rating ?? 0) - (a.rating ?? 0) ||
        (one < other ? -1 : 1),
    )
    .map(([name, row], index) => ({ ...row, name, place: index + 1 }));

const byTiebreaks = (a: number[], b: number[]) => b.map((one, index) => one - (a[index] ?? 0)).find(Boolean) ?? 0;

/** The matches that are played, by the better of both players, the leaders' first. */
export function pairsOf(rows: Row[]): [string, Row, Row][] {
  const first = new Map<string, Row>();
  const found: [string, Row, Row][] = [];
  for (const row of rows) {
    const other = row.match ? first.get(row.match) : undefined;
    if (row.match && other) found.push([row.match, other, row]);
    else if (row.match) first.set(row.match, row);
  }
  return found.sort(([, a], [, b]) => a.place - b.place);
}

/** 65 is 1:05, 3700 is 1:01:40. @param seconds none less than 0 is shown */
export function countdown(seconds: number) {
  const left = Math.max(0, Math.ceil(seconds));
  const rest = minutes(1000 * (left % 3600));
  return left < 3600 ? rest : `${Math.floor(left / 3600)}:${rest.padStart(5, "0")}`;
}
