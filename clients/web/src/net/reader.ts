/** Reads records without being anybody: a seat that is played elsewhere stays where it is. */

import type { Analysis } from "../../../../protocol/tavla.d.ts";
import type { Browser } from "../device/browser.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import { Waiters } from "./waiters.ts";

/** What is needed of a client to read a match. */
export type Reader = Pick<Client, "connection" | "waiters" | "matches">;

export function openReader(url: string, browser: Browser): Reader {
  const nothing = () => {};
  const receiver = {
    hello: () => ({ watch: true }),
    welcome: nothing,
    unwelcome: nothing,
    receive: nothing,
    removed: nothing,
    link: nothing,
  };
  return { connection: new Connection(url, receiver, browser), waiters: new Waiters(browser), matches: new Map() };
}

const PAGES = 3; // of a player's history: what was played today stands on the first

/** How well a match was played by the server's own judge, where it has one that has come to it; null = not known. */
export async function readAnalysis({ connection }: Reader, name: string, match: string): Promise<Analysis | null> {
  let after = "";
  for (let page = 0; page < PAGES; page++) {
    const { matches = [], next } = await connection.ask("history", { name, after });
    const found = matches.find((one) => one.match === match);
    if (found || !next) return found?.analysis ?? null;
    after = next;
  }
  return null;
}
