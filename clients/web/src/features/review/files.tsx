/** Matches in files, to be reviewed here: chosen, dropped or pasted. Fetched when somebody may open one. */

import { h } from "preact";
import { fetched } from "../../core/device/fetched.ts";
import { script } from "../../core/device/worker.ts";
import { labelled, refusal } from "../../core/look/forms.tsx";
import { Hearing } from "../../core/look/hearing.ts";
import { button, type Children, card, link } from "../../core/look/parts.tsx";
import { rulesText } from "../../core/model/rules.ts";
import { fixed } from "../../core/texts/fixed.ts";
import { dotted, language } from "../../core/texts/text.ts";
import type { Collected } from "./collected.ts";
import { textOf } from "./model/files.ts";
import type { Given } from "./model/foreign.ts";
import { readOwn } from "./model/json.ts";
import type { FileMatch } from "./model/reading.ts";
import { readSetup } from "./model/setup.ts";
import { FILES } from "./texts/files/text.ts";

const MOST_BYTES = 4_000_000; // real ones have 90 KB
const A_FOLDER = { webkitdirectory: true }; // no type of preact's knows it
const MOST_FILES = 500; // at once: some 50 MB when they are read
const MOST_POSITIONS = 100; // of a file or text
const NAMED = /[.](xg|bgf|mat|sgf|ogxm|json)$/i; // a match, among many files
const BOARD = /^(?:XGID=|OGID|[-A-Oa-o]{26}:|[0-9a-p]+:|[A-Za-z0-9+/]{14}:)/; // the beginning of a position

export { piecesOf, readShared } from "./model/shared.ts";

/**
 * name: of the file. ended: in place of a result, "" = there is one; more: of the file; judged: by whom. collected: of a
 * match that is kept.
 */
export type Opened = FileMatch & { name: string; ended: string; more: string; judged: string; collected?: Collected };
/** found: the matches of the files that were chosen last. find: has others. below: what can be done with them. */
type Props = { found: Opened[]; find: (found: Opened[]) => void; show: (file: Opened) => void; below: Children };
/** positions: in these files, as they are written. */
type State = { fault: string; positions: string[] };

export class FromFile extends Hearing<Props, State> {
  state: State = { fault: "", positions: [] };
  hears = {
    dragover: (event: DragEvent) => event.preventDefault(),
    drop: (event: DragEvent) => this.take(event, event.dataTransfer),
    paste: (event: ClipboardEvent) => this.take(event, event.clipboardData),
  };

  /** Files that were dropped anywhere on the page, or pasted; or a text that was. */
  take(event: Event, given: DataTransfer | null) {
    const text = given?.getData("text/plain") ?? "";
    const files = [...(given?.files ?? [])];
    if (!files.length && (!text.trim() || event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    this.readAll(files.length ? files : [new File([text], FILES[language].pasted)]);
  }

  /** One is shown at once, several are listed; what else is in a folder is passed over. */
  async readAll(given: File[]) {
    const files = given.length > 1 ? given.filter(({ name }) => NAMED.test(name)).slice(0, MOST_FILES) : given;
    const [found, positions]: [Opened[], string[]] = [[], []];
    let fault = files.length ? "" : FILES[language].nothing;
    for (const file of files)
      try {
        found.push(await open(file));
      } catch {
        const ids = await positionsIn(file);
        positions.push(...ids);
        if (!ids.length) fault = FILES[language].unreadable(file.name);
      }
    this.setState({ fault, positions });
    this.props.find(found);
    if (given.length === 1 && found.length) this.props.show(found[0]);
  }

  /** A match to choose. */
  row = (file: Opened) => {
    const { view, analysis, name } = file;
    const [white, black] = (analysis?.ratings ?? []).map((one) => (typeof one === "number" ? fixed(one, 1) : "–"));
    return (
      <li key={name}>
        {button(view.players.join(" – "), () => this.props.show(file), "quiet")}
        <span class="aside">{dotted(rulesText(view.rules), white && `PR ${white} / ${black}`, name)}</span>
      </li>
    );
  };

  render() {
    const say = FILES[language];
    const { found } = this.props;
    const { positions, fault } = this.state;
    const read = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      this.readAll([...(currentTarget.files ?? [])]);
    return card(
      say.title,
      <p>{say.help}</p>,
      <input
        type="file"
        accept=".xg,.bgf,.mat,.sgf,.ogxm,.json,.txt"
        multiple
        aria-label={say.title}
        onChange={read}
      />,
      labelled(say.folder, <input type="file" {...A_FOLDER} onChange={read} />),
      refusal(fault),
      positions.length > 0 && (
        <ul class="files" aria-label={say.positions}>
          {positions.map((id) => (
            <li key={id}>{link(`/position#${encodeURIComponent(id)}`, id)}</li>
          ))}
        </ul>
      ),
      found.length > 1 && (
        <ul class="files" aria-label={say.found}>
          {found.map(this.row)}
        </ul>
      ),
      this.props.below,
    );
  }
}

/** @throws for a file that is too large, or none of a match */
export async function open(file: File) {
  if (file.size > MOST_BYTES) throw new RangeError("too large");
  const bytes = await file.arrayBuffer();
  const match = readOwn(bytes) ?? (await readThere(bytes));
  if (!match) throw new TypeError("no match");
  return opened(match, file.name);
}

let worker: Worker | null = null;

/** A match of another program: to read it takes too long for a page that is to answer meanwhile. */
const readThere = (file: ArrayBuffer) =>
  fetched(
    () =>
      new Promise<FileMatch | null>((resolve, reject) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }: MessageEvent<FileMatch | null>) => {
          port1.close();
          resolve(data);
        };
        worker ??= new Worker(script("/reader.js"));
        worker.onerror = (event) => {
          worker = null; // its script did not come
          reject(event);
        };
        worker.postMessage({ file, port: port2 } satisfies Given, [port2]);
      }),
  );

/** A match as it is shown. @param name of its file */
export function opened(match: FileMatch, name: string): Opened {
  const say = FILES[language];
  const { cut, view, analysis, hasMore } = match;
  const ended = cut ? say.cut(cut.game, cut.turn) : view.outcome ? "" : say.unfinished;
  return { ...match, name, ended, more: hasMore ? say.more : "", judged: say.judged(analysis?.by ?? "") };
}

/** The positions of a text, each once: XGIDs, say, in what eXtreme Gammon copies. */
async function positionsIn(file: File) {
  if (file.size > MOST_BYTES) return [];
  const words = textOf(new Uint8Array(await file.arrayBuffer())).split(/\s+/);
  return [...new Set(words.filter((word) => BOARD.test(word)))].filter(readSetup).slice(0, MOST_POSITIONS);
}
