/** Exports of a match: its link, its position, its record. */
import { h } from "preact";
import { invited } from "../../core/device/share.ts";
import { CopyButton, saveButton } from "../../core/look/parts.tsx";
import type { Voice } from "../../core/look/voice.tsx";
import { positionId } from "../../core/model/gnuid.ts";
import { rowsOf } from "../../core/model/scenes.ts";
import { text } from "../../core/texts/text.ts";
import type { Parts } from "./screen.tsx";

export function shareButtons({ match, props, voice }: Parts<"match" | "props" | "voice">) {
  const { view } = match;
  const link = `${invited()}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
  const onRoll = ["roll", "move", "cube"].includes(view.phase) ? view.turn : match.bottom;
  const id = () => positionId(rowsOf(view)[onRoll], rowsOf(view)[1 - onRoll]);
  return [
    copyButton(voice, text.copy, () => link, "quiet"),
    copyButton(voice, text.copyPosition, id, "quiet"),
    saveButton(props.client, match.id, match.code),
  ];
}

/** A button that copies something: it is said as well. */
export const copyButton = (voice: Voice, words: string, what: () => string, kind: string) =>
  h(CopyButton, { words, what, kind, copied: () => voice.say(text.copied) });
