/** A deeper look of the server's judge at one decision: asked for by a button, told in a table. */

import { Component, h } from "preact";
import type { DeeperLook } from "../../../../../protocol/tavla.d.ts";
import type { Decision } from "../../model/decisions.ts";
import type { Client } from "../../net/client.ts";
import { reason } from "../../net/connection.ts";
import { words } from "../../texts/review/text.ts";
import { lookUp } from "../../texts/text.ts";
import { refusal } from "../forms.ts";
import { button, scroller, table } from "../parts.ts";
import { cost, signed } from "./numbers.ts";

type Props = { client: Client; match: string; code: string; decision: Decision };
type State = { found: DeeperLook | null; busy: boolean; fault: string };
export class Deeper extends Component<Props, State> {
  state: State = { found: null, busy: false, fault: "" };

  async look() {
    const { client, match, code, decision } = this.props;
    const { at, turn, seat, what, words: play, done } = decision;
    const deed = what === "play" ? play : done ? what : what === "take" ? "drop" : `no ${what}`;
    this.setState({ busy: true, fault: "" });
    try {
      const asked = { match, code, game: at.game, turn, seat, done: deed };
      this.setState({ found: await client.connection.ask("look_deeper", asked, false) });
    } catch (error) {
      this.setState({ fault: reason(error) });
    }
    this.setState({ busy: false });
  }

  render() {
    const { found, busy, fault } = this.state;
    const say = words();
    if (!found)
      return h(
        "p",
        { class: "buttons", role: "status" },
        button(busy ? say.looking : say.lookDeeper, () => this.look(), "", busy),
        refusal(fault),
      );
    const named = { ...say.cubeDeeds, "double, take": say.doubleTake, "double, drop": say.doubleDrop };
    const rows = found.choices.map(([choice, equity, error]) =>
      h(
        "tr",
        { key: choice },
        h("th", { scope: "row" }, lookUp(named, choice) ?? choice),
        h("td", null, signed(equity), error === null ? "" : ` ± ${cost(error)}`),
      ),
    );
    return h(
      "section",
      { class: "list", role: "status" },
      h("h2", null, found.by),
      scroller(say.lookDeeper, table([say.play, say.equity], rows, { class: "plays" })),
    );
  }
}
