/** The match of a file on its way through the server: as our own `.json`, compressed. */

import { inflated } from "./bytes.ts";
import { checked } from "./files.ts";
import { readJson } from "./json.ts";
import type { FileMatch } from "./reading.ts";

const [PIECE, PIECES] = [3072, 11]; // bytes of a piece, and how many the server keeps; a long match has some 20 KB
const MOST_BYTES = 400_000; // unpacked; a long match has half of that
const MOST_LETTERS = 200; // of a text in it
const UNSEEN = /\p{C}/gu; // signs that would change the text around them

/** The pieces of a match. @throws RangeError for more than the server keeps */
export async function piecesOf({ steps, view, analysis, findings, cut, hasMore }: FileMatch) {
  const [{ before }] = steps;
  const whole = {
    players: view.players,
    rules: view.rules,
    score: before.score,
    game: before.game,
    crawford_done: before.crawfordDone,
    analysis,
    findings,
    cut,
    hasMore,
    events: steps.map(({ what, facts, now: { turn, rows, cube } }) => [
      0,
      0,
      what,
      ...(what === "position_set" ? [turn, rows, cube.value, cube.owner < 0 ? null : cube.owner] : facts),
    ]),
  };
  const packing = new Blob([JSON.stringify(whole)]).stream().pipeThrough(new CompressionStream("deflate"));
  const packed = new Uint8Array(await new Response(packing).arrayBuffer());
  if (packed.length > PIECE * PIECES) throw new RangeError("too long");
  return Array.from({ length: Math.ceil(packed.length / PIECE) }, (_, at) =>
    packed.slice(at * PIECE, (at + 1) * PIECE),
  );
}

/** The match that another player shares. @throws for what is none */
export async function readShared(packed: Uint8Array<ArrayBuffer>): Promise<FileMatch> {
  const text = new TextDecoder().decode(await inflated(packed, MOST_BYTES));
  const whole = JSON.parse(text, (_, value) =>
    typeof value === "string" ? value.replace(UNSEEN, "").slice(0, MOST_LETTERS) : value,
  );
  return checked(readJson(JSON.stringify(whole)));
}
