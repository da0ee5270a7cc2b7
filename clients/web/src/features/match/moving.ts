/** A turn is made on the board: chosen, dragged, typed, taken back, sent. */
import { settings } from "../../core/device/settings.ts";
import { play } from "../../core/device/sounds.ts";
import { spoken } from "../../core/look/story.ts";
import { notation } from "../../core/model/notation.ts";
import { asMoves, type Step } from "../../core/model/plays.ts";
import * as turns from "../../core/model/turn.ts";
import type { Client } from "../../core/net/client.ts";
import { language, text } from "../../core/texts/text.ts";
import type { Parts } from "./screen.tsx";
import { type Status, statusText } from "./status.tsx";

type Making = Parts<"board" | "making" | "match" | "props" | "setState" | "turn" | "voice">;

/** A point was tapped: its checker goes at once, if the player has set that. */
export function tapPoint(screen: Making & Parts<"playback" | "state">, point: number) {
  screen.playback.hurry();
  if (!screen.making) return;
  const { state, props, turn } = screen;
  const { way, chosen } = turns.tapped(turn, state.chosen, point, settings.tap === "move");
  if (way) return playWay(screen, way);
  props.client.notice = "";
  screen.setState({ chosen });
  if (chosen === null && state.chosen !== point)
    refuse(props.client, (say) => say.whyNoTap(turn, state.chosen, point, language));
}

function refuse(client: Client, why: (reasons: typeof import("./reasons.ts")) => string) {
  import("./reasons.ts").then(why).then(
    (words) => client.say(words),
    () => client.say(text.badMove),
  );
}

export function pickChecker(screen: Parts<"making" | "setState" | "turn">, point: number) {
  if (!screen.making || !turns.sources(screen.turn).has(point)) return false;
  screen.setState({ chosen: point });
  return true;
}

export function dropChecker(screen: Making & Parts<"paint">, from: number, to: number) {
  const way = screen.making ? turns.goals(screen.turn, from).get(to) : undefined;
  if (way) return playWay(screen, way);
  screen.setState({ chosen: null }, () => screen.paint(0));
  const { making, turn } = screen;
  if (making && to !== from && to >= 0) refuse(screen.props.client, (say) => say.whyNoPoint(turn, from, to, language));
}

function playWay(screen: Making, way: Step[]) {
  const { theirs } = turns.position(screen.turn);
  const words = notation(asMoves(way), theirs);
  changeTurn(screen, turns.play(screen.turn, way));
  screen.props.client.notice = "";
  play("checker");
  screen.voice.say(`${spoken(words)}. ${turns.isDone(screen.turn) ? text.finishTurn : ""}`.trim());
  screen.board.goOn(turns.choices(screen.turn, null));
}

const KEPT = "tavla.turn";

/** A turn that is half made outlives a reload. */
function changeTurn(screen: Parts<"match" | "props" | "setState">, turn: turns.Turn) {
  screen.match.turn = turn;
  const { key, dice, steps } = turn;
  screen.props.client.storage.setItem(KEPT, JSON.stringify({ match: screen.match.id, key, dice, steps }));
  screen.setState({ chosen: null });
}

/** The turn that was half made before a reload. */
export function recallTurn({ match, props }: Parts<"match" | "props">): turns.Turn | null {
  const kept = props.client.storage.read<(Partial<turns.Turn> & { match?: string }) | null>(KEPT, null);
  const fresh = turns.turnOf(match.view, match.bottom, null);
  if (kept?.match !== match.id || kept.key !== fresh.key) return null;
  const turn = { ...fresh, dice: kept.dice ?? fresh.dice };
  const typed = (kept.steps ?? []).map(({ from, to }) => `${from || "off"}/${to || "off"}`).join(" ");
  return turns.typed(turn, typed.replaceAll("25/", "bar/")) ?? fresh;
}

export function undoStep(screen: Making, all = false) {
  if (!screen.making) return;
  changeTurn(screen, all ? { ...screen.turn, steps: [] } : turns.undo(screen.turn));
  screen.voice.say(text.undo);
}

export function swapDice(screen: Making) {
  if (!screen.making || screen.turn.steps.length) return;
  changeTurn(screen, turns.swap(screen.turn));
}

export function sendTurn(screen: Parts<"act" | "making" | "turn">) {
  if (!screen.making || !turns.isDone(screen.turn)) return;
  screen.act("move", { moves: turns.movesOf(screen.turn) });
}

/** Make a whole turn as it is written. */
export function playWords(screen: Making & Status, words: string) {
  const { client } = screen.props;
  if (!screen.making) return client.say(statusText(screen));
  const begun = { ...screen.turn, steps: [] };
  const turn = turns.typed(begun, words);
  if (turn === null) return refuse(client, (say) => say.whyNoPlay(begun, words, language));
  changeTurn(screen, turn);
  client.notice = "";
  screen.setState({ typing: null });
  screen.voice.say(turns.isDone(turn) ? text.finishTurn : "");
  screen.board.focus(screen.board.focused);
}
