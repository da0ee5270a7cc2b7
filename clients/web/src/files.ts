/** Matches in files, to be reviewed here: chosen, dropped or pasted. Fetched when somebody may open one. */

import { Component, h } from "preact";
import { type FileMatch, readXg } from "./model/xg.ts";
import { refusal } from "./screens/forms.ts";
import { FILES } from "./texts/files/text.ts";
import { language } from "./texts/text.ts";

const MOST_BYTES = 4_000_000; // real ones have 90 KB

/** ended: in place of a result, "" = there is one; judged: by whom. */
export type Opened = FileMatch & { ended: string; judged: string };
type Props = { show: (file: Opened) => void };

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

  /** A file that was dropped anywhere on the page, or pasted. */
  take(event: Event, given: DataTransfer | null) {
    if (!given?.files.length) return;
    event.preventDefault();
    this.read(given.files[0]);
  }

  async read(file: File | undefined) {
    if (!file) return;
    const say = FILES[language];
    try {
      if (file.size > MOST_BYTES) throw new RangeError("too large");
      const match = await readXg(await file.arrayBuffer());
      const { cut, view, analysis } = match;
      const ended = cut ? say.cut(cut.game, cut.turn) : view.outcome ? "" : say.unfinished;
      this.props.show({ ...match, ended, judged: say.judged(analysis.by ?? "") });
    } catch {
      this.setState({ fault: say.unreadable(file.name) });
    }
  }

  render() {
    const say = FILES[language];
    const read = ({ currentTarget }: { currentTarget: HTMLInputElement }) => this.read(currentTarget.files?.[0]);
    return h(
      "section",
      { class: "list" },
      h("h2", null, say.title),
      h("p", null, say.help),
      h("input", { type: "file", accept: ".xg", "aria-label": say.title, onChange: read }),
      refusal(this.state.fault),
    );
  }
}
