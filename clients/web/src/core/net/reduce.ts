/** Changes of the state by type of message. */
import type { Heartbeat, Reply, Snapshot, Update } from "../../../../../protocol/tavla.d.ts";
import { CLOCK, checksum, fromFields, patch, readable, unreadable, type View } from "../model/view.ts";
import { said, text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import { withLedger } from "./ledgers.ts";
import { Match } from "./match.ts";
import { attachMatch } from "./matches.ts";
import { isProgram, stopSeeking } from "./pairing.ts";
import { bind, findOwn, revealSeed } from "./seeds.ts";
import { concludeMatch } from "./verdicts.ts";

type Apply<T> = (client: Client, message: Extract<Reply, { type: T }>) => void;

const APPLY: { [T in Reply["type"]]?: Apply<T> } = {
  snapshot: applySnapshot,
  heartbeat: compareStates,
  presence: ({ matches }, message) => {
    const match = matches.get(message.match);
    if (!match) return;
    match.online[message.seat] = message.online;
    if (message.seat !== match.seat) match.waitFor(message.online ? null : (message.claim_after ?? null));
  },
  replaced: ({ matches }, message) => {
    const match = matches.get(message.match);
    if (!match) return;
    match.replaced = true;
    match.seat = message.seat ?? match.seat;
  },
  listing: (client, { what, rows }) => {
    if (what in client.lists) client.lists = { ...client.lists, [what]: rows };
  },
  changes: (client, { what, set, gone = [] }) => {
    const before = Object.entries(client.lists).find(([name]) => name === what)?.[1];
    if (!before) return;
    const rows: Record<string, unknown> = { ...before, ...set };
    for (const key of gone) delete rows[key];
    client.lists = { ...client.lists, [what]: rows };
  },
  matched: (client, { match, seek }) => {
    const { pledges, seeking } = client;
    bind(client, client.sent.get(seek ?? -1) ?? (pledges.sentFor(match) || seeking?.commitment), match);
    client.sought = seeking ?? client.sought;
    client.found = seek ? match : "";
    if (seek) client.seeking = null;
    client.onMatched(match);
  },
  seeking: (client, { on }) => {
    client.seeking = on ? (client.seeking ?? client.sought) : null;
  },
  challenged: (client, message) => {
    if (message.id) client.asked.add(message.challenge);
    bind(client, client.sent.get(message.id ?? -1), message.challenge); // the match will have its id
    client.challenges.set(message.challenge, message);
  },
  unchallenged: (client, { challenge, why }) => {
    const known = client.challenges.get(challenge);
    if (why !== "accepted") client.declined.add(challenge);
    else if (client.asked.has(challenge)) client.onMatched(challenge); // another window of ours has asked first
    client.challenges.delete(challenge);
    const isSaidNo = why === "declined" || why === "expired";
    if (isSaidNo && known?.by === client.name && !isProgram(client, known.to)) client.say(text.declined(known.to));
  },
  rematched: ({ matches }, message) => {
    const match = matches.get(message.match);
    if (match) match.next = message.code ? `${message.next}#${message.code}` : message.next;
  },
  said: (client, message) => {
    const match = client.matches.get(message.match);
    return match ? match.addLine(message) : client.onShared(message);
  },
  review: (client, message) => client.onShared(message),
  seated: (client, message) =>
    message.tournament ? client.onCalled(message) : client.news.set(message.match, "seated"),
  called: (client, message) => client.onCalled(message),
  ended: ({ news }, { match }) => news.set(match, "ended"),
  notice: (client, message) => {
    client.told = said(message);
  },
  friend: (client, message) => client.onFriend(message),
  watchers: ({ matches }, message) => {
    const match = matches.get(message.match);
    if (match) [match.watchers, match.watching] = [message.names ?? [], message.count];
  },
};

export function applyMessage<T extends Reply["type"]>(client: Client, message: Extract<Reply, { type: T }>) {
  const apply: Apply<T> | undefined = APPLY[message.type as T];
  apply?.(client, message);
}

function applySnapshot(client: Client, snapshot: Snapshot) {
  const { browser, matches } = client;
  const isNew = !matches.has(snapshot.match);
  const match = matches.get(snapshot.match) ?? new Match(snapshot.match, browser.now);
  matches.set(match.id, match);
  bind(client, client.sent.get(snapshot.id ?? -1), match.id);
  client.challenges.delete(match.id); // it has come to this match
  const view = fromFields(snapshot.view);
  const isAnew = snapshot.epoch > match.epoch;
  if (match.epoch && (isAnew || snapshot.seq < match.seq)) {
    const before = match.view.rolls;
    // In a new epoch its first entry has taken a place.
    if (snapshot.seq < match.seq + Number(isAnew) || view.rolls < before) {
      client.say(view.rolls < before ? text.putBack(view.rolls, before) : text.forgotten);
      if (match.losses++) match.witness.add(text.faultPutBackTwice);
    }
    match.forget();
  }
  const isNext = snapshot.seq <= match.seen + 1;
  match.epoch = snapshot.epoch;
  match.seq = snapshot.seq;
  match.own = null;
  match.hold(snapshot.seat ?? null, client.connection.socket);
  match.online = [snapshot.online[0], snapshot.online[1]];
  match.since = browser.now() - (snapshot.elapsed ?? 0);
  match.absence = snapshot.absence ?? match.absence;
  match.before = null;
  if (match.seat !== null) match.waitFor(snapshot.claim_after?.[1 - match.seat] ?? null);
  showView(client, match, view, isNext);
  const begins = isNew && match.seat !== null && match.view.players.every(Boolean);
  if (begins && client.seeking) stopSeeking(client); // an opponent has come otherwise
  noteMatch(client, match);
}

export function applyUpdate(client: Client, [id, seq, diff]: Update) {
  const match = client.matches.get(id);
  if (!match || seq <= match.seq) return;
  if (seq > match.seq + 1) return client.showRefusal(attachMatch(client, match));
  match.seq = seq;
  const time = match.time(match.seat ?? 0);
  match.before = time && { since: match.since, left: time.free + time.reserve };
  if (diff.some((code, index) => index % 2 === 0 && code === CLOCK)) match.since = client.browser.now();
  const before = match.view;
  showView(client, match, patched(before, diff), seq === match.seen + 1);
  const now = match.view;
  if (match.seat !== null && !match.replaced) withLedger(({ look }) => look(client, match, before, now, seq));
}

/** Attach again where what is known is not what the server has. */
function compareStates(client: Client, { matches }: Heartbeat) {
  for (const [id, epoch, seq, sum] of matches) {
    const match = client.matches.get(id);
    if (!match || (epoch === match.epoch && seq < match.seq)) continue;
    if (epoch === match.epoch && seq === match.seq && sum !== checksum(match.view)) match.seq = 0;
    if (epoch !== match.epoch || seq !== match.seq) client.showRefusal(attachMatch(client, match));
  }
}

/** The view after a diff; null: it cannot be read. */
function patched(view: View, diff: unknown[]) {
  try {
    return patch(view, diff);
  } catch {
    return null;
  }
}

/** Write into the ledger how far a match of ours has come. */
function noteMatch(client: Client, match: Match) {
  if (match.seat !== null) withLedger(({ note }) => note(client, match));
}

function showView(client: Client, match: Match, view: View | null, isNext: boolean) {
  const { witness, view: before } = match;
  if (!view) {
    witness.add(text.faultAbsurd("?"));
    match.seq = 0; // a heartbeat will bring it whole
    return;
  }
  for (const field of unreadable(view)) witness.add(text.faultAbsurd(field));
  const shown = readable(view, match.view);
  // Who does not look on is told; App forgets it at once for the match on its screen.
  const isOver = shown.phase === "over" && !["open", "over"].includes(before.phase);
  if (isOver && match.seat !== null) client.news.set(match.id, "ended");
  match.own ??= findOwn(client, match, shown);
  match.applyView(shown, match.own, isNext);
  match.seen = match.seq;
  if (shown.phase === "reveal") revealSeed(client, match);
  const isTurning = shown.game !== before.game || (shown.phase === "ready" && before.phase !== "ready");
  if (match.isStopped || isTurning) noteMatch(client, match); // a game has begun, or ended
  if (shown.phase === "over" && !match.verdict) concludeMatch(client, match);
}
