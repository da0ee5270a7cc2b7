/** Who plays, and what is going on, in a few words. */
import { h } from "preact";
import { rowsOf } from "../../model/scenes.ts";
import * as turns from "../../model/turn.ts";
import { pips, toAct } from "../../model/view.ts";
import { text } from "../../texts/text.ts";
import { Clock } from "../clock.ts";
import { outcome } from "../story.ts";
import { colourOf } from "./picture.ts";
import type { MatchScreen } from "./screen.ts";

/** What is going on, in a few words. */
export function statusText(screen: MatchScreen) {
  const { match } = screen;
  const { view, seat } = match;
  const crawford = view.crawford ? ` ${text.crawford}.` : "";
  if (!screen.props.client.online) return text.offline;
  if (match.replaced) return text.replaced;
  if (screen.isStopped) return text.stopped;
  if (view.phase === "open") return seat === null ? text.freeSeat : text.waiting;
  if (view.phase === "reveal") return text.revealing;
  if (view.phase === "over") return outcome(view, (one) => screen.nameOf(one));
  if (view.phase === "ready") return outcome(view, (one) => screen.nameOf(one));
  if (view.phase === "resign" && view.resignation) {
    const [by, kind] = view.resignation;
    return by === seat
      ? text.theirTurn(screen.nameOf(1 - by))
      : text.offersResign(screen.nameOf(by), kind, kind * view.cube);
  }
  if (view.offer !== null) {
    return view.offer === seat
      ? text.theirTurn(screen.nameOf(1 - view.offer))
      : text.doubles(screen.nameOf(view.offer), 2 * view.cube);
  }
  if (!match.isOurs)
    return (seat === null ? `${text.watching} ` : "") + text.theirTurn(screen.nameOf(toAct(view)[0] ?? 0)) + crawford;
  if (view.phase === "roll") return (screen.canDouble ? text.yourRoll : text.yourTurn) + crawford;
  return (screen.making && turns.isDone(screen.turn) ? text.finishTurn : text.yourMove) + crawford;
}

export function playerPanel(screen: MatchScreen, seat: number, where: string) {
  const { match } = screen;
  const { view } = match;
  const isOn = toAct(view).includes(seat);
  return h(
    "section",
    { class: `player ${where} ${isOn ? "on" : ""}`, "aria-label": view.players[seat] ?? text.waiting },
    h("span", { class: `stone ${colourOf(screen, seat) ? "black" : "white"}`, "aria-hidden": "true" }),
    h(
      "span",
      { class: "who" },
      h("b", null, view.players[seat] ?? text.freeSeat),
      view.ratings[seat] ? h("small", null, String(view.ratings[seat])) : null,
      h("i", {
        class: match.online[seat] ? "here" : "away",
        title: match.online[seat] ? text.online : text.offlineNow,
      }),
    ),
    isOn &&
      h(
        "span",
        {
          class: "turn",
          role: "img",
          title: text.toAct(screen.nameOf(seat)),
          "aria-label": text.toAct(screen.nameOf(seat)),
        },
        "◀",
      ),
    h("span", { class: "pips", title: text.pips }, h("b", null, String(pips(rowsOf(view)[seat]))), ` ${text.pips}`),
    view.clock && h(Clock, { match, seat, online: screen.props.client.online }),
    h(
      "span",
      { class: "score", title: text.score },
      h("b", null, String(view.score[seat])),
      h("small", null, ` / ${view.rules.length || "∞"}`),
    ),
  );
}
