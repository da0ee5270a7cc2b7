/** What each key does. */
import { h } from "preact";
import { text } from "../texts/text.ts";
import { button, buttons, Dialog } from "./parts.ts";

export const KeysDialog = ({ close }: { close: () => void }) =>
  h(
    Dialog,
    { title: text.help, close },
    h(
      "dl",
      { class: "keys" },
      text.keys.map(([key, does]) => [h("dt", null, key), h("dd", null, does)]),
    ),
    buttons(button(text.close, close, "main")),
  );
