/** Actions by key. */
import { Component, h } from "preact";
import { text } from "../texts/text.ts";
import type { Help } from "./help.ts";
import { fetchHelp } from "./help.ts";
import { button, buttons, Dialog } from "./parts.ts";

export class KeysDialog extends Component<{ close: () => void }, Partial<Help>> {
  componentDidMount() {
    fetchHelp().then((help) => this.setState(help));
  }

  render() {
    const { close } = this.props;
    const { keys = [] } = this.state;
    return h(
      Dialog,
      { title: text.help, close },
      h(
        "dl",
        { class: "keys" },
        keys.map(([key, does]) => [h("dt", null, key), h("dd", null, does)]),
      ),
      buttons(button(text.close, close, "main")),
    );
  }
}
