/** Players and status of a match, in a few words. */
import { h } from "preact";
import { Clock, RoundTime } from "../../core/look/clock.tsx";
import { type Children, stone, tip } from "../../core/look/parts.tsx";
import { outcome, toldScore } from "../../core/look/story.ts";
import { highFirst } from "../../core/model/plays.ts";
import { rowsOf } from "../../core/model/scenes.ts";
import { minutes } from "../../core/model/time.ts";
import * as turns from "../../core/model/turn.ts";
import { pips, toAct, type View } from "../../core/model/view.ts";
import { text } from "../../core/texts/text.ts";
import { colourOf } from "./picture.ts";
import type { Parts } from "./screen.tsx";

export type Status = Parts<"making" | "match" | "playback" | "props" | "status" | "turn" | "words">;

/** Status in a few words: of the scene on the board, if there is one. */
export function statusText(screen: Status) {
  const { match, playback, props } = screen;
  if (props.client.online && !match.replaced && !match.isHalted && playback.isAhead) {
    if (playback.scene) screen.status = screen.words({ ...playback.scene, whole: true });
    return screen.status;
  }
  screen.status = textNow(screen);
  return screen.status;
}

function textNow(screen: Status) {
  const { match, props } = screen;
  const { view, seat, nameOf } = match;
  const crawford = view.crawford ? ` ${text.crawford}.` : "";
  if (!props.client.online) return props.client.offline;
  if (match.replaced) return text.replaced;
  if (match.isHalted) return text.stopped;
  if (view.phase === "open") return text.waiting;
  if (view.phase === "reveal") return text.revealing;
  if (/over|ready/.test(view.phase)) return outcome(view, nameOf);
  if (view.phase === "resign" && view.resignation) {
    const [by, kind] = view.resignation;
    return by === seat ? text.theirTurn(nameOf(1 - by)) : text.offersResign(nameOf(by), kind, kind * view.cube);
  }
  if (view.offer !== null) {
    return view.offer === seat
      ? text.theirTurn(nameOf(1 - view.offer))
      : text.doubles(nameOf(view.offer), 2 * view.cube);
  }
  if (match.isWaiting) {
    const name = nameOf(1 - match.bottom);
    const { claimIn } = match;
    return claimIn && claimIn > 0 ? text.away(name, until(claimIn)) : text.awayNow(name);
  }
  if (!match.isOurs)
    return (seat === null ? `${text.watching} ` : "") + text.theirTurn(nameOf(toAct(view)[0] ?? 0)) + crawford;
  if (view.phase === "roll") return (match.canDouble ? text.yourRoll : text.yourTurn) + crawford;
  return (screen.making && turns.isDone(screen.turn) ? text.finishTurn : text.yourMove) + crawford;
}

/** A player: who it is, whose turn, what was rolled last, how far there is to go. */
export function playerPanel(screen: Parts<"match" | "playback" | "props" | "shown">, seat: number, where: string) {
  const { match, playback, props, shown } = screen;
  const { view } = match;
  const isOn = !playback.asksFirst && toAct(view).includes(seat);
  const here = match.online[seat];
  const rows = playback.scene?.rows ?? rowsOf(shown.view);
  const rating = view.ratings[seat];
  const round = props.client.lists.tournament[view.tournament?.[0] ?? ""];
  return (
    <section class={`player ${where} ${isOn ? "on" : ""}`} aria-label={view.players[seat] ?? text.freeSeat}>
      {stone(colourOf(seat, match.bottom) === 1, true)}
      <span class="who">
        <b>{view.players[seat] ?? text.freeSeat}</b>
        {view.players[seat] && view.phase !== "open" ? <small>{rating === null ? text.unrated : rating}</small> : null}
        <i class={here ? "here" : "away"} title={tip(here ? text.online : text.offlineNow)} />
        <span class="turn-room">
          {isOn && (
            <span class="turn" role="img" aria-label={text.theirTurn(match.nameOf(seat))}>
              ◀
            </span>
          )}
        </span>
      </span>
      {facts(rows[seat], shown.view, seat, lastRoll(shown, seat))}
      {view.clock && view.phase !== "open" && (
        <span class="times">
          <Clock match={match} seat={seat} online={props.client.online} />
          {round?.round && view.phase !== "over" && seat !== match.bottom ? <RoundTime ends={round.ends} /> : null}
        </span>
      )}
    </section>
  );
}

/** Figures of a player: how far there is to go, and the score. @param first stands before them */
export function facts(row: number[], { score, rules }: Pick<View, "score" | "rules">, seat: number, first: Children) {
  const told = toldScore(score, rules.length)[seat];
  return (
    <span class="facts">
      {first}
      <span class="pips" title={tip(text.pips)}>
        <b>{pips(row)}</b>
        <small>{` ${text.pips}`}</small>
      </span>
      <span class="score" title={tip(text.score)}>
        <b>{told}</b>
        <small>{` / ${rules.length || "∞"}`}</small>
      </span>
    </span>
  );
}

/** Last roll of a player in this game. */
function lastRoll({ view, moves }: Parts<"shown">["shown"], seat: number) {
  const played = moves.findLast((one) => one.seat === seat && one.dice.length)?.dice ?? [];
  const dice = highFirst(view.turn === seat && view.dice.length ? view.dice : played);
  const words = text.lastRoll(dice);
  return dice.length ? (
    <span class="roll" role="img" aria-label={words} title={tip(words)}>
      {dice.map((die) => (
        <i>{die}</i>
      ))}
    </span>
  ) : null;
}

const until = (seconds: number) =>
  seconds < 3600
    ? minutes(1000 * seconds)
    : seconds < 172_800
      ? text.hours(Math.ceil(seconds / 3600))
      : text.days(Math.ceil(seconds / 86_400));
