/** What can be reviewed: one's own matches that are over, those in files, and any position. */

import { Component, h } from "preact";
import type { Finished } from "../../../../../protocol/tavla.d.ts";
import { refusal } from "../../core/look/forms.tsx";
import { Later } from "../../core/look/later.tsx";
import { buttons, link, nothing } from "../../core/look/parts.tsx";
import type { Client } from "../../core/net/client.ts";
import { reason } from "../../core/net/connection.ts";
import { text } from "../../core/texts/text.ts";
import { playedCard } from "../people/played.ts";
import type { Opened } from "./files.tsx";
import { Review } from "./screen.tsx";
import { words } from "./texts/text.ts";

/** What is fetched for files: both parts at once, so that neither moves the other. */
const filesParts = () => Promise.all([import("./collection.tsx"), import("./files.tsx")]);

/** name: ours; "" = none yet. */
type Props = { client: Client; name: string };
type State = {
  played: Finished[];
  busy: boolean;
  fault: string;
  found: Opened[];
  file: Opened | null;
};
export class Mine extends Component<Props, State> {
  state: State = { played: [], busy: true, fault: "", found: [], file: null };

  componentDidMount() {
    const { client, name } = this.props;
    if (!name) return this.setState({ busy: false });
    client.connection.ask("history", { name, after: "" }).then(
      ({ matches = [] }) => this.setState({ played: matches, busy: false }),
      (error) => this.setState({ fault: reason(error), busy: false }),
    );
  }

  files = ([{ CollectionCard, Keep }, { FromFile }]: Awaited<ReturnType<typeof filesParts>>) => {
    const { client } = this.props;
    const { found } = this.state;
    return (
      <div class="from-files">
        <CollectionCard client={client} />
        <FromFile
          found={found}
          find={(others) => this.setState({ found: others })}
          show={(opened) => this.setState({ file: opened })}
          below={found.length > 1 && <Keep client={client} files={found} />}
        />
      </div>
    );
  };

  render() {
    const { played, busy, fault, found, file } = this.state;
    const say = words();
    const back = found.length > 1 ? () => this.setState({ file: null }) : null;
    if (file) return <Review {...this.props} match="" code="" number={0} file={file} back={back} />;
    return (
      <main class="fair mine">
        <h1>{say.title}</h1>
        <p>{say.what}</p>
        {buttons(link("/position", say.setUp, "button"), link("/puzzles#mine", say.own, "button"))}
        {refusal(fault)}
        {playedCard(text.yourMatches, played, busy, nothing(say.noMatches, link("/", text.play, "button")))}
        {busy ? null : <Later part={filesParts} show={this.files} />}
      </main>
    );
  }
}
