/** Who could still cheat; what this browser remembers of this server, and a way to have it forgotten. */

import { Component, h } from "preact";
import { store } from "../device/store.ts";
import { countsText, fold, forget, words } from "../net/ledger.ts";
import { Pledges } from "../net/pledges.ts";
import { text } from "../texts/text.ts";
import { button, buttons } from "./parts.ts";

const pledges = new Pledges(store);

/** The list to which the page's help leads. */
function whoCould() {
  const { who, whoCould } = words();
  const comeFor = (one: HTMLElement | null) => {
    if (location.hash === "#who") one?.scrollIntoView();
  };
  const lines = whoCould.map((line) => h("li", null, line));
  return h("section", { class: "list", ref: comeFor }, h("h2", null, who), h("ol", null, lines));
}

type State = { state: "" | "asked" | "forgotten" };
export class Remembered extends Component<object, State> {
  state: State = { state: "" };

  componentDidMount() {
    fold(pledges);
  }

  render() {
    const say = words();
    const { state } = this.state;
    const to = (state: State["state"]) => () => this.setState({ state });
    const does = () => {
      forget(pledges);
      this.setState({ state: "forgotten" });
    };
    return [
      whoCould(),
      h(
        "section",
        { class: "list" },
        h("h2", null, say.remembered),
        h("p", null, h("b", null, countsText(pledges))),
        h("p", null, say.remembers),
        state === "asked"
          ? [
              h("p", { role: "alert" }, say.askForget),
              buttons(button(text.back, to("")), button(say.yesForget, does, "danger")),
            ]
          : state
            ? h("p", { role: "status" }, say.forgotten)
            : buttons(button(say.forget, to("asked"))),
      ),
    ];
  }
}
