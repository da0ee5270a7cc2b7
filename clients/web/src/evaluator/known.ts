/** Games that the network has learned: that begin in these ways. */

import type { Rules } from "../../../../protocol/tavla.d.ts";

export const isKnown = ({ variant = "standard" }: Rules) => ["standard", "nackgammon"].includes(variant);
