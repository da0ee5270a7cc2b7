/** What can be reviewed: one's own matches that are over, and any position. */

import { Component, h } from "preact";
import type { Finished } from "../../../../../protocol/tavla.d.ts";
import { reason } from "../../net/connection.ts";
import type { Reader } from "../../net/verdicts.ts";
import { words } from "../../texts/review/text.ts";
import { text } from "../../texts/text.ts";
import { refusal } from "../forms.ts";
import { buttons } from "../parts.ts";
import { playedTable } from "../played.ts";

type State = { played: Finished[]; busy: boolean; fault: string };
/** name: ours; "" = none yet. */
export class Mine extends Component<{ reader: Reader; name: string; go: (path: string) => void }, State> {
  state: State = { played: [], busy: true, fault: "" };

  componentDidMount() {
    const { reader, name } = this.props;
    if (!name) return this.setState({ busy: false });
    reader.connection.ask("history", { name, after: "" }).then(
      ({ matches = [] }) => this.setState({ played: matches, busy: false }),
      (error) => this.setState({ fault: reason(error), busy: false }),
    );
  }

  render() {
    const { played, busy, fault } = this.state;
    const say = words();
    return h(
      "main",
      { class: "fair" },
      h("h1", null, say.title),
      h("p", null, say.what),
      buttons(
        h("a", { class: "button", href: "/position" }, say.setUp),
        h("a", { class: "button", href: "/puzzles#mine" }, say.own),
      ),
      refusal(fault),
      h(
        "section",
        { class: "list" },
        h("h2", null, text.yourMatches),
        played.length
          ? playedTable(played, this.props.go)
          : h("p", { class: "empty" }, busy ? text.loading : say.noMatches),
      ),
    );
  }
}
