/** A turn is made on the board: chosen, dragged, typed, taken back, sent. */
import { play } from "../../device/sounds.ts";
import { notation } from "../../model/scenes.ts";
import * as turns from "../../model/turn.ts";
import { text } from "../../texts/text.ts";
import { pictureOf } from "./picture.ts";
import type { MatchScreen } from "./screen.ts";

/**
 * A point was tapped. Chosen already, or by the player's setting at once: its checker goes by the first die. The
 * tray: whatever the first die can bear off. A target of the only checker that can move: that one goes.
 */
export function tapPoint(screen: MatchScreen, point: number) {
  if (screen.playback.scene) return screen.playback.skip();
  if (!screen.making) return;
  const { turn } = screen;
  const { chosen } = screen.state;
  const sources = turns.sources(turn);
  const only = sources.size === 1 ? [...sources][0] : null; // such as the bar: no need to choose it
  const from = chosen ?? (only !== null && only !== point && turns.goals(turn, only).has(point) ? only : null);
  const way = from !== null && from !== point ? turns.goals(turn, from).get(point) : undefined;
  const atOnce = from === point || (from === null && screen.props.settings.tap === "move" && sources.has(point));
  const made =
    way ?? (atOnce ? firstWay(screen, [point]) : point === 0 ? firstWay(screen, [...sources], 0) : undefined);
  if (made) playWay(screen, made);
  else screen.setState({ chosen: sources.has(point) && point !== chosen ? point : null });
}

/** The step by the die that is first, of one of these checkers. */
export function firstWay(screen: MatchScreen, from: number[], to: number | null = null) {
  const ways = from.flatMap((one) => [...turns.goals(screen.turn, one).values()]);
  const single = ways.filter((way) => way.length === 1 && (to === null || way[0].to === to));
  const dice = turns.left(screen.turn);
  return single.sort((a, b) => dice.indexOf(a[0].die) - dice.indexOf(b[0].die))[0];
}

export function pickChecker(screen: MatchScreen, point: number) {
  if (!screen.making || !turns.sources(screen.turn).has(point)) return false;
  screen.setState({ chosen: point });
  return true;
}

export function dropChecker(screen: MatchScreen, from: number, to: number) {
  const way = screen.making ? turns.goals(screen.turn, from).get(to) : undefined;
  if (way) playWay(screen, way);
  else screen.setState({ chosen: null }, () => screen.board.show(pictureOf(screen), 0));
}

export function playWay(screen: MatchScreen, way: import("../../model/plays.ts").Step[]) {
  screen.match.turn = turns.play(screen.turn, way);
  screen.props.client.notice = "";
  screen.setState({ chosen: null });
  if (screen.props.settings.sound === "on") play("checker");
  screen.voice.say(
    `${notation(way.map(({ from, to }) => [from, to]))}. ${turns.isDone(screen.match.turn) ? text.finishTurn : ""}`.trim(),
  );
}

export function undoStep(screen: MatchScreen, all = false) {
  if (!screen.making) return;
  screen.match.turn = all ? { ...screen.turn, steps: [] } : turns.undo(screen.turn);
  screen.setState({ chosen: null });
  screen.voice.say(text.undo);
}

export function swapDice(screen: MatchScreen) {
  if (!screen.making || screen.turn.steps.length) return;
  screen.match.turn = turns.swap(screen.turn);
  screen.setState({ chosen: null });
}

export function sendTurn(screen: MatchScreen) {
  if (!screen.making || !turns.isDone(screen.turn)) return;
  const { mine, theirs } = turns.position(screen.turn);
  screen.match.witness.sent = {
    number: screen.match.view.rolls,
    rows: `${screen.seat ? [theirs, mine] : [mine, theirs]}`,
  };
  screen.act("move", { moves: turns.movesOf(screen.turn) });
}

export function typeTurn(screen: MatchScreen, event: Event) {
  event.preventDefault();
  const turn = screen.making ? turns.typed({ ...screen.turn, steps: [] }, screen.state.typing ?? "") : null;
  if (turn === null) return screen.props.client.say(text.badMove);
  screen.match.turn = turn;
  screen.props.client.notice = "";
  screen.setState({ typing: null, chosen: null });
  screen.voice.say(turns.isDone(turn) ? text.finishTurn : "");
  screen.board.focus(screen.board.focused);
}
