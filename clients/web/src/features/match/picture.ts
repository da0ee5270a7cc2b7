/** The picture of a match: what its board shows. */

import { cubeAt, type Picture, STILL } from "../../core/board/picture.ts";
import { settings } from "../../core/device/settings.ts";
import { lastMoves, rowsOf } from "../../core/model/scenes.ts";
import * as turns from "../../core/model/turn.ts";
import type { View } from "../../core/model/view.ts";
import type { Match } from "../../core/net/match.ts";
import type { Parts } from "./screen.tsx";

export function pictureOf(screen: Parts<"making" | "match" | "mayRoll" | "playback" | "state" | "turn">): Picture {
  const { match } = screen;
  const { view, bottom: seat } = match;
  const common = {
    ...STILL,
    colour: colourOf(seat, seat),
    cube: cubeOf(match),
  };
  if (screen.playback.scene?.rows) {
    const { what, rows, dice, seat: roller, last } = screen.playback.scene;
    const marks = last.map((one) => ({ ...one, mine: one.seat === seat }));
    const isFirst = what === "first" && dice.length > 0; // a die each
    const shown = (isFirst ? [dice[seat]] : dice).map((value) => ({ value, used: false }));
    return {
      ...common,
      mine: rows[seat],
      theirs: rows[1 - seat],
      dice: shown,
      diceMine: isFirst || roller === seat,
      last: marks,
      past: isFirst ? { dice: [dice[1 - seat]], mine: false } : null,
    };
  }
  const last = lastMoves(view).map((one) => ({ ...one, mine: one.seat === seat }));
  if (!screen.making) {
    const rows = rowsOf(view);
    const dice = view.dice.map((value) => ({ value, used: false }));
    const past = dice.length ? null : pastDice(view, seat);
    const { mayRoll } = screen;
    const taps = { mayRoll, mayDouble: mayRoll && match.canDouble };
    return {
      ...common,
      ...taps,
      mine: rows[seat],
      theirs: rows[1 - seat],
      dice,
      diceMine: view.turn === seat,
      last,
      past,
    };
  }
  const making = turns.shown(screen.turn, screen.state.chosen);
  return { ...common, ...making, diceMine: true, last, arrows: hintArrows(screen) };
}

/** The dice of the turn before, which lie there until the next ones are rolled. */
function pastDice({ last, phase }: View, seat: number): Picture["past"] {
  const turn = last.at(-1);
  return turn && phase === "roll" ? { dice: turn.slice(1, 3), mine: turn[0] === seat } : null;
}

/** Where a hint points: the ways of the chosen checker, or of all that can be moved. */
function hintArrows(screen: Parts<"match" | "state" | "turn">): [number, number][] {
  if (!screen.match.view.rules.hints || !screen.state.hints) return [];
  const { turn, state } = screen;
  const { chosen } = state;
  const from = chosen === null ? [...turns.sources(turn)] : [chosen];
  const ways = from.flatMap((one) => [...turns.goals(turn, one).values()]);
  const steps = ways
    .flatMap((way) => (chosen === null ? way.slice(0, 1) : way))
    .map(({ from, to }): [string, [number, number]] => [`${from} ${to}`, [from, to]]);
  return [...new Map(steps).values()];
}

/** Colour of a seat's checkers: 0 = light. */
export function colourOf(seat: number, bottom: 0 | 1): 0 | 1 {
  const { colour } = settings;
  const own = colour === "seat" ? bottom : colour === "light" ? 0 : 1;
  return seat === bottom ? own : own ? 0 : 1;
}

export function cubeOf({ view, seat, hasCube }: Match): Picture["cube"] {
  if (!hasCube) return null;
  return cubeAt(seat ?? 0, view.cube, view.owner ?? -1, view.offer ?? -1);
}
