/**
 * Calls of tournaments: to the next round, and what was decided without a match. A script beside all pages, fetched with
 * the first call; what it shows stands above whatever they show.
 */

import type { Called, Seated } from "../../../../../protocol/tavla.d.ts";
import { play } from "../../core/device/sounds.ts";
import { minutes } from "../../core/model/time.ts";
import { language } from "../../core/texts/text.ts";
import { CALLS } from "./texts/text.ts";

/** A name that others have chosen, in a sentence: what is written from right to left turns nothing else around. */
const isolate = (name: string) => (/[^\0-\u024f]/.test(name) ? `\u2068${name}\u2069` : name);

const TICK_MS = 1000;
const AGAIN_S = 30; // so long before the end the call sounds again

export type Calls = ReturnType<typeof calls>;

type Shown = { box: HTMLElement; time: HTMLElement; until: number; urges: boolean };

/** @param enter a tournament */
export function calls(enter: (tournament: string) => void) {
  const say = CALLS[language];
  const shown = new Map<string, Shown>(); // by tournament, or by match
  const place = document.createElement("div");
  place.className = "calls";
  document.body.prepend(place);
  let title = ""; // of the page, while another one is shown
  const titled = new MutationObserver(mark);
  let timer: ReturnType<typeof setInterval> | undefined;

  function element(name: string, words: string, fields: Record<string, unknown> = {}) {
    return Object.assign(document.createElement(name), { textContent: words }, fields);
  }

  function close(key: string) {
    shown.get(key)?.box.remove();
    shown.delete(key);
    if ([...shown.values()].some(({ urges }) => urges)) return;
    clearInterval(timer);
    timer = undefined;
    titled.disconnect();
    if (title) document.title = title;
    title = "";
  }

  /** @param left s; 0: it stays until it is closed */
  function open(key: string, words: string, go: string, href: string, left: number, follow?: () => void) {
    close(key);
    const box = element("div", "", { role: "alert" });
    box.className = "challenge call";
    const time = element("b", "", { role: "timer", ariaLive: "off" });
    const link = element("a", go, { href });
    link.className = "button main";
    link.addEventListener("click", (event) => {
      close(key);
      if (!follow) return;
      event.preventDefault();
      follow();
    });
    const shut = element("button", say.close, { type: "button", onclick: () => close(key) });
    box.append(element("p", words), time, link, shut);
    place.append(box);
    shown.set(key, { box, time, until: Date.now() + 1000 * left, urges: left > 0 });
    if (!left) return;
    play("turn");
    timer ??= setInterval(tick, TICK_MS);
    titled.observe(document.head, { childList: true, subtree: true });
    mark();
    tick();
  }

  /** Whatever the page calls itself, the tab says that the player is called. */
  function mark() {
    if (document.title === `● ${say.title}`) return;
    title = document.title;
    document.title = `● ${say.title}`;
  }

  function tick() {
    for (const [key, { time, until, urges }] of shown) {
      const left = Math.ceil((until - Date.now()) / 1000);
      if (urges && left <= 0) close(key);
      else if (urges) time.textContent = say.left(minutes(1000 * left));
      if (left === AGAIN_S) play("turn");
    }
  }

  /** A message of the server. */
  function tell(message: Called | Seated, left = 0) {
    if (message.type === "seated")
      return open(message.match, say.board(message.name), say.go, `/m/${message.match}`, left);
    const { tournament: id, what, round = 0, rounds = 0, opponent = "" } = message;
    const name = isolate(message.name);
    const go = () => enter(id);
    const words = rounds && round === rounds ? say.comeLast(name) : say.come(name, round);
    if (what === "come") open(id, words, say.go, `/tournaments/${id}`, message.left ?? 0, go);
    else if (what === "won" || what === "lost" || what === "bye")
      open(id, say[what](name, round, opponent), say.see, `/tournaments/${id}`, 0);
    else if (shown.get(id)?.urges) close(id); // what was decided stays
  }

  return { tell, close };
}
