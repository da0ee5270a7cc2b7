/** A feature of the page, as the frame knows it. */

import type { Settings } from "../device/settings.ts";
import type { Client } from "../net/client.ts";
import type { Children } from "./parts.tsx";

/** What the frame gives to the screen in it. code: of a private match. */
export type Shell = {
  client: Client;
  code: string;
  settings: Settings;
  go: (path: string) => void;
  open: (dialog: string, why?: string) => void;
  dialog: string;
};
/**
 * A part of the page with a script of its own. title: of the tab. connect: the client that it needs, else the usual one.
 * alone: without header, notices and foot, as in a frame of another site.
 */
export type Feature = {
  styles: string;
  title: () => string;
  alone?: boolean;
  connect?: (changed: () => void) => Client;
  screen: (shell: Shell) => Children;
};
