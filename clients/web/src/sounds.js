/** Sounds, made here: no file is fetched for them. */

/** @typedef {"dice" | "checker" | "double" | "turn"} Sound */

/** @type {AudioContext | null} */
let audio = null;

/** A short noise or tone. @param {AudioContext} context @param {AudioNode} source @param {number} at s @param {number} loud @param {number} fade s */
function burst(context, source, at, loud, fade) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + fade);
  source.connect(gain).connect(context.destination);
}

/** Wood on wood. @param {AudioContext} context @param {number} at @param {number} pitch Hz @param {number} loud */
function knock(context, at, pitch, loud) {
  const length = Math.floor(0.05 * context.sampleRate);
  const noise = context.createBuffer(1, length, context.sampleRate);
  const data = noise.getChannelData(0);
  for (let i = 0; i < length; i++) data[i] = 2 * Math.random() - 1;
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 2.5 });
  burst(context, source.connect(filter), at, loud, 0.05);
  source.start(at);
}

/** @param {AudioContext} context @param {number} at @param {number} pitch Hz @param {number} loud */
function bell(context, at, pitch, loud) {
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  burst(context, tone, at, loud, 0.35);
  tone.start(at);
  tone.stop(at + 0.4);
}

/** @type {Record<Sound, (context: AudioContext, at: number) => void>} */
const SOUNDS = {
  dice: (context, at) => [0, 0.05, 0.11, 0.16, 0.24].forEach((later, index) => knock(context, at + later, 2600 - 250 * index, 0.5)),
  checker: (context, at) => knock(context, at, 950, 0.9),
  double: (context, at) => [392, 523].forEach((pitch, index) => bell(context, at + 0.14 * index, pitch, 0.16)),
  turn: (context, at) => [659, 880].forEach((pitch, index) => bell(context, at + 0.11 * index, pitch, 0.12)),
};

const AT_FIRST = /** @type {const} */ (["pointerdown", "keydown"]);

/** Browsers let nothing sound before the first tap or key. */
function wake() {
  for (const event of AT_FIRST) removeEventListener(event, wake, true);
  if ("AudioContext" in window) audio = new AudioContext();
}

/** Make ready for sounds, with the first tap or key. */
export function listen() {
  for (const event of AT_FIRST) addEventListener(event, wake, true);
}

/** @param {Sound} sound */
export function play(sound) {
  if (audio) SOUNDS[sound](audio, audio.currentTime + 0.01);
}
