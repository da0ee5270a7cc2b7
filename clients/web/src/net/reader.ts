/** Reads records without being anybody: a seat that is played elsewhere stays where it is. */

import type { Browser } from "../device/browser.ts";
import type { Client } from "./client.ts";
import { Connection, DEAF } from "./connection.ts";
import { Waiters } from "./waiters.ts";

/** Part of a client that reading a match needs. */
export type Reader = Pick<Client, "connection" | "waiters" | "matches">;

export function openReader(url: string, browser: Browser): Reader {
  const receiver = { ...DEAF, hello: () => ({ watch: true }) };
  return { connection: new Connection(url, receiver, browser), waiters: new Waiters(browser), matches: new Map() };
}
