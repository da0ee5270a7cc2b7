/** Where one is in the lesson; it is kept for the next time. */
import { store } from "../../core/device/store.ts";
import { STEPS } from "./model/lesson.ts";

const KEPT = "tavla.lesson";

/** Places among the steps; behind the last one is the end. reached: the farthest. */
export type Place = { at: number; reached: number };

const find = (key: unknown) => STEPS.findIndex((step) => step.key === key);

export function recallPlace(): Place {
  const { at, reached, ended } = store.read<Record<string, unknown>>(KEPT, {});
  if (ended) return { at: find(at) < 0 ? STEPS.length : find(at), reached: STEPS.length };
  const here = Math.max(0, find(at));
  return { at: here, reached: Math.max(here, find(reached)) };
}

export function keepPlace({ at, reached }: Place) {
  const keys = { at: STEPS[at]?.key, reached: STEPS[reached]?.key, ended: reached === STEPS.length };
  store.setItem(KEPT, JSON.stringify(keys));
}
