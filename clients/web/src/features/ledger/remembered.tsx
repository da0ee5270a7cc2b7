/** Who could still cheat; what this browser remembers of this server, and a way to have it forgotten. */

import { Component, h } from "preact";
import { store } from "../../core/device/store.ts";
import { button, buttons, card } from "../../core/look/parts.tsx";
import { Pledges } from "../../core/net/pledges.ts";
import { text } from "../../core/texts/text.ts";
import { countsText, fold, forget, words } from "./ledger.ts";

const pledges = new Pledges(store);

/** The list to which the page's help leads. */
function whoCould() {
  const { who, whoCould } = words();
  const comeFor = (one: HTMLElement | null) => {
    if (location.hash === "#who") one?.scrollIntoView();
  };
  const lines = whoCould.map((line) => <li>{line}</li>);
  return (
    <section class="list" ref={comeFor}>
      <h2>{who}</h2>
      <ol>{lines}</ol>
    </section>
  );
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
    const ask = [
      <p role="alert">{say.askForget}</p>,
      buttons(button(text.back, to("")), button(say.yesForget, does, "danger")),
    ];
    const begin = buttons(button(say.forget, to("asked")));
    return [
      whoCould(),
      card(
        say.remembered,
        <p>
          <b>{countsText(pledges)}</b>
        </p>,
        <p>{say.remembers}</p>,
        state === "asked" ? ask : state ? <p role="status">{say.forgotten}</p> : begin,
      ),
    ];
  }
}
