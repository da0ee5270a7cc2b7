/** Ways to an opponent: tables, quick matches, challenges, programs. */
import type { AskedRules, Create, Person } from "../../../../../protocol/tavla.d.ts";
import { askedOptions, wholeRules } from "../model/rules.ts";
import { text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import { Refused } from "./connection.ts";
import { followList } from "./lists.ts";
import { ensurePlayer } from "./players.ts";
import { commit } from "./seeds.ts";

const COMPUTER_MS = 10_000; // a program answers a challenge at once
const FREE_MS = 3000; // until a program has room again, as one that has just come

/** Open a table; the id of its match. */
export async function createTable(client: Client, wish: Omit<Create, "type" | "id" | "commitment">) {
  await ensurePlayer(client);
  const snapshot = await commit(client, "create", wish, wish.rules ?? {});
  return snapshot.match;
}

/** Sit down at a table that has a free seat. */
export async function joinTable(client: Client, table: string, code = "") {
  await ensurePlayer(client);
  const { rules } = client.matches.get(table)?.view ?? client.lists.tables[table] ?? {};
  const snapshot = await commit(client, "join", { table, code }, rules);
  return snapshot.match;
}

/** Quick match: `onMatched` tells when there is an opponent. @param seeker the one to play, if still there */
export async function seekMatch(client: Client, rules: AskedRules, seeker = "") {
  await ensurePlayer(client);
  const { hints: _, ...asks } = askedOptions(rules); // an open table may have them
  const seeking = { rules, commitment: client.pledges.make(asks) };
  const asked = commit(client, "seek", { rules, seeker }, rules, "", seeking.commitment);
  client.seeking = seeking;
  client.changed();
  await asked.catch((error) => {
    client.seeking = null;
    throw error;
  });
}

export function stopSeeking(client: Client) {
  client.seeking = null;
  client.changed();
  client.showRefusal(client.connection.ask("unseek", {}, false));
}

/** Ask someone for a match. @returns its id, and whether it begins at once: the other has asked for the same */
export async function challengePlayer(
  client: Client,
  player: string,
  rules: AskedRules,
  side: Create["side"] = "either",
) {
  await ensurePlayer(client);
  const answer = await commit(client, "challenge", { player, rules, side }, rules, player);
  const begins = answer.type === "snapshot";
  return { match: begins ? answer.match : answer.challenge, begins };
}

export async function withdrawChallenge(client: Client, challenge: string) {
  client.challenges.delete(challenge);
  client.changed();
  await client.connection.ask("withdraw", { challenge });
}

export async function answerChallenge(client: Client, challenge: string, accept: boolean) {
  const { rules, by } = client.challenges.get(challenge) ?? {};
  client.challenges.delete(challenge);
  client.changed();
  const fields = { challenge, accept };
  const answer = await (accept ? commit(client, "answer", fields, rules, by) : client.connection.ask("answer", fields));
  return answer.type === "snapshot" ? answer.match : "";
}

export function isProgram(client: Client, name: string) {
  return client.lists.people[name]?.kind === "bot" || client.programs.has(name);
}

/** A match against a program that is here; the first that takes the challenge. Hints are fair there. */
export async function playComputer(client: Client, wanted: AskedRules, level: string, side: Create["side"] = "either") {
  await ensurePlayer(client);
  const rules = { hints: !wanted.rated, ...wanted };
  if (!client.listing) followList(client, "people", true);
  try {
    const match = await findProgram(client, rules, level, side);
    if (match) return match;
  } finally {
    if (!client.listing) followList(client, "people", false);
  }
  throw new Refused("no_computer", whyNone(client, rules) || text.noComputer);
}

/** Challenge program after program, as they have room, until one takes it; "": none does. */
async function findProgram(client: Client, rules: AskedRules, level: string, side: Create["side"]) {
  const end = client.browser.now() + FREE_MS;
  for (;;) {
    const { people } = client.lists;
    for (const name of suitable(people, { ...rules }, level)) {
      const match = await challengeProgram(client, name, rules, side);
      if (match) return match;
    }
    const left = end - client.browser.now();
    if (!(await client.waiters.until(() => (client.lists.people === people ? undefined : true), left))) return "";
  }
}

async function challengeProgram(client: Client, name: string, rules: AskedRules, side: Create["side"]) {
  client.programs.add(name);
  const { match } = await challengePlayer(client, name, rules, side).catch(() => ({ match: "" }));
  const answer = () => (client.matches.has(match) ? match : client.declined.has(match) ? "" : undefined);
  return match && (await client.waiters.until(answer, COMPUTER_MS));
}

/** Why no program that is free plays by these rules; "": one does, or none is free. */
export function whyNone(client: Client, rules: AskedRules) {
  const { people } = client.lists;
  const isHere = Object.values(people).some(({ places }) => places);
  return isHere && !suitable(people, rules, "").length ? text.noneByTheseRules : "";
}

/** The levels of the computer; the last one where a program plays so. */
export function levels(client: Client): Record<string, string> {
  const { sage, ...others } = text.levels;
  return Object.values(client.lists.people).some(({ level }) => level === "sage") ? { ...others, sage } : others;
}

/** Those who are here: people, then the computer by its levels. */
export function peopleFirst(people: Record<string, Person>) {
  const strength = ({ level = "" }: Person) => Object.keys(text.levels).indexOf(level); // -1: a person's
  return Object.entries(people).sort(([, one], [, other]) => strength(one) - strength(other));
}

/** The programs that have room for a match by these rules: those of the level first. */
export function suitable(people: Record<string, Person>, rules: AskedRules, level: string) {
  const usual: Record<string, unknown> = { ...wholeRules(rules) };
  const fits = Object.entries(people).filter(
    ([, one]) =>
      one.places &&
      Object.entries(one.rules ?? {}).every(
        ([name, values]) => !(name in usual) || values.some((value) => value === usual[name]),
      ),
  );
  fits.sort(
    ([, a], [, b]) => Number(b.level === level) - Number(a.level === level) || (b.places ?? 0) - (a.places ?? 0),
  );
  return fits.map(([name]) => name);
}
