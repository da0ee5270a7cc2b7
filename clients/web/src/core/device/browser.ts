/** The clock, the sockets and the signals of a browser. They are handed in, so that tests bring their own. */

export type Socket = Pick<WebSocket, "binaryType" | "onopen" | "onclose" | "onmessage" | "send" | "close">;

export type Browser = {
  connect: (url: string, subprotocol: string) => Socket;
  now: () => number; // ms; never goes back
  later: (does: () => void, ms: number) => () => void; // gives what calls it off
  isHidden: () => boolean;
  isOffline: () => boolean; // there is no network; else nobody knows
  onOnline: (does: () => void) => void; // the network is back
  onShown: (does: () => void) => void; // the page is in front again, or no longer
  onStored: (does: (key: string | null, value: string | null) => void) => void; // by another tab
};

export const browser: Browser = {
  connect: (url, subprotocol) => new WebSocket(url, subprotocol),
  now: () => performance.now(),
  later: (does, ms) => {
    const timer = setTimeout(does, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.hidden,
  isOffline: () => !navigator.onLine,
  onOnline: (does) => addEventListener("online", does),
  onShown: (does) => document.addEventListener("visibilitychange", does),
  onStored: (does) => addEventListener("storage", ({ key, newValue }) => does(key, newValue)),
};

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
