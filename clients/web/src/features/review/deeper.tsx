/** A deeper look of the server's judge at one decision: asked for by a button, told in a table. */

import { Component, h } from "preact";
import type { DeeperLook } from "../../../../../protocol/tavla.d.ts";
import { fulfil, refusal } from "../../core/look/forms.tsx";
import { button, card, scroller, table } from "../../core/look/parts.tsx";
import type { Decision } from "../../core/model/decisions.ts";
import type { Client } from "../../core/net/client.ts";
import { lookUp } from "../../core/texts/text.ts";
import { cost, signed } from "./numbers.ts";
import { words } from "./texts/text.ts";

type Props = { client: Client; match: string; code: string; decision: Decision };
type State = { found: DeeperLook | null; busy: boolean; fault: string };
export class Deeper extends Component<Props, State> {
  state: State = { found: null, busy: false, fault: "" };

  async look() {
    const { client, match, code, decision } = this.props;
    const { at, turn, seat, what, words: play, done } = decision;
    const deed = what === "play" ? play : done ? what : what === "take" ? "drop" : `no ${what}`;
    const asked = { match, code, game: at.game, turn, seat, done: deed };
    this.setState({ found: await client.connection.ask("look_deeper", asked) });
  }

  /** One place in which all is told as it comes: a reader of the screen hears of no new place. */
  render() {
    return <div role="status">{this.state.found ? this.told(this.state.found) : this.offer()}</div>;
  }

  offer() {
    const { busy, fault } = this.state;
    const say = words();
    return (
      <p class="buttons">
        {button(busy ? say.looking : say.lookDeeper, () => fulfil(this, () => this.look()), "", busy)}
        {refusal(fault)}
      </p>
    );
  }

  told({ by, choices }: DeeperLook) {
    const say = words();
    const named = { ...say.cubeDeeds, "double, take": say.doubleTake, "double, drop": say.doubleDrop };
    const rows = choices.map(([choice, equity, error]) => (
      <tr key={choice}>
        <th scope="row">{lookUp(named, choice) ?? choice}</th>
        <td>
          {signed(equity)}
          {error === null ? "" : ` ± ${cost(error)}`}
        </td>
      </tr>
    ));
    return card(by, scroller(say.lookDeeper, table([say.play, say.equity], rows, { class: "plays" })));
  }
}
