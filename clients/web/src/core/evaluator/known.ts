/** Games that can be judged, and the networks that have learned them. */

import type { Rules } from "../../../../../protocol/tavla.d.ts";
import { STARTS } from "../model/plays.ts";

const FEW = 3; // checkers of each side in hypergammon

export const isKnown = ({ variant = "standard" }: Rules) => Object.hasOwn(STARTS, variant);

/** The file of the network: games with as many checkers have the same. @param row counts of a side's checkers */
export function networkFile(row: Iterable<number>) {
  let checkers = 0;
  for (const count of row) checkers += count;
  return checkers === FEW ? "/hypergammon.bin" : "/network.bin";
}
