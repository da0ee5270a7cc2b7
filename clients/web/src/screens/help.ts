/** What dialogs explain: it is fetched when one of them opens. */

import { language } from "../texts/text.ts";

/** options: what each means, and where more stands; see texts/help/. keys: what is pressed, and what it does. */
export type Help = { options: Record<string, [string, string]>; keys: [string, string][] };

/** Without a network there is none, and one does without. */
export const fetchHelp = (): Promise<Partial<Help>> =>
  fetch("/help.json")
    .then((answer) => answer.json())
    .then((all) => all[language])
    .catch(() => ({}));
