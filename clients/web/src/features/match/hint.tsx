/** The best plays, ranked, and the cube: asked of the evaluator when one wants to know, where the table has hints. */
import { Component, h } from "preact";
import { Evaluator } from "../../core/evaluator/evaluator.ts";
import type { FiguresQuestion } from "../../core/evaluator/figures.ts";
import type { Hint as Told } from "../../core/evaluator/hint.ts";
import { button, table } from "../../core/look/parts.tsx";
import { reason } from "../../core/net/connection.ts";
import { findingsIn, followJudge } from "../../core/net/judge.ts";
import { type Findings, judgeMatch } from "../../core/net/verdicts.ts";
import { language, text } from "../../core/texts/text.ts";
import type { Parts } from "./screen.tsx";

const evaluator = new Evaluator();

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
    const { view, bottom: seat } = match;
    const isOver = view.phase === "over";
    const found = isOver ? await judgeMatch(props.client, match.id, match.code) : { view };
    const show = (told: Told) => {
      if (this.gone) return;
      this.setState(told);
      voice.say(told.said);
    };
    const what = isOver ? "figures" : "hint";
    const ask = (more: Partial<Findings>) => {
      evaluator.follow(what, { ...found, ...more, seat, language } as FiguresQuestion, show);
      return !this.gone;
    };
    ask({});
    const look = () => findingsIn(props.client, match.id, match.code);
    if (isOver) followJudge(props.client, look, found as Findings, (now) => !now.analysis || ask(now));
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
              <th scope="row">{play ? button(does, () => play(does), "quiet") : does}</th>
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
