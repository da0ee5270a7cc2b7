/** What can be reviewed: one's own matches that are over, those in files, and any position. */

import { Component, h } from "preact";
import type { Finished } from "../../../../../protocol/tavla.d.ts";
import type { Settings } from "../../device/settings.ts";
import type { FromFile, Opened } from "../../files.ts";
import type { Client } from "../../net/client.ts";
import { reason } from "../../net/connection.ts";
import { words } from "../../texts/review/text.ts";
import { text } from "../../texts/text.ts";
import { refusal } from "../forms.ts";
import { buttons, link, nothing } from "../parts.ts";
import { playedTable } from "../played.ts";
import { Review } from "./screen.ts";

/** name: ours; "" = none yet. */
type Props = {
  client: Client;
  name: string;
  settings: Settings;
  go: (path: string) => void;
  open: (dialog: string) => void;
};
/** files: what reads them, when it has come. */
type State = {
  played: Finished[];
  busy: boolean;
  fault: string;
  files: typeof FromFile | null;
  found: Opened[];
  file: Opened | null;
};
export class Mine extends Component<Props, State> {
  state: State = { played: [], busy: true, fault: "", files: null, found: [], file: null };

  componentDidMount() {
    const { client, name } = this.props;
    import("../../files.ts").then(({ FromFile }) => this.setState({ files: FromFile }));
    if (!name) return this.setState({ busy: false });
    client.connection.ask("history", { name, after: "" }).then(
      ({ matches = [] }) => this.setState({ played: matches, busy: false }),
      (error) => this.setState({ fault: reason(error), busy: false }),
    );
  }

  render() {
    const { played, busy, fault, files, found, file } = this.state;
    const say = words();
    const back = found.length > 1 ? () => this.setState({ file: null }) : null;
    if (file) return h(Review, { ...this.props, match: "", code: "", number: 0, file, back });
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
          : busy
            ? h("p", { class: "empty" }, text.loading)
            : nothing(say.noMatches, link("/", this.props.go, text.play, "button")),
      ),
      files &&
        h(files, {
          found,
          find: (others) => this.setState({ found: others }),
          show: (opened) => this.setState({ file: opened }),
        }),
    );
  }
}
