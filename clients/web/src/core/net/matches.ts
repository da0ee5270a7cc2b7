/** Matches that are followed: begun, left, acted in, talked at. */

import type { Request, Say } from "../../../../../protocol/tavla.d.ts";
import { hasCube } from "../model/rules.ts";
import { checksum } from "../model/view.ts";
import { text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import type { Fields } from "./connection.ts";
import { withLedger } from "./ledgers.ts";
import type { Match } from "./match.ts";
import { commit } from "./seeds.ts";

/** Attach to a match that is known. @param sits whether to take our seat from another window */
export function attachMatch(client: Client, match: Match, sits = match.id === client.board && !match.replaced) {
  const have = match.seq ? { epoch: match.epoch, seq: match.seq, checksum: checksum(match.view) } : {};
  match.sits = sits;
  const { seed, seeds } = match.witness;
  return client.connection
    .ask("attach", { table: match.id, ...have, code: match.code, hush: match.hush, sits, seed, seeds }, false)
    .then((answer) => {
      if (answer.type !== "ok") return; // a snapshot, which says the same
      match.since = client.browser.now() - (answer.elapsed ?? 0);
      match.hold(answer.seat ?? null, client.connection.socket);
      client.changed();
    })
    .catch((error) => {
      const isGone = error.code === "no_such_match" && match.view.phase === "open" && match.seat === null;
      if (isGone && client.matches.delete(match.id)) client.changed(); // its maker ignores us now, say
      throw error;
    });
}

/**
 * Another match is on the screen, or none: a window takes our seat from the others, or has us named among those who
 * watch, only where it shows the board.
 */
export function showBoard(client: Client, board: string) {
  if (client.board === board) return;
  const left = client.board;
  client.board = board;
  for (const match of [client.matches.get(left), client.matches.get(board)]) {
    if (!match || match.view.phase === "over") continue;
    const sits = match.id === board;
    if (match.sits !== sits) client.showRefusal(attachMatch(client, match, sits));
  }
}

/** Follow a match or a table by its name, unless that has been asked for. */
export async function followMatch(client: Client, table: string, code = ""): Promise<Match> {
  const known = client.matches.get(table) ?? client.awaited.get(table);
  if (known) return known;
  const awaited = askMatch(client, table, code).finally(() => client.awaited.delete(table));
  client.awaited.set(table, awaited);
  return awaited;
}

async function askMatch(client: Client, table: string, code: string): Promise<Match> {
  const sits = table === client.board;
  const { pledges } = client;
  const known = pledges.get(pledges.sentFor(table, "match")); // before the server answers: other tabs write, too
  const { shown: seed = "", seeds = ["", ""] } = known ?? {};
  const answer = await client.connection.ask("attach", { table, code, sits, seed, seeds });
  const match = answer.type === "snapshot" && client.matches.get(answer.match);
  if (!match) throw new Error(text.notFound);
  match.sits = sits;
  match.code ||= code;
  if (known) withLedger(({ compare }) => compare(client, match, known));
  return match;
}

/** Follow a match no longer, unless we play it. */
export function leaveMatch(client: Client, id: string) {
  const match = client.matches.get(id);
  if (!match || (match.seat !== null && match.view.phase !== "over")) return;
  client.matches.delete(id);
  client.showRefusal(client.connection.ask("detach", { match: id }, false));
}

export type Words = Pick<Say, "text" | "phrase">;

export type Action = Extract<Request, { match: string; seq: number }>["type"] | "cancel";

export function act<T extends Action>(client: Client, match: Match, type: T, fields: Partial<Fields<T>> = {}) {
  if (match.asked === type + match.seq) return; // pressed twice
  match.asked = type + match.seq;
  client.notice = "";
  const { id, epoch, seq } = match;
  const asked = client.connection.ask(type, { match: id, epoch, seq, ...fields } as Fields<T>);
  const request = { type, fields, version: `${epoch}:${seq}` };
  match.requests.add(request);
  const end = (answer: object) => {
    match.asked = "";
    withLedger(({ answered }) => answered(client, match, request, answer));
  };
  asked.then(end, end);
  client.showRefusal(asked);
}

/** Tell the server what it may do by itself, once a game, where that is not as the player has set it. */
export function leaveToServer(client: Client, match: Match, wanted: { autoRoll: string; autoPlay: string }) {
  const { view, seat } = match;
  if (seat === null || !["roll", "move", "cube"].includes(view.phase) || match.replaced || match.isStopped) return;
  for (const [what, on, is] of [
    ["roll", wanted.autoRoll === "on", view.auto_roll[seat]],
    ["play", wanted.autoPlay === "on", view.auto_play[seat]],
  ] as const) {
    const said = `${view.game} ${what} ${on}`;
    const isAsked = what === "play" || hasCube(view.rules);
    if (on === is || !isAsked || match.leftTo.has(said)) continue;
    match.leftTo.add(said);
    act(client, match, "auto", { what, on });
  }
}

export function talkAtMatch(client: Client, match: Match, words: Words) {
  client.notice = "";
  const to = match.seat === null ? "watchers" : "players";
  return client.connection.ask("say", { match: match.id, to, ...words }, false);
}

/** Hear nothing more of what watchers say, or hear it again. */
export async function hushWatchers(client: Client, match: Match, on: boolean) {
  match.hush = on;
  client.changed();
  await attachMatch(client, match);
}

/** Another match with the same opponent. @returns its id, if it begins at once */
export async function askRematch(client: Client, match: Match): Promise<string> {
  const opponent = match.view.players[1 - (match.seat ?? 0)] ?? "";
  const answer = await commit(client, "rematch", { match: match.id }, match.view.rules, opponent);
  return answer.type === "snapshot" ? answer.match : "";
}
