/** Matches of one's collection: sent, and read. */

import type { CollectedFile } from "../../../../../protocol/tavla.d.ts";
import type { Client } from "../../core/net/client.ts";
import { Refused } from "../../core/net/connection.ts";
import { askPatiently, type Findings, type Reader } from "../../core/net/verdicts.ts";
import type { FileMatch } from "./model/reading.ts";
import { piecesOf, readShared } from "./model/shared.ts";

const MOST_LETTERS = 100; // of a file's name

/** What the server knows of a match. */
export type Collected = Pick<CollectedFile, "match"> & { told: Findings };

/** Send a match to one's collection, anew when the connection was lost amid it. @param seat which player one is; null = neither */
export async function collect(client: Client, file: FileMatch & { name: string }, seat: number | null, tries = 3) {
  const pieces = await piecesOf(file);
  const name = file.name.slice(0, MOST_LETTERS);
  try {
    for (const [piece, data] of pieces.entries()) {
      const asked = { piece, pieces: pieces.length, data, name, seat };
      await askPatiently(client, () => client.connection.ask("collect", asked));
    }
  } catch (error) {
    if (tries < 2 || !(error instanceof Refused) || error.code !== "stale") throw error;
    await collect(client, file, seat, tries - 1);
  }
}

/** What the server's judge has found in a match of the collection so far. */
export async function judgedThere(reader: Reader, id: string): Promise<CollectedFile & Collected> {
  const answer = await askPatiently(reader, () => reader.connection.ask("read_collected", { match: id }));
  const { match, judging, findings } = answer;
  return { ...answer, told: { analysis: match.analysis, judging, findings } };
}

/** A match of the collection. @throws for one that is not there */
export async function readCollected(reader: Reader, id: string): Promise<FileMatch & { collected: Collected }> {
  const { match, told, data } = await judgedThere(reader, id);
  return { ...(await readShared(data as Uint8Array<ArrayBuffer>)), collected: { match, told } };
}
