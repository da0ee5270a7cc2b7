/** Actions by key. */
import { h } from "preact";
import { text } from "../texts/text.ts";
import { Explained } from "./help.ts";
import { button, buttons, Dialog, link } from "./parts.tsx";

export class KeysDialog extends Explained<{ close: () => void }> {
  render() {
    const { close } = this.props;
    const { keys = [], who = "" } = this.state;
    return (
      <Dialog title={text.help} close={close}>
        <dl class="keys">{keys.map(([key, does]) => [<dt>{key}</dt>, <dd>{does}</dd>])}</dl>
        {who && <p>{link("/dice#who", who)}</p>}
        {buttons(button(text.close, close, "main"))}
      </Dialog>
    );
  }
}
