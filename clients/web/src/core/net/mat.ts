/** A match saved as a `.mat` file, by its record. Fetched when somebody asks for it. */

import { save } from "../device/share.ts";
import { mat } from "../model/mat.ts";
import { text } from "../texts/text.ts";
import type { Client } from "./client.ts";
import { judgeMatch } from "./verdicts.ts";

export async function saveMatch(client: Client, match: string, code: string) {
  const { view, steps, verdict } = await judgeMatch(client, match, code);
  const unverified = verdict.sound ? "" : text.notVerified(verdict.text);
  save(`${match}.mat`, mat(match, view, steps, unverified));
  if (verdict.sound === false) client.say(unverified);
}
