/** The leaderboard. */

import { Component, h } from "preact";
import type { Leader } from "../../../../protocol/tavla.d.ts";
import type { Client } from "../net/client.ts";
import { text } from "../texts/text.ts";
import { words } from "../texts/tournaments/text.ts";
import { refusal } from "./forms.ts";
import { player, table } from "./parts.ts";

export class Leaders extends Component<
  { client: Client; go: (path: string) => void },
  { leaders: Leader[]; fault: string; busy: boolean }
> {
  state: { leaders: Leader[]; fault: string; busy: boolean } = { leaders: [], fault: "", busy: true };

  componentDidMount() {
    this.props.client.connection.ask("top", {}).then(
      ({ leaders }) => this.setState({ leaders, busy: false }),
      (error) => this.setState({ fault: error.message, busy: false }),
    );
  }

  render() {
    const { leaders, fault, busy } = this.state;
    const { go } = this.props;
    return h(
      "main",
      { class: "lobby" },
      h(
        "div",
        { class: "wide list" },
        h("h1", null, text.leaders),
        refusal(fault),
        leaders.length
          ? table(
              [words().place, text.name, text.rating, text.experience],
              leaders.map(({ name, kind, rating, experience }, index) =>
                h(
                  "tr",
                  { key: name },
                  h("td", null, index + 1),
                  h(
                    "th",
                    { scope: "row" },
                    player(name, go),
                    kind === "bot" ? h("small", null, ` ${text.kinds.bot}`) : null,
                  ),
                  h("td", null, rating.toFixed(1)),
                  h("td", null, experience),
                ),
              ),
            )
          : h("p", { class: "empty" }, busy ? text.loading : words().noLeaders),
      ),
    );
  }
}
