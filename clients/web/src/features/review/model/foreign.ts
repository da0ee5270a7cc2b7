/** The match in a file of another program, whatever its name says it is; in a worker, which the page never waits for. */

import { readBgf } from "./bgf.ts";
import { checked, textOf } from "./files.ts";
import { readMat } from "./mat.ts";
import { readOgxm } from "./ogxm.ts";
import type { FileMatch } from "./reading.ts";
import { readSgf } from "./sgf.ts";
import { matchOf } from "./sheet.ts";
import { readXg } from "./xg.ts";

/** @throws for a file that is none, or one that only the terminal reads */
export const readForeign = async (file: ArrayBuffer) => checked(await readAny(file));

async function readAny(file: ArrayBuffer): Promise<FileMatch> {
  const bytes = new Uint8Array(file);
  const sign = String.fromCharCode(...bytes.subarray(0, 4));
  if (sign === "RGMH") return readXg(file);
  if (sign === "OGXM") return matchOf(readOgxm(bytes));
  const text = textOf(bytes).trimStart();
  if (text.startsWith("{")) return readBgf(bytes);
  return matchOf(/^\(\s*;/.test(text) ? readSgf(text) : readMat(text));
}

/** A file, and where its match is awaited; null = there is none. */
export type Given = { file: ArrayBuffer; port: MessagePort };

globalThis.onmessage = async ({ data: { file, port } }: MessageEvent<Given>) =>
  port.postMessage(await readForeign(file).catch(() => null));
