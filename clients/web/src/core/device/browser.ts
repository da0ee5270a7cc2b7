/** The clock, the sockets and the signals of a browser. They are handed in, so that tests bring their own. */

export type Socket = Pick<WebSocket, "binaryType" | "onopen" | "onclose" | "onmessage" | "send" | "close">;

export const browser = {
  connect: (url: string, subprotocol: string): Socket => new WebSocket(url, subprotocol),
  now: () => performance.now(), // ms; never goes back
  /** @returns what calls it off */
  later: (does: () => void, ms: number) => {
    const timer = setTimeout(does, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.hidden,
  isOffline: () => !navigator.onLine, // there is no network; else nobody knows
  onOnline: (does: () => void) => addEventListener("online", does), // the network is back
  onShown: (does: () => void) => document.addEventListener("visibilitychange", does), // or is in front no longer
  onStored: (does: (key: string | null, value: string | null) => void) =>
    addEventListener("storage", ({ key, newValue }) => does(key, newValue)), // by another tab
};
export type Browser = typeof browser;

/** Where the server of this page speaks the protocol. */
export const serverUrl = () => `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/`;

/** Missing in the types of the DOM, present in Chromium: a script's URL has to come by a policy. */
declare global {
  interface Window {
    trustedTypes?: {
      createPolicy: (
        name: string,
        rules: { createScriptURL: (url: string) => string },
      ) => { createScriptURL: (url: string) => string };
    };
  }
}
