/** The leaderboard. */

import { Component, h } from "preact";
import type { Leader } from "../../../../../protocol/tavla.d.ts";
import { refusal } from "../../core/look/forms.tsx";
import { player, table } from "../../core/look/parts.tsx";
import type { Client } from "../../core/net/client.ts";
import { fixed } from "../../core/texts/fixed.ts";
import { text } from "../../core/texts/text.ts";
import { podium } from "./podium.tsx";
import { words } from "./texts/text.ts";

export class Leaders extends Component<{ client: Client }, { leaders: Leader[]; fault: string; busy: boolean }> {
  state: { leaders: Leader[]; fault: string; busy: boolean } = { leaders: [], fault: "", busy: true };

  componentDidMount() {
    this.props.client.connection.ask("top", {}).then(
      ({ leaders }) => this.setState({ leaders, busy: false }),
      (error) => this.setState({ fault: error.message, busy: false }),
    );
  }

  render() {
    const { leaders, fault, busy } = this.state;
    return (
      <main class="arenas">
        <h1>{text.leaders}</h1>
        {refusal(fault)}
        {podium(leaders.map(({ name, rating }, index) => [index + 1, name, fixed(rating, 1)]))}
        {busy ? <p class="empty">{text.loading}</p> : this.table()}
      </main>
    );
  }

  table() {
    const { leaders } = this.state;
    return (
      <section class="list table leaders">
        {leaders.length ? (
          table(
            ["#", text.name, text.rating, text.experience],
            leaders.map(({ name, kind, rating, experience }, index) => (
              <tr key={name}>
                <td>{index + 1}</td>
                <th scope="row">
                  {player(name)}
                  {kind === "bot" ? <small>{` ${text.kinds.bot}`}</small> : null}
                </th>
                <td>{fixed(rating, 1)}</td>
                <td>{experience}</td>
              </tr>
            )),
          )
        ) : (
          <p class="empty">{words().noLeaders}</p>
        )}
      </section>
    );
  }
}
