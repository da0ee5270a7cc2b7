/**
 * GNU Backgammon's Position ID. Source: the GNU Backgammon manual, "A technical description of the Position ID".
 */

const BYTES = 10;

/** @param mine 26 counts of the player on roll */
export function positionId(mine: ArrayLike<number>, theirs: ArrayLike<number>) {
  const bits = [theirs, mine]
    .flatMap((row) =>
      Array.from(row)
        .slice(1)
        .map((count) => `${"1".repeat(count)}0`),
    )
    .join("");
  const bytes = Array.from({ length: BYTES }, (_, i) =>
    parseInt([...bits.slice(8 * i, 8 * i + 8).padEnd(8, "0")].reverse().join(""), 2),
  );
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
}
