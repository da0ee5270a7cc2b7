/** Telling the moderators of someone. */

import { Component, h } from "preact";
import type { Client } from "../net/client.ts";
import { reason } from "../net/connection.ts";
import { reportPlayer } from "../net/players.ts";
import { text } from "../texts/text.ts";
import { button, buttons, Dialog, entered, labelled, refusal } from "./parts.ts";

const MOST = 200; // characters

/** match: where it happened; "" = elsewhere. */
type Props = { client: Client; player: string; match: string; close: () => void };
export class ReportDialog extends Component<Props, { reason: string; fault: string; done: boolean }> {
  state = { reason: "", fault: "", done: false };

  async send(event: Event) {
    event.preventDefault();
    const { client, player, match } = this.props;
    try {
      await reportPlayer(client, player, this.state.reason, match);
      this.setState({ done: true, fault: "" });
    } catch (error) {
      this.setState({ fault: reason(error) });
    }
  }

  render() {
    const { player, close } = this.props;
    const { reason, fault, done } = this.state;
    return h(
      Dialog,
      { title: text.reportName(player), close },
      done
        ? [h("p", { role: "status" }, text.reported), buttons(button(text.close, close, "main"))]
        : h(
            "form",
            { class: "form", onSubmit: (event: Event) => this.send(event) },
            labelled(
              text.reportWhy,
              h("input", {
                value: reason,
                required: true,
                maxLength: MOST,
                autocomplete: "off",
                onInput: entered((reason) => this.setState({ reason, fault: "" })),
              }),
            ),
            refusal(fault),
            buttons(button(text.cancel, close), h("button", { class: "main" }, text.report)),
          ),
    );
  }
}
