/** The fourth page: tournaments. It is loaded when asked for. */

import { h, render } from "preact";
import { apply, load } from "./device/settings.ts";
import { findOrigin } from "./device/share.ts";
import { showTips } from "./screens/parts.ts";
import { Tournaments } from "./screens/tournaments/screen.ts";

const settings = load();
apply(settings);
showTips(settings.tips === "on");
findOrigin().catch(() => {});
const place = document.getElementById("app");
if (place) render(h(Tournaments, { settings, id: location.pathname.split("/")[2] ?? "" }), place);
