/** Result of a game or a match, on a card: score, proof, what can follow. */

import { h } from "preact";
import { save } from "../../core/device/share.ts";
import { go } from "../../core/look/app.ts";
import { refusal } from "../../core/look/forms.tsx";
import {
  Ask,
  button,
  buttons,
  link,
  mainLink,
  reviewLink,
  stone,
  tournamentLink,
  verdictLine,
} from "../../core/look/parts.tsx";
import { outcome, toldScore } from "../../core/look/story.ts";
import { isPlayed } from "../../core/model/verdict.ts";
import type { Client } from "../../core/net/client.ts";
import type { Match } from "../../core/net/match.ts";
import { askRematch } from "../../core/net/matches.ts";
import { seekMatch, stopSeeking } from "../../core/net/pairing.ts";
import { text } from "../../core/texts/text.ts";
import { advice } from "./advice.tsx";
import { colourOf } from "./picture.ts";
import type { Parts } from "./screen.tsx";

export type Carded = Parts<"act" | "hideResult" | "match" | "props" | "setState" | "state" | "voice">;

export function resultCard(screen: Carded) {
  const { match } = screen;
  const { view, bottom } = match;
  const words = outcome(view, match.nameOf);
  const isOver = view.phase === "over";
  const [winner, points, kind] = view.outcome ?? [null, 0, 0, ""];
  const way = winner !== null && points ? text.wonBy(kind, points) : "";
  return (
    <Ask label={words} kind="result" focus={match.seat !== null}>
      <h2>{words}</h2>
      {isOver && way ? <p class="way">{way}</p> : null}
      {view.game ? <ul class="final">{[1 - bottom, bottom].map((seat) => side(match, seat))}</ul> : null}
      {isOver ? proof(match) : null}
      {isOver ? figures(screen) : null}
      {isOver ? afterMatch(screen) : nextGame(screen)}
      {refusal(screen.props.client.notice)}
      {button("×", () => screen.hideResult(), "shut", false, { "aria-label": text.close })}
    </Ask>
  );
}

/** A player with the score, and what became of the rating. */
function side({ view, ratings, bottom }: Match, seat: number) {
  const [before, now] = [ratings[seat], view.ratings[seat]];
  const isByScore = view.phase !== "over" || view.outcome?.[1]; // else the sentence above says how it was won
  const change = before !== null && now !== null ? now - before : 0;
  return (
    <li>
      {stone(colourOf(seat, bottom) === 1)}
      <span class="who">
        <b>{view.players[seat] ?? text.someone}</b>
      </span>
      {view.rules.rated && change ? (
        <small class={change > 0 ? "up" : ""}>{`${now} (${change > 0 ? "+" : "−"}${Math.abs(change)})`}</small>
      ) : null}
      {isByScore ? <b class="points">{String(toldScore(view.score, view.rules.length)[seat])}</b> : null}
    </li>
  );
}

/** Whether the dice were honest, behind a tick; in the open when something is wrong. */
function proof(match: Match) {
  const { verdict } = match;
  if (!verdict) return null;
  const said = verdictLine(verdict);
  const more = reviewLink(match.id, match.code, "dice");
  if (!match.view.game) return said;
  if (verdict.sound === false) return [said, more];
  return (
    <details>
      <summary>{verdict.sound ? `✓ ${text.proved}` : text.fairDice}</summary>
      {said}
      {more}
    </details>
  );
}

/** The errors of both players: open if the server has judged the match, else judged in this browser on request. */
function figures(screen: Carded) {
  const { match, props, state, voice } = screen;
  return isPlayed(match.view) ? (
    <details open={Boolean(match.analysis)} onToggle={() => screen.setState({ figures: true })}>
      <summary>{text.figures}</summary>
      {state.figures && advice({ match, props, voice })}
    </details>
  ) : null;
}

function nextGame(screen: Parts<"act" | "match">) {
  const { match } = screen;
  if (!match.isOurs) return null;
  return buttons(
    match.view.rules.length === 0 ? button(text.leaveMoney, () => screen.act("leave")) : null,
    button(text.nextGame, () => screen.act("ready"), "main"),
  );
}

function afterMatch(screen: Carded) {
  const { match, props } = screen;
  const asked = [...props.client.challenges.values()].some(
    ({ by, rematch }) => rematch === match.id && by === props.client.name,
  );
  const rematch = async () => {
    const next = await askRematch(props.client, match);
    if (next) go(`/m/${next}`);
  };
  return buttons(
    match.next ? mainLink(`/m/${match.next}`, text.watch) : null,
    tournamentLink(match.view, true) ??
      (match.seat !== null && match.view.outcome
        ? button(asked ? text.rematchAsked : text.rematch, () => props.client.showRefusal(rematch()), "main", asked)
        : null),
    seekAgainButton(props.client, match),
    match.view.rolls ? reviewLink(match.id, match.code) : null,
    proofButton(props.client, match),
    link("/", text.toLobby, "quiet"),
  );
}

/** A quick match that came to nothing: look for another one. */
function seekAgainButton(client: Client, match: Match) {
  const { found, sought, seeking } = client;
  if (match.view.game || found !== match.id || !sought) return null;
  if (seeking) return button(text.cancel, () => stopSeeking(client));
  return button(text.seek, () => client.showRefusal(seekMatch(client, sought.rules ?? {}).then(() => go("/"))), "main");
}

/** What the ledger knows of a match that the server has made void, as a file. */
function proofButton(client: Client, match: Match) {
  const proof = client.pledges.get(match.own?.sent ?? "");
  return proof?.said
    ? button(text.saveProof, () => save(`${match.id}.proof.json`, JSON.stringify(proof, null, 2)))
    : null;
}
