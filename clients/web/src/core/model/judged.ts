/** Verdict on a match's dice and plays: by its seeds, its record, and what was shown while it was played. Pure. */

import { RECORD } from "../texts/record/text.ts";
import { language, text } from "../texts/text.ts";
import { provenDice } from "./chain.ts";
import type { Fault } from "./order.ts";
import { highFirst } from "./plays.ts";
import type { Step } from "./record.ts";
import { judge } from "./referee.ts";
import { agreedText, binding, termsOf } from "./terms.ts";
import { type Judged, type Verdict, wrongSeeds } from "./verdict.ts";
import type { View } from "./view.ts";
import type { Witness } from "./witness.ts";

/**
 * @param view the last one
 * @param events of its record
 * @param witness what we were shown while it was played
 */
export function judged(match: string, view: View, events: unknown[][], witness: Witness | null): Judged {
  const seeds = view.phase === "over" ? wrongSeeds(view, witness?.server || view.commitment) : "";
  const agreed = agreedText(events);
  const terms = view.game && agreed !== termsOf(match, view, agreed.split("\n")) ? text.faultTerms : "";
  const roll = view.seed && !seeds && !terms ? provenDice(view, binding(agreed)) : null;
  const names = view.players.map((name) => name ?? text.someone);
  const { fault, isJudged, steps } = judge(view, events, roll, names);
  const wrong =
    witness?.faults[0] || seeds || terms || inWords(fault) || (witness && isJudged ? differs(witness, steps) : "");
  if (wrong) return { steps, verdict: { sound: false, text: text.wrong(wrong) } };
  return { steps, verdict: isJudged ? right(view, view.phase === "over") : { sound: null, text: text.laterRules } };
}

function inWords(fault: Fault) {
  if (!fault) return "";
  const [name, ...facts] = fault;
  const words = { ...text, ...RECORD[language] }[name] as string | ((...facts: unknown[]) => string);
  return typeof words === "string" ? words : words(...facts);
}

function right(view: View, isOver: boolean): Verdict {
  if (!isOver) return { sound: null, text: RECORD[language].notOver };
  return { sound: true, text: RECORD[language].soundRolls(view.rolls) };
}

/** Difference between what was shown and the record; "" = none. */
function differs(witness: Witness, steps: Step[]) {
  const rolls = new Map<string, string>();
  const turns = new Map<number, string>();
  for (const { what, before, now } of steps) {
    const roll = [now.roller, ...highFirst(now.dice)];
    if (now.rolls > before.rolls && now.phase === "move") rolls.set(`${now.shown + 1}:${now.rolls}`, `${roll}`);
    if (what === "moved") turns.set(now.rolls, `${[...roll, ...now.last.flatMap(({ from, to }) => [from, to])]}`);
  }
  for (const [key, shown] of witness.rolls)
    if (rolls.get(key) !== shown && !witness.lost.has(key))
      return RECORD[language].faultDiffers(Number(key.split(":")[1]));
  for (const [number, shown] of witness.turns)
    if (turns.get(number) !== shown) return RECORD[language].faultDiffers(number);
  return "";
}
