/** The rules of a table: what is asked for in a form, and how they are told. Pure. */
import type { AskedRules } from "../../../../../protocol/tavla.d.ts";
import { dotted, lookUp, text } from "../texts/text.ts";

/** Differences of a preset from `tournament`, of the options in the form. See section 7 of protocol/README.md. */
const PRESETS: Record<string, { length?: string; cube?: boolean; hints?: boolean }> = {
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
  normal: [12, 120],
  slow: [15, 180],
};

/** The clocks, to be chosen by their names and times. */
export const clockChoices = (): [string, string][] =>
  Object.entries(CLOCKS).map(([name, [free, reserve]]) => [
    name,
    (lookUp(text.clocks, name) ?? name) + (reserve ? `, ${free} s + ${reserve} s` : ""),
  ]);

/** The form's first values with a preset. */
export const usual = (preset: string) => ({
  preset,
  variant: "standard",
  length: "7",
  clock: "none",
  cube: true,
  hints: false,
  rated: false,
  ...PRESETS[preset],
});

export type Wanted = ReturnType<typeof usual>;

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

/** What a preset alone has, so that a table is called by its name. */
const SIGNS: [keyof AskedRules, unknown, string][] = [
  ["hit_and_run", false, "tavla"],
  ["backgammons", false, "portes"],
  ["resignations", false, "mpgn"],
  ["opening", "seat_0_cube", "seats"],
];
const presetOf = (rules: AskedRules) =>
  rules.preset ?? SIGNS.find(([option, value]) => rules[option] === value)?.[2] ?? "tournament";

/** The game, as it is called among the rules that one can read. */
export function gameOf(rules: AskedRules) {
  const preset = presetOf(rules);
  return ["tavla", "portes"].includes(preset) ? preset : (rules.variant ?? "standard");
}

/** Whether a table has a cube that may be turned some time. */
export const hasCube = ({ cube = true, length }: AskedRules) => cube && length !== 1;

/** Options by which programs choose, as far as the page knows them: those that are not named are as usual. */
export const wholeRules = (asked: AskedRules): AskedRules => {
  const { preset, variant, length, cube } = usual(asked.preset ?? "tournament");
  const backgammons = !["tavla", "portes"].includes(preset);
  const cube_cap = { club: 64, mpgn: 128, seats: 64 }[preset as string] ?? 0;
  return { variant, length: Number(length), cube, cube_cap, backgammons, hit_and_run: preset !== "tavla", ...asked };
};

/** Options of rules that are asked for, as a view has them. */
export function askedOptions(asked: AskedRules): AskedRules {
  const { preset: _, clock, ...named } = wholeRules(asked);
  const times = clock && CLOCKS[clock];
  return times ? { ...named, delay_s: times[0], reserve_s: times[1] } : named;
}

/** Whether a match has other rules than were asked for. */
export const isOther = (asked: AskedRules, rules: AskedRules) =>
  Object.entries(asked).some(([name, value]) => (rules[name as keyof AskedRules] ?? value) !== value);

/** The rules of a table in a few words. @param rules what differs from `tournament` */
export function rulesText(rules: AskedRules = {}) {
  const { length = 7, variant = "standard", cube = true, delay_s = 0, reserve_s = 0, hints, rated } = rules;
  const preset = presetOf(rules);
  const name = rules.clock ?? Object.keys(CLOCKS).find((one) => `${CLOCKS[one]}` === `${[delay_s, reserve_s]}`);
  const clock = name ? (name === "none" ? "" : lookUp(text.clockNames, name)) : `${delay_s} s + ${reserve_s} s`;
  return dotted(
    preset !== "tournament" ? lookUp(text.presets, preset) : "",
    text.points(length),
    variant === "standard" ? "" : (lookUp(text.variants, variant) ?? variant),
    cube ? "" : text.noCube,
    clock,
    hints ? text.hints : "",
    rated ? text.rated : "",
  );
}
