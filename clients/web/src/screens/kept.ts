/** Says that this browser keeps nothing, until it is put away. */
import { Component } from "preact";
import { text } from "../texts/text.ts";
import { fetchHelp } from "./help.ts";
import { banner, button } from "./parts.ts";

export class NotKept extends Component<object, { notKept?: string }> {
  componentDidMount() {
    fetchHelp().then((help) => this.setState(help));
  }

  render() {
    const { notKept } = this.state;
    const close = () => this.setState({ notKept: "" });
    return notKept ? banner("store", notKept, button(text.close, close)) : null;
  }
}
