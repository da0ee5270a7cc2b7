/** The decisions of a match, from its record: what was asked of whom, and what was done. Pure. */

import type { Rules } from "../../../../../protocol/tavla.d.ts";
import type { Question } from "../evaluator/judge.ts";
import { notation } from "./notation.ts";
import { asMoves, onRoll } from "./plays.ts";
import type { State, Step } from "./record.ts";
import { after } from "./scenes.ts";
import { mayDouble, stakesOf } from "./stakes.ts";

/** number: from 1, as the address names it. seat: who decides. turn: of the game. done: a double that was offered or taken. */
export type Decision = {
  number: number;
  seat: number;
  turn: number;
  what: "play" | "double" | "take";
  done: boolean;
  moves: [number, number][];
  words: string; // of a play
  key: string; // of the position after it
  at: State; // before it
  question: Question; // of a take: that of the player who doubles
};

/** A roll of the match, and the question how to play it. */
export type Roll = Pick<Decision, "seat" | "at" | "question">;

function questionOf(at: State, rules: Rules, seat: number, dice: number[], opening = false): Question {
  return { position: onRoll(at.rows, seat, rules), dice, stakes: stakesOf(at, rules, seat), opening };
}

export function decisionsOf(steps: Step[], rules: Rules): Decision[] {
  const found: Decision[] = [];
  let turn = 1;
  let isOpening = false; // the dice were the opening roll, which is no double
  const add = (at: State, seat: number, what: Decision["what"], question: Question, more: Partial<Decision>) =>
    found.push({
      number: found.length + 1,
      seat,
      turn,
      what,
      done: true,
      moves: [],
      words: "",
      key: "",
      at,
      question,
      ...more,
    });
  for (const { what, facts, before, now } of steps) {
    const seat = Number(facts[0]);
    const { offer, count } = before.cube;
    if (what === "opening_rolled" || what === "rolled") isOpening = what === "opening_rolled";
    if (what === "game_started") turn = 1;
    else if (what === "moved") {
      const rows = now.last.reduce(after, before.rows);
      const moves = asMoves(now.last);
      const question = questionOf(before, rules, seat, before.dice, isOpening);
      const words = notation(moves, before.rows[1 - seat]);
      const key = `${rows[seat]};${rows[1 - seat]}`;
      add(before, seat, "play", { ...question, key }, { moves, words, key });
      turn++;
    } else if (what === "doubled" || (what === "rolled" && before.phase === "roll" && mayDouble(before, rules, seat)))
      add(before, seat, "double", questionOf(before, rules, seat, []), { done: what === "doubled" });
    else if (what === "taken" && !count) add(before, seat, "take", questionOf(before, rules, offer, []), {});
    else if (what === "game_ended" && facts[3] === "drop" && !count)
      add(before, 1 - offer, "take", questionOf(before, rules, offer, []), { done: false });
  }
  return found;
}

/** The rolls that were never played, since the game ended: luck all the same. */
export function unplayedOf(steps: Step[], rules: Rules): Roll[] {
  const found: Roll[] = [];
  for (const { what, now } of steps) {
    const isOpening = what === "opening_rolled";
    if (what === "moved") found.pop();
    else if (what === "rolled" || (isOpening && now.phase === "move"))
      found.push({ seat: now.turn, at: now, question: questionOf(now, rules, now.turn, now.dice, isOpening) });
  }
  return found;
}
