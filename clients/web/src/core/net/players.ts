/** The player at this page, as guest or with an account, and what is known of others. */
import type { Client } from "./client.ts";
import { Refused } from "./connection.ts";
import { IGNORED, NAMES, TOKEN } from "./keys.ts";

/** Become a guest with a name that is free, if one has only looked on. */
export async function ensurePlayer(client: Client) {
  if (client.me?.token) return;
  client.sitting = true;
  client.tries = 0;
  if (client.online && client.me) client.connection.hello();
  await client.waiters.until(() => Boolean(client.me?.token) || !client.sitting || undefined);
  if (!client.me?.token) throw new Refused("hello_first", client.notice);
}

/** A name for a player who gives none: the one from before, if there was one, else a guest's. */
export function guestName(client: Client) {
  const before = client.tries++ ? null : client.storage.getItem(NAMES);
  return before ?? `guest${100 + Math.floor(Math.random() * 9900)}`;
}

/** Come in as another player than before. */
function enterAs(client: Client, hello: Record<string, unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    client.entering = { hello, resolve, reject };
    client.connection.restart();
  });
}

/** With an account; the places that one has in tournaments as a guest go with it. */
export async function logIn(client: Client, name: string, password: string) {
  const { me } = client;
  await enterAs(client, { name, password, ...(me?.token && me.kind !== "account" ? { guest: me.token } : {}) });
}

/** Take a name: as a guest, who stays the same one, or with a password for good. @param password "" = none */
export async function takeName(client: Client, name: string, password: string) {
  const { me } = client;
  if (!me?.token || me.kind === "account") await enterAs(client, { name });
  else if (me.name !== name) {
    await client.connection.ask("rename", { name });
    client.me = { ...me, name };
    client.storage.setItem(NAMES, name);
    client.changed();
  }
  if (!password) return;
  await client.connection.ask("register", { password });
  if (client.me) client.me = { ...client.me, kind: "account" };
  client.changed();
}

/** @param everywhere on all devices */
export async function logOut(client: Client, everywhere: boolean) {
  await client.connection.ask("logout", { everywhere });
  for (const key of [TOKEN, NAMES]) client.storage.removeItem(key);
  client.seeking = null;
  client.matches.clear();
  client.connection.restart();
}

/** Hear nothing more of someone, or hear them again. */
export async function ignorePlayer(client: Client, player: string, on: boolean) {
  await ensurePlayer(client);
  await client.connection.ask("ignore", { player, on });
  if (on) client.ignored.add(player);
  else client.ignored.delete(player);
  client.storage.setItem(IGNORED, JSON.stringify([...client.ignored]));
  client.changed();
}
