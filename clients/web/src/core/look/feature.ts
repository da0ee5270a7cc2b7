/** A feature of the page, as the frame knows it. */

import type { Client } from "../net/client.ts";
import type { Children } from "./parts.tsx";

/** What the frame gives to the screen in it. code: of a private match. */
export type Shell = {
  client: Client;
  code: string;
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
