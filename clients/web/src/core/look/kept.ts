/** Says that this browser keeps nothing, until it is put away. */
import { text } from "../texts/text.ts";
import { Explained } from "./help.ts";
import { banner, button } from "./parts.tsx";

export class NotKept extends Explained<object> {
  render() {
    const { notKept } = this.state;
    const close = () => this.setState({ notKept: "" });
    return notKept ? banner("store", notKept, button(text.close, close)) : null;
  }
}
