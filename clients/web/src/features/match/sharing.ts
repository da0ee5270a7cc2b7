/** Exports of a match: its link, its position, its record. */
import { h } from "preact";
import { fetched } from "../../core/device/fetched.ts";
import { invited, save } from "../../core/device/share.ts";
import { button, CopyButton } from "../../core/look/parts.tsx";
import type { Voice } from "../../core/look/voice.tsx";
import { positionId } from "../../core/model/gnuid.ts";
import { rowsOf } from "../../core/model/scenes.ts";
import { judgeMatch } from "../../core/net/verdicts.ts";
import { text } from "../../core/texts/text.ts";
import type { Parts } from "./screen.tsx";

/** Exports from here. */
export function shareButtons({ match, props, voice }: Parts<"match" | "props" | "voice">) {
  const { view } = match;
  const link = `${invited()}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
  const onRoll = ["roll", "move", "cube"].includes(view.phase) ? view.turn : match.bottom;
  const id = () => positionId(rowsOf(view)[onRoll], rowsOf(view)[1 - onRoll]);
  const file = async () => {
    const { steps, verdict } = await judgeMatch(props.client, match.id, match.code);
    const unverified = verdict.sound ? "" : text.notVerified(verdict.text);
    const { mat } = await fetched(() => import("../../core/model/mat.ts"));
    save(`${match.id}.mat`, mat(match.id, view, steps, unverified));
    if (verdict.sound === false) props.client.say(unverified);
  };
  return [
    copyButton(voice, text.copy, () => link, "quiet"),
    copyButton(voice, text.copyPosition, id, "quiet"),
    button(text.exportMat, () => props.client.showRefusal(file()), "quiet"),
  ];
}

/** A button that copies something: it is said as well. */
export const copyButton = (voice: Voice, words: string, what: () => string, kind: string) =>
  h(CopyButton, { words, what, kind, copied: () => voice.say(text.copied) });
