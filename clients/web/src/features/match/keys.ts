/** Keys: a table of what each does. */
import { cubeWords } from "../../core/board/picture.ts";
import { isBusy, isFree } from "../../core/device/closest.ts";
import { rowsOf } from "../../core/model/scenes.ts";
import { minutes } from "../../core/model/time.ts";
import * as turns from "../../core/model/turn.ts";
import { pips } from "../../core/model/view.ts";
import type { Match } from "../../core/net/match.ts";
import { text } from "../../core/texts/text.ts";
import { sendTurn, swapDice, undoStep } from "./moving.ts";
import { cubeOf } from "./picture.ts";
import type { Parts } from "./screen.tsx";

type Pressed = Parameters<typeof undoStep>[0] &
  Parts<"act" | "ask" | "asking" | "board" | "input" | "playback" | "state">;

export function pressKey(screen: Pressed, event: KeyboardEvent) {
  if (isBusy(event, "input, textarea, select, dialog")) return;
  const { match, voice } = screen;
  const { view, bottom } = match;
  const sides = (of: number[]): [number, number] => [of[bottom], of[1 - bottom]];
  if (/^([0-9b-dnrux]|Enter)$/i.test(event.key)) screen.playback.hurry();
  const canRoll = match.isOurs && view.phase === "roll" && !screen.asking;
  const does: Record<string, () => void> = {
    r: () => canRoll && screen.act("roll"),
    d: () => (screen.making ? sendTurn(screen) : canRoll && match.canDouble && screen.ask("double")),
    u: () => undoStep(screen),
    x: () => swapDice(screen),
    h: () => screen.setState({ hints: !screen.state.hints }),
    e: () => document.querySelector<HTMLElement>(".advice")?.click(),
    i: () => voice.say(text.sayDice(screen.making ? turns.left(screen.turn) : [...view.dice])),
    p: () => voice.say(text.sayPips(...sides(rowsOf(view).map(pips)))),
    s: () => voice.say(`${text.sayScore(...sides(view.score))} ${cubeWords(cubeOf(match))}`.trim()),
    c: () => voice.say(clockText(match)),
    n: () => screen.making && screen.board.focusNext(turns.choices(screen.turn, screen.state.chosen), event.shiftKey),
    Escape: () =>
      screen.playback.scene ? screen.playback.skip() : screen.setState({ asking: "", chosen: null, typing: null }),
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (/^[0-9b]$/.test(key) && screen.making) {
    event.preventDefault();
    screen.setState({ typing: key }, () => screen.input.current?.focus());
  } else if (key === "Enter" && isFree(event) && canRoll) screen.act("roll");
  else does[key]?.();
}

function clockText(match: Match) {
  const [mine, theirs] = [match.time(match.bottom), match.time(1 - match.bottom)];
  return mine && theirs ? text.sayClock(minutes(mine.reserve), minutes(theirs.reserve)) : text.sayNoClock;
}
