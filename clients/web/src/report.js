/**
 * Telling the moderators of someone.
 *
 * @import {Client} from "./client.js"
 */
import { Component, h } from "preact";
import { Dialog, button, labelled, refusal } from "./parts.js";
import { text } from "./text.js";

const MOST = 200; // characters

/**
 * match: where it happened; "" = elsewhere.
 * @typedef {{client: Client, player: string, match: string, close: () => void}} Props
 * @extends {Component<Props, {reason: string, fault: string, done: boolean}>}
 */
export class ReportDialog extends Component {
  state = { reason: "", fault: "", done: false };

  /** @param {Event} event */
  async send(event) {
    event.preventDefault();
    const { client, player, match } = this.props;
    try {
      await client.report(player, this.state.reason, match);
      this.setState({ done: true, fault: "" });
    } catch (error) {
      this.setState({ fault: /** @type {Error} */ (error).message });
    }
  }

  render() {
    const { player, close } = this.props;
    const { reason, fault, done } = this.state;
    return h(Dialog, { title: text.reportName(player), close },
      done
        ? [h("p", { role: "status" }, text.reported), h("div", { class: "buttons" }, button(text.close, close, "main"))]
        : h("form", { class: "form", onSubmit: (/** @type {Event} */ event) => this.send(event) },
            labelled(text.reportWhy, h("input", {
              value: reason, required: true, maxLength: MOST, autocomplete: "off", onInput: (/** @type {any} */ event) => this.setState({ reason: event.target.value, fault: "" }),
            })),
            refusal(fault),
            h("div", { class: "buttons" }, button(text.cancel, close), h("button", { class: "main" }, text.report))));
  }
}
