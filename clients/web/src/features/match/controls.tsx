/** Actions that are possible now, each at a place of its own: the bar below or beside the board, and its menu. */
import { h } from "preact";
import { refusal, typingForm } from "../../core/look/forms.tsx";
import { button, buttons, type Children, Pop, rulesLink, tournamentLink } from "../../core/look/parts.tsx";
import * as turns from "../../core/model/turn.ts";
import { text } from "../../core/texts/text.ts";
import { advice } from "./advice.tsx";
import { playWords, sendTurn, undoStep } from "./moving.ts";
import { givenUp, wantsAbort } from "./questions.tsx";
import type { Parts } from "./screen.tsx";
import { shareButtons } from "./sharing.ts";
import { statusText } from "./status.tsx";

type Barred = Parameters<typeof playWords>[0] & Parts<"act" | "ask" | "hidesResult" | "input" | "state">;

/** The bar: of one height, with one place for each button, which stands there or does not. */
export function actionBar(screen: Barred) {
  const { match, state } = screen;
  const status = statusText(screen);
  const kinds = [match.isOurs && "ours", match.isWaiting && "away", match.view.phase === "over" && "end"];
  return (
    <section class="controls" aria-label={status}>
      <div class="toasts">{toasts(screen)}</div>
      {state.typing === null ? (
        <p class={["status", ...kinds.filter(Boolean)].join(" ")}>{status}</p>
      ) : (
        typingForm(
          screen.input,
          state.typing,
          (typing) => screen.setState({ typing }),
          () => playWords(screen, state.typing ?? ""),
        )
      )}
      <div class="bar">
        {menu(screen)}
        {hint(screen)}
        <div class="slots">{slots(screen)}</div>
      </div>
    </section>
  );
}

/** Its place is the same through a match, and it closes when that goes on. */
function hint(screen: Barred) {
  const { match, making, props, voice } = screen;
  const { view, isOurs } = match;
  const play = making ? (words: string) => playWords(screen, words) : undefined;
  const isAsked = isOurs && ["roll", "move", "cube"].includes(view.phase);
  return (
    view.rules.hints && (
      <div>
        {isAsked && (
          <Pop label={text.hint} kind="advice" closes key={view.phase + view.rolls}>
            {advice({ match, props, voice, play })}
          </Pop>
        )}
      </div>
    )
  );
}

/** Actions on our turn. */
function slots(screen: Barred): Children {
  const { match, playback } = screen;
  const { phase } = match.view;
  if (/over|ready/.test(phase))
    return (
      screen.hidesResult && !playback.isAhead && button(text.result, () => screen.setState({ hidden: "" }), "main")
    );
  if (playback.asksFirst) return button(text.rollFirst, () => playback.next(), "main");
  if (!match.isOurs || match.isHalted) return null;
  if (phase === "roll" && !playback.isAhead)
    return [
      match.canDouble ? button(text.double, () => screen.ask("double"), "double") : null,
      button(text.roll, () => screen.act("roll"), "main"),
    ];
  if (phase !== "move" || (playback.isAhead && playback.scene?.seat !== match.seat)) return null;
  const { making, turn } = screen;
  return [
    button(text.undo, () => undoStep(screen), "undo", !making || !turn.steps.length),
    button(text.done, () => sendTurn(screen), "main", !making || !turns.isDone(turn)),
  ];
}

/** Menu of rare actions. It closes when there is something to answer. */
function menu(screen: Barred) {
  const { match } = screen;
  const { view, seat } = match;
  const given = seat === null || match.isHalted ? "" : givenUp(view);
  return (
    <Pop label={text.menu} sign="⋯" kind="more" closes key={`${match.isAsked}`}>
      {screen.making && screen.turn.steps.length > 1 && button(text.undoAll, () => undoStep(screen, true), "quiet")}
      {given ? button(text.resign, () => screen.ask(given), "quiet") : null}
      {given && given !== "match" && !wantsAbort(view, match.bottom)
        ? button(text.abort, () => screen.ask("abort"), "quiet")
        : null}
      {view.phase === "open" ? null : shareButtons(screen)}
      {rulesLink(view.rules)}
      {tournamentLink(view, false)}
      {seat !== null && view.phase !== "over" && <p class="aside">{text.leaving}</p>}
    </Pop>
  );
}

/** Notice above the bar, with its actions. */
function toasts(screen: Parts<"act" | "hidesResult" | "match" | "props">) {
  const { match, props } = screen;
  const { view } = match;
  const seat = match.seat ?? 0;
  const mine = wantsAbort(view, seat);
  return [
    /over|ready/.test(view.phase) && !screen.hidesResult ? null : refusal(props.client.notice), // it is on the card
    match.seat !== null && !/reveal|over/.test(view.phase) && (mine || wantsAbort(view, 1 - seat)) ? (
      <div class="wish" role="group" aria-label={text.abort}>
        <p>{mine ? text.abortAsked : text.wantsAbort(match.nameOf(1 - seat))}</p>
        {buttons(
          mine
            ? button(text.takeAbortBack, () => screen.act("abort", { on: false }))
            : button(text.agree, () => screen.act("abort")),
        )}
      </div>
    ) : null,
    match.isWaiting && (match.claimIn ?? 1) <= 0 ? (
      <div class="wish">{buttons(button(text.claim, () => screen.act("claim"), "main"))}</div>
    ) : null,
  ];
}
