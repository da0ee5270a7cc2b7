/** Rulings of a director, in a dialog: with a reason, which all can read. */

import { Component, h } from "preact";
import { choice, field, form, fulfil, NAME_OF_TABLE, refusal, submit } from "../../core/look/forms.tsx";
import { button, buttons, type Children, Dialog } from "../../core/look/parts.tsx";
import { text } from "../../core/texts/text.ts";
import { count, MOST_MINUTES } from "./make.tsx";
import type { TournamentClient } from "./net.ts";
import { words } from "./texts/text.ts";

export type Decision = "add" | "begin" | "halt" | "resume" | "extend" | "end" | "remove" | "rename" | "cancel";

type Props = { client: TournamentClient; what: Decision; names: string[]; close: () => void };
type State = { why: string; minutes: string; whom: string; name: string; fault: string; busy: boolean };
export class DirectDialog extends Component<Props, State> {
  state: State = {
    why: this.props.what === "begin" ? words().allHere : "",
    minutes: "10",
    whom: this.props.what === "remove" ? (this.props.names[0] ?? "") : "",
    name: "",
    fault: "",
    busy: false,
  };

  async send() {
    const { client, what, close } = this.props;
    const { why, minutes, whom, name } = this.state;
    await client.connection.ask("direct_tournament", {
      tournament: client.id,
      what: what === "end" ? "extend" : what, // to end it is to extend it by nothing
      reason: why,
      minutes: what === "extend" ? Number(minutes) : 0,
      player: what === "remove" || what === "add" ? whom : null,
      name: what === "rename" ? name : null,
    });
    close();
  }

  render() {
    const { what, names, close } = this.props;
    const { why, minutes, whom, name, fault, busy } = this.state;
    const say = words();
    const set = (what: keyof State) => (value: string) => this.setState({ [what]: value, fault: "" });
    const rows = names.map((name): [string, string] => [name, name]);
    const fields: Partial<Record<Decision, Children>> = {
      remove: choice(say.player, whom, rows, set("whom")),
      add: field(say.player, whom, set("whom"), { required: true, autocapitalize: "none", maxLength: 20 }),
      rename: field(say.name, name, set("name"), { required: true, ...NAME_OF_TABLE }),
      extend: count(say.byMinutes, minutes, set("minutes"), 1, MOST_MINUTES),
    };
    const isGrave = what === "end" || what === "remove" || what === "cancel";
    return (
      <Dialog title={say[what]} close={close}>
        {form(
          "form",
          () => fulfil(this, () => this.send()),
          fields[what],
          what === "begin" ? null : field(say.why, why, set("why"), { required: true, maxLength: 200 }),
          refusal(fault),
          buttons(button(text.cancel, close), submit(say[what], busy, isGrave ? "danger" : "main")),
        )}
      </Dialog>
    );
  }
}
