/** What a player has done between two views, and whether what the server did by itself was due. Pure. */

import { legalPlays, onRoll, startRow } from "../../../core/model/plays.ts";
import { afterTurn, type Rows, rowsOf } from "../../../core/model/scenes.ts";
import { mayDouble } from "../../../core/model/stakes.ts";
import { mayBeaver, resignable, toAct, type View } from "../../../core/model/view.ts";

/** what: as the request is called. */
export type Act = { what: string; seat: number };

const DECIDED = ["time", "abandoned", "adjudicated", "voided", "put_back"]; // by others than the players

/** The one act that can have led from a view to the next; null: none of a player, or one that others may do for them. */
export function actOf(before: View, now: View): Act | null {
  const [winner, , , ending = ""] = now.outcome ?? [];
  const isOver = now.phase === "over";
  if (!before.game || before.phase === "over" || (isOver && DECIDED.includes(ending))) return null;
  const isEnd = before.phase !== "ready" && (isOver || now.phase === "ready");
  const by = (what: string, seat: number) => ({ what, seat });
  if (isOver && ending === "aborted") {
    const [asked] = before.aborts;
    return by("abort", Number(asked !== null && before.rolls <= asked + 1));
  }
  if (ending === "forfeit" && (isEnd || isOver)) return by("forfeit", 1 - Number(winner));
  if (ending === "left" && isEnd && `${now.points}` === `${before.points}`) {
    const loser = Number(now.score[0] > before.score[0]); // of the last game that a sitting can have
    const { resignation, offer, cube } = before;
    const offered = resignation?.[0] === loser ? resignation[1] : Number(offer === 1 - loser);
    if (now.score[1 - loser] - before.score[1 - loser] > offered * cube) return by("forfeit", loser);
  }
  if (now.game === before.game && !isEnd)
    for (const seat of [0, 1]) {
      if (now.aborts[seat] !== before.aborts[seat]) return by("abort", seat);
      const isLeft = now.auto_roll[seat] !== before.auto_roll[seat] || now.auto_play[seat] !== before.auto_play[seat];
      if (isLeft) return by("auto", seat);
    }
  const { phase, turn, resignation, offer } = before;
  if (phase === "ready") return null;
  if (now.resignation && !resignation) return by("resign", now.resignation[0]);
  if (resignation) return by(["resignation", "left"].includes(ending) ? "accept" : "refuse", 1 - resignation[0]);
  if (offer !== null)
    return by(["drop", "left"].includes(ending) ? "drop" : now.phase === "cube" ? "beaver" : "take", 1 - offer);
  if (phase === "roll") return by(now.phase === "cube" ? "double" : "roll", turn);
  return phase === "move" ? by("move", turn) : null;
}

/** Where moves lead that are played in the place of a view's; null: they are not legal there. */
export const afterMoves = (before: View, moves: [number, number][]) =>
  afterTurn(rowsOf(before), before.rules, [before.turn, ...before.dice, ...moves.flat()]);

/** Phases of what is a player's turn to do. */
const WAITS_FOR: Record<string, string> = {
  roll: "roll",
  double: "roll",
  take: "cube",
  drop: "cube",
  beaver: "cube",
  move: "move",
  accept: "resign",
  refuse: "resign",
};

type Asked = { type: string; fields: { value?: number; moves?: [number, number][] } };

/** Whether the rules surely allow a player's request, where no resignation was refused. */
export function allows(view: View, seat: number, { type, fields }: Asked): boolean {
  const { phase, rules, cube, owner } = view;
  if (!startRow(rules)) return false; // a game of a later version
  const isPlayed = ["roll", "cube", "move"].includes(phase);
  if (type === "ready") return phase === "ready";
  if (type === "auto") return isPlayed || phase === "ready" || phase === "resign";
  if (type === "leave") return phase === "ready" && rules.length === 0;
  if (type === "forfeit" && phase === "ready") return rules.length !== 0 || !rules.forfeit_multiplier;
  if (type === "forfeit") return isPlayed || phase === "resign";
  if (type === "resign")
    return isPlayed && rules.resignations !== false && resignable(view, seat).includes(fields.value ?? 0);
  if (WAITS_FOR[type] !== phase || !toAct(view).includes(seat)) return false;
  const stakes = { ...view, cube: { value: cube, owner: owner ?? -1 }, rows: rowsOf(view) };
  if (type === "double") return mayDouble(stakes, rules, seat);
  if (type === "beaver") return mayBeaver(view) && cube < 2 ** (rules.beavers ?? 0); // each has doubled it
  return type !== "move" || afterMoves(view, fields.moves ?? []) !== null;
}

/** Whether the server may roll for a player, or play what is forced. */
function isDue(rows: Rows, before: View, now: View, seat: number, turn: number[] | null) {
  const { cube, owner, crawford, score, rules } = now;
  const stakes = { cube: { value: cube, owner: owner ?? -1 }, crawford, score, rows };
  if (!turn) return before.auto_roll[seat] || now.auto_roll[seat] || !mayDouble(stakes, rules, seat);
  const isLeft = before.auto_play[seat] || now.auto_play[seat];
  return legalPlays(onRoll(rows, seat, rules), turn.slice(1, 3)).size === 1 && (isLeft || turn.length === 3);
}

/** The player for whom the server has decided what it may not, while a game goes on; null: it has not. */
export function decidedFor(before: View, now: View, act: Act | null): number | null {
  const isNew = now.game === before.game + 1;
  const start = startRow(now.rules);
  if (!start || !["roll", "move"].includes(now.phase) || !(isNew || act)) return null;
  const isOwn = act?.what === "move";
  const count = now.rolls - now.dice.length / 2 - before.rolls + 1; // turns, where there were dice to be played
  const known = before.last.length;
  if (isOwn && known && now.last.length === known + count && `${now.last.slice(0, known)}` === `${before.last}`)
    return before.turn;
  let rows: Rows | null = isNew ? [start, start] : rowsOf(before);
  let isChosen = isNew || act?.what === "roll" || before.dice.length > 0; // the next roll
  for (const [index, turn] of now.last.slice(isNew || isOwn ? 0 : known).entries()) {
    const [seat] = turn;
    if (!(isOwn && !index)) {
      if (!isChosen && !isDue(rows, before, now, seat, null)) return seat;
      if (!isDue(rows, before, now, seat, turn)) return seat;
    }
    isChosen = false;
    rows = afterTurn(rows, now.rules, turn);
    if (!rows) return null; // that is said otherwise
  }
  const isRolled = now.phase === "move" && now.rolls > before.rolls && !isChosen;
  return isRolled && !isDue(rows, before, now, now.turn, null) ? now.turn : null;
}
