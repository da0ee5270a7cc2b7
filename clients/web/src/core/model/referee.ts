/**
 * The record of a match judged by the rules: each number of the dice used once and in order, by the right side, each
 * roll followed by its play, every play legal, cube, score, flags, and the order of all. Pure.
 */
import type { Rules } from "../../../../../protocol/tavla.d.ts";
import { type LinkDice, linkNumber, shownLink } from "./chain.ts";
import { clockAfter, type Fault, flagFault, orderFault, STOPPED } from "./order.ts";
import { onRoll, played, startRow } from "./plays.ts";
import { begin, entry, fold, limit, type State, type Step, starter, step, type Table } from "./record.ts";
import { rowsOf } from "./scenes.ts";
import { isOff, lossKind, mayDouble } from "./stakes.ts";
import { isPair, type View } from "./view.ts";

/** Nothing on the board follows from these. */
const ASIDE = ["created", "seated", "agreed", "met", "revealed", "ruled", "readied", "auto_set", "abort_asked"];

/** The due end of a game, [points, kind]; null: it cannot end so now. */
export function gameEnd(at: State, rules: Rules, winner: number, ending: string) {
  const { phase, rows, cube, resigned } = at;
  const { backgammons = true, jacoby, forfeit_multiplier: times = 0 } = rules;
  const worth = (kind: number) => {
    const counted = jacoby && !cube.turned ? 1 : backgammons ? kind : Math.min(kind, 2);
    return [cube.value * counted, counted];
  };
  if (ending === "borne_off") return phase === "roll" && isOff(rows[winner]) ? worth(lossKind(rows[1 - winner])) : null;
  if (ending === "drop") return phase === "cube" && cube.offer === winner ? [cube.value, 1] : null;
  if (ending === "resignation") return resigned?.[0] === 1 - winner ? worth(resigned[1]) : null;
  return ending === "forfeit" && times && phase !== "between" ? [cube.value * times, times] : null;
}

/** Whether each event can follow. */
const CAN: Table<Rules, boolean> = {
  game_started: (at, { length = 7, crawford: hasCrawford }, crawford) => {
    const best = Math.max(...at.score);
    const isCrawford = Boolean(hasCrawford) && !at.crawfordDone && at.game > 0 && best === length - 1;
    return at.phase === "between" && crawford === isCrawford && !(length && best >= length);
  },
  opening_rolled: (at, rules) => at.phase === "opening" && starter(at, rules) < 0,
  rolled: (at, rules, seat) => {
    const isDue =
      at.phase === "roll" ? !isOff(at.rows[1 - at.turn]) : at.phase === "opening" && starter(at, rules) === 0;
    return isDue && !at.resigned && seat === at.turn;
  },
  moved: ({ phase, resigned, turn, rows, dice }, rules, seat, moves) =>
    phase === "move" && !resigned && seat === turn && played(onRoll(rows, seat, rules), dice, moves) !== null,
  doubled: (at, rules, seat) => at.phase === "roll" && !at.resigned && seat === at.turn && mayDouble(at, rules, seat),
  taken: ({ phase, resigned, cube }, _, seat) => phase === "cube" && !resigned && seat === 1 - cube.offer,
  beavered: ({ phase, resigned, cube }, rules, seat) =>
    phase === "cube" &&
    !resigned &&
    seat === 1 - cube.offer &&
    cube.count < (rules.beavers ?? 0) &&
    4 * cube.value <= limit(rules),
  resignation_offered: ({ resigned, phase }) => !resigned && phase !== "between" && phase !== "opening",
  resignation_refused: ({ resigned }, _, seat) => resigned?.[0] === 1 - seat,
  game_ended: (at, rules, winner, points, kind, ending) =>
    winner !== null && `${gameEnd(at, rules, winner, ending)}` === `${[points, kind]}`,
  match_ended: ({ phase, score }, { length = 7 }, winner, ending) => {
    const [white, black] = score;
    const leader = white === black ? null : Number(black > white);
    if (ending === "score" && (phase !== "between" || !length || Math.max(...score) < length || winner !== leader))
      return false;
    if (ending === "left" && (length || winner !== leader)) return false;
    return phase !== "over" || ending === "voided";
  },
  cancelled: ({ game }) => !game,
  forked: ({ shown }, _, link) => link === undefined || link > shown,
};

/** A fault that is not the order of events. */
const WRONG: Record<string, NonNullable<Fault>[0]> = {
  moved: "faultIllegal",
  doubled: "faultCube",
  taken: "faultCube",
  beavered: "faultCube",
  game_ended: "faultScore",
  match_ended: "faultScore",
  forked: "faultPutBack",
};

/** The fault of an event where the match stands so. */
export function faultOf(at: State, rules: Rules, what: string, facts: unknown[]): Fault {
  const can = entry(CAN, what);
  if (!can) return null;
  if (at.phase === "over" && what !== "match_ended" && what !== "forked") return ["faultOrder", at.rolls];
  if (what === "moved" && at.phase === "move" && facts[0] !== at.turn) return ["faultSide", at.rolls];
  return can(at, rules, ...facts) ? null : [WRONG[what] ?? "faultOrder", at.rolls];
}

/**
 * sound: whether all of it was judged; false: it is of a later version. steps: those that hold, up to what is wrong
 * first.
 */
export type Judgement = { fault: Fault; isJudged: boolean; steps: Step[] };

/**
 * A record judged.
 * @param roll the dice, as far as the seeds are known; null: they are taken as they are told
 * @param names of the players, as they are told
 */
export function judge(view: View, told: unknown[][], roll: LinkDice | null, names: string[]): Judgement {
  const { rules } = view;
  const events = told.map((row) => (row[2] === "forked" ? linked(row, view.commitment) : row));
  const isLater = events.some(([, , what]) => !entry(CAN, String(what)) && !ASIDE.includes(String(what)));
  if (isLater || !startRow(rules)) return { fault: null, isJudged: false, steps: fold(events, rules) };
  const steps: Step[] = [];
  const order = orderFault(events);
  let at = begin(rules);
  let clock = STOPPED;
  for (const [, time, type, ...facts] of events) {
    const what = String(type);
    let fault: Fault;
    try {
      fault = faultOf(at, rules, what, facts);
      if (!fault && what === "match_ended" && facts[1] === "time")
        fault = flagFault(clock, at, Number(time), facts[0], rules, names);
      if (!fault) {
        const next = step(at, rules, what, facts);
        const { rolls, dice, shown } = next.now;
        const due = rolls > at.rolls ? (roll?.(shown + 1, rolls) ?? dice) : dice;
        if (rolls > at.rolls && (!isPair(dice) || `${due}` !== `${dice}`)) fault = ["faultDice", rolls];
        else {
          steps.push(next);
          clock = clockAfter(clock, next, Number(time), rules);
          at = next.now;
        }
      }
    } catch {
      fault = ["faultOrder", at.rolls]; // values that cannot be
    }
    if (fault) return { fault: order || fault, isJudged: true, steps };
  }
  return { fault: order || agrees(at, view), isJudged: true, steps };
}

/** A fork with the number of its seed in the seed's place. */
const linked = ([seq, time, what, seed]: unknown[], committed: string) =>
  seed === undefined ? [seq, time, what] : [seq, time, what, linkNumber(String(seed), committed)];

/** Part of a view that does not follow from the record. */
function agrees({ rolls, score, game, phase, rows, cube, shown }: State, view: View): Fault {
  if (phase === "over" && shown !== shownLink(view, view.commitment))
    return [view.seed ? "otherServerSeed" : "noSeedShown"];
  if (rolls !== view.rolls) return ["faultTold", view.rolls, rolls];
  const isSame = `${score}` === `${view.score}` && game === view.game && (phase === "over") === (view.phase === "over");
  const isCube = cube.value === view.cube && cube.owner === (view.owner ?? -1);
  return isSame && (!game || (isCube && `${rows}` === `${rowsOf(view)}`)) ? null : ["faultEnd"];
}
