/** The third page: how the game is played. It is loaded when asked for. */

import { h, render } from "preact";
import { apply, load } from "./device/settings.ts";
import { Learn } from "./screens/learn/screen.ts";
import { showTips } from "./screens/parts.ts";

const settings = load();
apply(settings);
showTips(settings.tips === "on");
const place = document.getElementById("app");
if (place) render(h(Learn, { settings }), place);
