/**
 * The rules of a table: what is asked for in a form, and how they are told. Pure.
 *
 * @typedef {{preset: string, variant: string, length: string, clock: string, cube: boolean, hints: boolean, rated: boolean}} Wanted
 */
import { text } from "./text.js";

/** What a preset differs in from `tournament`, of what a form asks. See section 7 of protocol/README.md. */
const PRESETS = /** @type {Record<string, {length?: string, cube?: boolean, hints?: boolean}>} */ ({
  tournament: {},
  money: { length: "0" },
  tavla: { length: "5", cube: false },
  portes: { cube: false },
  club: { length: "0" },
  mpgn: { length: "0", hints: true },
  seats: { length: "0" },
});
const OPTIONS = /** @type {const} */ (["variant", "cube", "hints", "rated"]);
export const LENGTHS = ["1", "3", "5", "7", "9", "11", "15", "21", "25", "0"];
/** Free seconds of a turn, and seconds for each point. @type {Record<string, [number, number]>} */
const CLOCKS = { none: [0, 0], fast: [8, 20], normal: [10, 60], default: [12, 120], slow: [15, 180] };

/** What a form has at first with a preset. @param {string} preset @returns {Wanted} */
export const usual = (preset) => ({
  preset, variant: "standard", length: "7", clock: "none", cube: true, hints: false, rated: false, ...PRESETS[preset],
});

/** The rules as the server takes them: the preset, and what differs from it. @param {Wanted} wanted @returns {Record<string, any>} */
export function rulesOf(wanted) {
  const { preset, length, clock } = wanted;
  const before = usual(preset);
  const differ = OPTIONS.filter((name) => wanted[name] !== before[name]).map((name) => [name, wanted[name]]);
  return { preset, clock, ...(length === before.length ? {} : { length: Number(length) }), ...Object.fromEntries(differ) };
}

/** The rules of a table in a few words. @param {Record<string, any>} [rules] what differs from `tournament` */
export function rulesText(rules = {}) {
  const { length = 7, variant = "standard", cube = true, delay_s = 0, reserve_s = 0, hints, rated, preset } = rules;
  const name = rules.clock ?? Object.keys(CLOCKS).find((one) => `${CLOCKS[one]}` === `${[delay_s, reserve_s]}`);
  const clock = name ? (name === "none" ? "" : /** @type {Record<string, string>} */ (text.clockNames)[name]) : `${delay_s} s + ${reserve_s} s`;
  return [
    preset && preset !== "tournament" ? /** @type {Record<string, string>} */ (text.presets)[preset] : "",
    text.points(length),
    variant === "standard" ? "" : /** @type {Record<string, string>} */ (text.variants)[variant] ?? variant,
    cube ? "" : text.noCube,
    clock,
    hints ? text.hints : "",
    rated ? text.rated : "",
  ].filter(Boolean).join(" · ");
}
