/** What screens ask of the page around them: `App` does it. */

import { type Settings, save } from "../device/settings.ts";

const RETRY_MS = 1000;

/** open: a dialog, see `App`; why: it is asked. changed: all is to be drawn anew. */
type Page = { go: (path: string) => void; open: (dialog: string, why?: string) => void; changed: () => void };
let page: Page;

/** Say who does it. */
export const pageIs = (one: Page) => {
  page = one;
};

export const go = (path: string) => page.go(path);

export const openDialog = (dialog: string, why?: string) => page.open(dialog, why);

export function change(settings: Partial<Settings>) {
  save(settings).then((isSpoken) => {
    page.changed(); // in another language, once it is here
    if (!isSpoken) setTimeout(change, RETRY_MS, {}); // the server was away
  });
  page.changed();
}
