/** Matches in files, to be reviewed here: chosen, dropped or pasted. Fetched when somebody may open one. */

import { Component, h } from "preact";
import { labelled, refusal } from "../../core/look/forms.tsx";
import { button } from "../../core/look/parts.tsx";
import { rulesText } from "../../core/model/rules.ts";
import { language } from "../../core/texts/text.ts";
import { type FileMatch, readXg } from "./model/xg.ts";
import { FILES } from "./texts/files/text.ts";

const MOST_BYTES = 4_000_000; // real ones have 90 KB
const A_FOLDER = { webkitdirectory: true }; // no type of preact's knows it
const MOST_FILES = 500; // at once: some 50 MB when they are read

/** name: of the file. ended: in place of a result, "" = there is one; judged: by whom. */
export type Opened = FileMatch & { name: string; ended: string; judged: string };
/** found: the matches of the files that were chosen last. find: has others. */
type Props = { found: Opened[]; find: (found: Opened[]) => void; show: (file: Opened) => void };

export class FromFile extends Component<Props, { fault: string }> {
  state = { fault: "" };
  over = (event: DragEvent) => event.preventDefault();
  dropped = (event: DragEvent) => this.take(event, event.dataTransfer);
  pasted = (event: ClipboardEvent) => this.take(event, event.clipboardData);

  componentDidMount() {
    addEventListener("dragover", this.over);
    addEventListener("drop", this.dropped);
    addEventListener("paste", this.pasted);
  }

  componentWillUnmount() {
    removeEventListener("dragover", this.over);
    removeEventListener("drop", this.dropped);
    removeEventListener("paste", this.pasted);
  }

  /** Files that were dropped anywhere on the page, or pasted. */
  take(event: Event, given: DataTransfer | null) {
    if (!given?.files.length) return;
    event.preventDefault();
    this.readAll([...given.files]);
  }

  /** One is shown at once, several are listed; what else is in a folder is passed over. */
  async readAll(given: File[]) {
    const files = given.length > 1 ? given.filter(({ name }) => /[.]xg$/i.test(name)).slice(0, MOST_FILES) : given;
    const found: Opened[] = [];
    let fault = files.length ? "" : FILES[language].nothing;
    for (const file of files)
      try {
        found.push(await open(file));
      } catch {
        fault = FILES[language].unreadable(file.name);
      }
    this.setState({ fault });
    this.props.find(found);
    if (given.length === 1 && found.length) this.props.show(found[0]);
  }

  /** A match to choose. */
  row = (file: Opened) => {
    const { view, analysis, name } = file;
    const [white, black] = (analysis.ratings ?? []).map((one) => one?.toFixed(1) ?? "–");
    return (
      <li key={name}>
        {button(view.players.join(" – "), () => this.props.show(file), "quiet")}
        <span class="aside">{[rulesText(view.rules), white && `PR ${white} / ${black}`, name].join(" · ")}</span>
      </li>
    );
  };

  render() {
    const say = FILES[language];
    const { found } = this.props;
    const read = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      this.readAll([...(currentTarget.files ?? [])]);
    return (
      <section class="list">
        <h2>{say.title}</h2>
        <p>{say.help}</p>
        <input type="file" accept=".xg" multiple aria-label={say.title} onChange={read} />
        {labelled(say.folder, <input type="file" {...A_FOLDER} onChange={read} />)}
        {refusal(this.state.fault)}
        {found.length > 1 && (
          <ul class="files" aria-label={say.found}>
            {found.map(this.row)}
          </ul>
        )}
      </section>
    );
  }
}

/** @throws for a file that is too large, or none of a match */
async function open(file: File): Promise<Opened> {
  const say = FILES[language];
  if (file.size > MOST_BYTES) throw new RangeError("too large");
  const match = await readXg(await file.arrayBuffer());
  const { cut, view, analysis } = match;
  const ended = cut ? say.cut(cut.game, cut.turn) : view.outcome ? "" : say.unfinished;
  return { ...match, name: file.name, ended, judged: say.judged(analysis.by ?? "") };
}
