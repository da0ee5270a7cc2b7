/** A name that leads nowhere by itself, on one line: where there is no room it is cut. */

import { h } from "preact";
import type { Children } from "../../core/look/parts.tsx";

/** @param isBest whether it is the one that has won. @param more what is only heard */
export const named = (name: string, isBest = false, more: Children = null) =>
  h(isBest ? "b" : "span", { class: `name ${isBest ? "winner" : ""}`, title: name }, name, more);
