/** Actions by key. */
import { h } from "preact";
import { text } from "../texts/text.ts";
import { Explained } from "./help.ts";
import { button, buttons, Dialog } from "./parts.ts";

export class KeysDialog extends Explained<{ close: () => void }> {
  render() {
    const { close } = this.props;
    const { keys = [], who = "" } = this.state;
    return h(
      Dialog,
      { title: text.help, close },
      h(
        "dl",
        { class: "keys" },
        keys.map(([key, does]) => [h("dt", null, key), h("dd", null, does)]),
      ),
      who && h("p", null, h("a", { href: "/dice#who" }, who)),
      buttons(button(text.close, close, "main")),
    );
  }
}
