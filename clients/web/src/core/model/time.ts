/** Spans of time as they are written. Pure. */

/** 65 s is 1:05. */
export const minutes = (ms: number) =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1000)).padStart(2, "0")}`;
