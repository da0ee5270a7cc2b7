/** The best plays, or luck and PR of both: their script is fetched when one wants to know. */
import { h } from "preact";
import { Later } from "../../core/look/later.tsx";
import { text } from "../../core/texts/text.ts";
import type { Hint } from "./hint.tsx";

export const advice = (asked: Hint["props"]) => (
  <Later part={() => import("./hint.tsx")} show={({ Hint }) => <Hint {...asked} />}>
    <p class="aside">{text.loading}</p>
  </Later>
);
