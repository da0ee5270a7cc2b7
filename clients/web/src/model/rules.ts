/** The rules of a table: what is asked for in a form, and how they are told. Pure. */
import type { AskedRules } from "../../../../protocol/tavla.d.ts";
import { lookUp, text } from "../texts/text.ts";

export type Wanted = {
  preset: string;
  variant: string;
  length: string;
  clock: string;
  cube: boolean;
  hints: boolean;
  rated: boolean;
};

/** Differences of a preset from `tournament`, of the options in the form. See section 7 of protocol/README.md. */
const PRESETS: Record<string, { length?: string; cube?: boolean; hints?: boolean }> = {
  tournament: {},
  money: { length: "0" },
  tavla: { length: "5", cube: false },
  portes: { cube: false },
  club: { length: "0" },
  mpgn: { length: "0", hints: true },
  seats: { length: "0" },
};
const OPTIONS = ["variant", "cube", "rated"] as const;
export const LENGTHS = ["1", "3", "5", "7", "9", "11", "15", "21", "25", "0"];
/** Free seconds of a turn, and seconds for each point. */
const CLOCKS: Record<string, [number, number]> = {
  none: [0, 0],
  fast: [8, 20],
  normal: [10, 60],
  default: [12, 120],
  slow: [15, 180],
};

/** The form's first values with a preset. */
export const usual = (preset: string): Wanted => ({
  preset,
  variant: "standard",
  length: "7",
  clock: "none",
  cube: true,
  hints: false,
  rated: false,
  ...PRESETS[preset],
});

/** The rules as the server takes them: the preset, and what differs from it. */
export function rulesOf(wanted: Wanted): AskedRules {
  const { preset, length, clock, hints } = wanted;
  const before = usual(preset);
  const differ = OPTIONS.filter((name) => wanted[name] !== before[name]).map((name) => [name, wanted[name]]);
  return {
    preset,
    clock,
    hints,
    ...(length === before.length ? {} : { length: Number(length) }),
    ...Object.fromEntries(differ),
  };
}

/** The rules of a table in a few words. @param rules what differs from `tournament` */
export function rulesText(rules: AskedRules = {}) {
  const { length = 7, variant = "standard", cube = true, delay_s = 0, reserve_s = 0, hints, rated, preset } = rules;
  const name = rules.clock ?? Object.keys(CLOCKS).find((one) => `${CLOCKS[one]}` === `${[delay_s, reserve_s]}`);
  const clock = name ? (name === "none" ? "" : lookUp(text.clockNames, name)) : `${delay_s} s + ${reserve_s} s`;
  return [
    preset && preset !== "tournament" ? lookUp(text.presets, preset) : "",
    text.points(length),
    variant === "standard" ? "" : (lookUp(text.variants, variant) ?? variant),
    cube ? "" : text.noCube,
    clock,
    hints ? text.hints : "",
    rated ? text.rated : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
