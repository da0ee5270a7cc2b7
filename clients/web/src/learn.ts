/** The third page: how the game is played. It is loaded when asked for. */

import { h } from "preact";
import { awaitCalls } from "./net/calling.ts";
import { mount, settle } from "./screens/document.ts";
import { Learn } from "./screens/learn/screen.ts";

const settings = settle();
awaitCalls();
mount(h(Learn, { settings }));
