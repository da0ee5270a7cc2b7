/** The fourth page: tournaments. It is loaded when asked for. */

import { h } from "preact";
import { findOrigin } from "./device/share.ts";
import { mount, settle } from "./screens/document.ts";
import { Tournaments } from "./screens/tournaments/screen.ts";

const settings = settle();
findOrigin().catch(() => {});
mount(h(Tournaments, { settings, id: location.pathname.split("/")[2] ?? "" }));
