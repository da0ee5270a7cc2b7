/** Sounds, made here: no file is fetched for them. */

import { settings } from "./settings.ts";

export type Sound = "dice" | "checker" | "double" | "turn";

const REST_MS = 1500; // after the last sound: a device that plays nothing takes 3 % of a core all the same

let audio: AudioContext | null = null;
let rests: ReturnType<typeof setTimeout> | undefined;

/** A short noise or tone. @param at s @param fade s */
function burst(context: AudioContext, source: AudioNode, at: number, loud: number, fade: number) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + fade);
  source.connect(gain).connect(context.destination);
}

/** Wood on wood. @param pitch Hz */
function knock(context: AudioContext, at: number, pitch: number, loud: number) {
  const length = Math.floor(0.05 * context.sampleRate);
  const noise = context.createBuffer(1, length, context.sampleRate);
  const data = noise.getChannelData(0);
  for (let i = 0; i < length; i++) data[i] = 2 * Math.random() - 1;
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 2.5 });
  burst(context, source.connect(filter), at, loud, 0.05);
  source.start(at);
}

/** @param pitch Hz */
function bell(context: AudioContext, at: number, pitch: number, loud: number) {
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  burst(context, tone, at, loud, 0.35);
  tone.start(at);
  tone.stop(at + 0.4);
}

const SOUNDS: Record<Sound, (context: AudioContext, at: number) => void> = {
  dice: (context, at) =>
    [0, 0.05, 0.11, 0.16, 0.24].forEach((later, index) => knock(context, at + later, 2600 - 250 * index, 0.5)),
  checker: (context, at) => knock(context, at, 950, 0.9),
  double: (context, at) => [392, 523].forEach((pitch, index) => bell(context, at + 0.14 * index, pitch, 0.16)),
  turn: (context, at) => [659, 880].forEach((pitch, index) => bell(context, at + 0.11 * index, pitch, 0.12)),
};

const AT_FIRST = ["pointerdown", "keydown"] as const;

/** Browsers let nothing sound before the first tap or key. */
function wake() {
  for (const event of AT_FIRST) removeEventListener(event, wake, true);
  if ("AudioContext" in window) audio = new AudioContext();
  rest();
}

/** Stop the device a while from now, if nothing sounds until then. */
function rest() {
  clearTimeout(rests);
  rests = setTimeout(() => audio?.suspend(), REST_MS);
}

/** Make ready for sounds, with the first tap or key. */
export function listen() {
  for (const event of AT_FIRST) addEventListener(event, wake, true);
}

export function play(sound: Sound) {
  if (!audio || settings.sound !== "on") return;
  audio.resume().catch(() => {}); // its time stands still until then
  SOUNDS[sound](audio, audio.currentTime + 0.01);
  rest();
}
