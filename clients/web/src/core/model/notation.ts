/** Plays as players write them. Pure. */

const named = (point: number) => ({ 25: "bar", 0: "off" })[point] ?? String(point);

/**
 * A play in the usual order, highest point first: one checker's moves joined, hits and repeats marked. The engine
 * writes plays in the same way, see `format_play`.
 *
 * @param theirs the opponent's checkers before the play, in the opponent's numbering
 */
export function notation(moves: number[][], theirs: ArrayLike<number>) {
  const blots = new Set(Array.from(theirs, (count, point) => (count === 1 ? 25 - point : 0)));
  blots.delete(0);
  const paths: { at: number; words: string[] }[] = [];
  for (const [from, to] of [...moves].sort(([a, b], [c, d]) => c - a || d - b)) {
    const hit = blots.delete(to);
    const path = paths.find(({ at }) => at === from) ?? { at: from, words: [named(from)] };
    if (!paths.includes(path)) paths.push(path);
    else if (!path.words.at(-1)?.endsWith("*")) path.words.pop();
    path.words.push(named(to) + (hit ? "*" : ""));
    path.at = to;
  }
  const times = new Map<string, number>(); // 6/1* 6/1 is 6/1*(2)
  for (const { words } of paths) {
    const play = words.join("/");
    const known = times.has(`${play}*`) ? `${play}*` : play;
    times.set(known, (times.get(known) ?? 0) + 1);
  }
  return [...times].map(([play, count]) => (count > 1 ? `${play}(${count})` : play)).join(" ");
}

/** The same play in the other player's numbering. */
export const mirrored = (words: string) =>
  words.replace(/(^|[ /])(\d+)/g, (_, before, point) => before + (25 - Number(point)));
