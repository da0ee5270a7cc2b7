/** Explanations, fetched when first asked for. */

import { language } from "../texts/text.ts";

/** See texts/help/. options: what each means, and where more stands. keys: what is pressed, and what it does. */
export type Help = {
  options: Record<string, [string, string]>;
  keys: [string, string][];
  notKept: string;
  whyPassword: string;
  judgedHelp: string;
  nameShape: string;
};

/** Without a network there is none, and one does without. */
export const fetchHelp = (): Promise<Partial<Help>> =>
  fetch("/help.json")
    .then((answer) => answer.json())
    .then((all) => all[language])
    .catch(() => ({}));
