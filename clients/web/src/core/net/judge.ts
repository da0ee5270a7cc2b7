/** What the server's judge finds in a match, as it comes. */

import type { Findings, Reader } from "./verdicts.ts";

const [ASK_MS, ASKED] = [4000, 20]; // for a better judge: once after 4 s, then after 8, ...: 14 minutes

/**
 * Ask again, until the last of the server's judges has come to a match: it answers a little later each time.
 * @param ask for what is found so far @param show what to do with each answer; false: nobody looks any more
 */
export async function followJudge(client: Reader, ask: () => Promise<Findings>, told: Findings, show: Show) {
  for (let asked = 1; asked <= ASKED && (told.judging || told.analysis?.rough); asked++) {
    await client.waiters.sleep(ASK_MS * asked);
    try {
      told = await ask();
    } catch {} // the next one may be answered
    if (!show(told)) return;
  }
}

/** What the server's judge has found in a match so far. */
export async function findingsIn(client: Reader, match: string, code: string): Promise<Findings> {
  const { analysis, judging, findings } = await client.connection.ask("record", { match, code });
  return { analysis, judging, findings };
}

type Show = (told: Findings) => boolean;
