/**
 * What a scene is called: in words, and as a sound.
 *
 * @import {Scene} from "./scenes.js"
 * @import {Sound} from "./sounds.js"
 * @import {View} from "./view.js"
 */
import { notation } from "./scenes.js";
import { text } from "./text.js";

/** The end of a game, or of the match. @param {View} view @param {(seat: number) => string} nameOf */
export function outcome(view, nameOf) {
  const { outcome: found, phase, score } = view;
  if (!found) return view.unrevealed.length ? text.voided(view.unrevealed.map(nameOf).filter((name) => name !== text.You)) : phase === "over" ? text.cancelled : text.revealing;
  const [winner, points, kind, ending] = found;
  if (ending === "aborted") return text.aborted;
  if (winner === null) return text.level_;
  if (phase === "over" && !points) return `${text.matchWon(nameOf(winner))}${text.endings[ending] ?? ""}.`;
  if (phase === "over") return `${text.matchWon(nameOf(winner))}, ${score[winner]} – ${score[1 - winner]}.`;
  return text.gameWon(nameOf(winner), points, kind, ending);
}

/** What is said of a scene; "": nothing. @param {Scene} scene @param {(seat: number) => string} nameOf */
export function inWords({ what, seat, view, dice, last, whole }, nameOf) {
  const name = nameOf(seat);
  switch (what) {
    case "game":
      return view.game > 1 ? `${text.game(view.game)} ${view.crawford ? `${text.crawford}.` : ""}`.trim() : "";
    case "taken":
      return text.taken(name, view.cube);
    case "beavered":
      return text.beavered(name, 2 * view.cube);
    case "refused":
      return text.refusedResignation(name);
    case "rolled":
      return text.rolled(name, dice);
    case "moved":
      return whole ? text.played(name, notation(last.map(({ from, to }) => [from, to]))) : "";
    case "passed":
      return text.passed(name);
    case "missed":
      return text.missed;
    case "doubled":
      return text.doubles(name, 2 * view.cube);
    case "resigned":
      return view.resignation ? text.offersResign(name, view.resignation[1], view.resignation[1] * view.cube) : "";
    case "ended":
      return outcome(view, nameOf);
    case "asked":
      return name === text.You ? text.yourTurn : "";
  }
}

/** @param {Scene} scene @param {boolean} ours whether it is we who act next @returns {Sound | null} */
export function asSound({ what }, ours) {
  if (what === "rolled") return "dice";
  if (what === "moved") return "checker";
  if (what === "doubled" || what === "beavered") return "double";
  return what === "asked" && ours ? "turn" : null;
}
