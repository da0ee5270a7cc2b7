/** Rulings of a director, in a dialog: with a reason, which is written down. */

import { Component, h } from "preact";
import { reason } from "../../net/connection.ts";
import type { TournamentClient } from "../../net/tournaments.ts";
import { text } from "../../texts/text.ts";
import { words } from "../../texts/tournaments/text.ts";
import { button, buttons, Dialog, entered, labelled, refusal, select } from "../parts.ts";

export type Decision = "add" | "begin" | "halt" | "resume" | "extend" | "end" | "remove";

type Props = { client: TournamentClient; what: Decision; names: string[]; close: () => void };
type State = { why: string; minutes: string; whom: string; fault: string; busy: boolean };
export class DirectDialog extends Component<Props, State> {
  state: State = {
    why: "",
    minutes: "10",
    whom: this.props.what === "remove" ? (this.props.names[0] ?? "") : "",
    fault: "",
    busy: false,
  };

  async send(event: Event) {
    event.preventDefault();
    this.setState({ fault: "", busy: true });
    const { client, what, close } = this.props;
    const { why, minutes, whom } = this.state;
    try {
      await client.connection.ask("direct_tournament", {
        tournament: client.id,
        what: what === "end" ? "extend" : what, // to end it is to extend it by nothing
        reason: why,
        minutes: what === "extend" ? Number(minutes) : 0,
        player: what === "remove" || what === "add" ? whom : null,
      });
      close();
    } catch (error) {
      this.setState({ fault: reason(error), busy: false });
    }
  }

  render() {
    const { what, names, close } = this.props;
    const { why, minutes, whom, fault, busy } = this.state;
    const say = words();
    const field = (label: string, value: string, set: (value: string) => void, more: Record<string, unknown>) =>
      labelled(label, h("input", { value, required: true, autocomplete: "off", onInput: entered(set), ...more }));
    const isGrave = what === "end" || what === "remove";
    return h(
      Dialog,
      { title: say[what], close },
      h(
        "form",
        { class: "form", onSubmit: (event: Event) => this.send(event) },
        what === "remove"
          ? labelled(
              say.whom,
              select(
                whom,
                names.map((name) => [name, name]),
                (whom) => this.setState({ whom, fault: "" }),
              ),
            )
          : null,
        what === "add"
          ? field(say.whom, whom, (whom) => this.setState({ whom, fault: "" }), {
              autocapitalize: "none",
              maxLength: 20,
            })
          : null,
        what === "extend"
          ? field(say.byMinutes, minutes, (minutes) => this.setState({ minutes, fault: "" }), {
              type: "number",
              inputMode: "numeric",
              min: 1,
              max: 720,
            })
          : null,
        field(say.why, why, (why) => this.setState({ why, fault: "" }), { maxLength: 200 }),
        refusal(fault),
        buttons(
          button(text.cancel, close),
          h("button", { class: isGrave ? "danger" : "main", disabled: busy }, say[what]),
        ),
      ),
    );
  }
}
