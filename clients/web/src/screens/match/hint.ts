/** The best plays, ranked, and the cube: asked of the evaluator when one wants to know, where the table has hints. */
import { Component, h } from "preact";
import { script } from "../../device/worker.ts";
import type { HintQuestion, Hint as Told } from "../../evaluator/hint.ts";
import { language, text } from "../../texts/text.ts";
import { Pop, table } from "../parts.ts";
import type { MatchScreen } from "./screen.ts";

const KNOWN = ["standard", "nackgammon"]; // the starts that the network has learned

let worker: Worker | undefined;

class Hint extends Component<{ screen: MatchScreen }, { told?: Told }> {
  componentDidMount() {
    const { match, voice, seat } = this.props.screen;
    worker ??= new Worker(script("/evaluator.js"));
    worker.onmessage = ({ data: { answer: told } }) => {
      this.setState({ told });
      voice.say(told.rows.concat(told.note).join(". "));
    };
    const question: HintQuestion = { view: match.view, seat, language };
    worker.postMessage({ what: "hint", question });
  }

  render() {
    const { told } = this.state;
    return told
      ? [
          table(
            told.head,
            told.rows.map((row) =>
              h(
                "tr",
                null,
                row.map((cell) => h("td", null, cell)),
              ),
            ),
          ),
          h("p", { class: "aside" }, told.note),
        ]
      : text.loading;
  }
}

/** It stands at one place in the bar, and closes when the match goes on. */
export function hint(screen: MatchScreen) {
  const { match } = screen;
  const { rules, phase, rolls } = match.view;
  if (!rules.hints || match.seat === null || !KNOWN.includes(String(rules.variant))) return null;
  const isAsked = screen.making || (match.isOurs && (phase === "cube" || (phase === "roll" && screen.canDouble)));
  return h(
    "div",
    null,
    isAsked && h(Pop, { label: text.hint, kind: "advice", key: phase + rolls }, h(Hint, { screen })),
  );
}
