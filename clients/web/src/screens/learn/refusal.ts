/** Why a checker may not go there, in a kind sentence. */
import type { Refusal } from "../../model/refused.ts";
import { words } from "../../texts/learn/text.ts";

export function kindly({ why, point, dice }: Refusal) {
  const say = words();
  const shown = dice.join(", ");
  if (why === "closed") return say.whyClosed(point);
  if (why === "stuck") return say.whyStuck(point);
  if (why === "way") return say.whyWay(point);
  if (why === "far") return say.whyFar(point, shown);
  if (why === "short") return say.whyOff(shown);
  return say.why[why];
}
