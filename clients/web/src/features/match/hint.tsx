/** The best plays, ranked, and the cube: asked of the evaluator when one wants to know, where the table has hints. */
import { Component, h } from "preact";
import { script } from "../../core/device/worker.ts";
import type { Hint as Told } from "../../core/evaluator/hint.ts";
import type { Asked } from "../../core/evaluator/worker.ts";
import { button, Pop, table } from "../../core/look/parts.tsx";
import { reason } from "../../core/net/connection.ts";
import { type Findings, followJudge, judgeMatch } from "../../core/net/verdicts.ts";
import { language, text } from "../../core/texts/text.ts";
import { playWords } from "./moving.ts";
import type { Parts } from "./screen.tsx";

let worker: Worker | undefined;

/** play: makes a play that is tapped; undefined = none can be made now. */
type Props = Parts<"match" | "props" | "voice"> & { play?: (words: string) => void };

/** A hint; of a match that is over, luck and PR. */
export class Hint extends Component<Props, Partial<Told>> {
  gone = false;

  componentDidMount() {
    this.ask().catch((error) => this.setState({ note: reason(error) }));
  }

  componentWillUnmount() {
    this.gone = true;
  }

  async ask() {
    const { match, voice, props } = this.props;
    const { seq: id, view, bottom: seat } = match;
    const isOver = view.phase === "over";
    const found = isOver ? await judgeMatch(props.client, match.id, match.code) : { view };
    worker ??= new Worker(script("/evaluator.js"));
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer: Told }>) => {
      if (data.id !== id) return; // of a hint that was closed
      this.setState(data.answer);
      voice.say(data.answer.said);
    };
    const what = isOver ? "figures" : "hint";
    const ask = (more: Partial<Findings>) => {
      worker?.postMessage({ id, what, question: { ...found, ...more, seat, language } } as Asked);
      return !this.gone;
    };
    ask({});
    if (isOver) followJudge(props.client, match.id, match.code, found as Findings, (now) => !now.analysis || ask(now));
  }

  render() {
    const { head, rows = [], note = text.loading } = this.state;
    const { play } = this.props;
    return [
      head &&
        table(
          head,
          rows.map(([does, ...worth]) => (
            <tr>
              <td>{play ? button(does, () => play(does), "quiet") : does}</td>
              {worth.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          )),
        ),
      <p class="aside">{note}</p>,
    ];
  }
}

/** It stands at one place in the bar, and closes when the match goes on. */
export function hint(screen: Parameters<typeof playWords>[0]) {
  const { match, making, props, voice } = screen;
  const { view, isOurs } = match;
  const play = making ? (words: string) => playWords(screen, words) : undefined;
  const isAsked = isOurs && ["roll", "move", "cube"].includes(view.phase);
  const more = { label: text.hint, kind: "advice", closes: true, key: view.phase + view.rolls };
  return view.rules.hints && <div>{isAsked && h(Pop, more, <Hint {...{ match, props, voice, play }} />)}</div>;
}
