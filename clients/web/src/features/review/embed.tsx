/** A match or a position in a page of another site: to be looked at, with a way to here. */

import { h } from "preact";
import { Board } from "../../core/board/board.ts";
import { stepMs } from "../../core/device/settings.ts";
import { invited } from "../../core/device/share.ts";
import { Hearing } from "../../core/look/hearing.ts";
import { CopyButton, holder, namesOf, plain, signButton } from "../../core/look/parts.tsx";
import { type Decision, decisionsOf } from "../../core/model/decisions.ts";
import { hasCube } from "../../core/model/rules.ts";
import type { Client } from "../../core/net/client.ts";
import { reason } from "../../core/net/connection.ts";
import { judgeMatch } from "../../core/net/verdicts.ts";
import { text } from "../../core/texts/text.ts";
import { showDecision } from "./asking.tsx";
import { deed, headline } from "./card.tsx";
import { askedIn, readSetup, xgidOf } from "./model/setup.ts";
import { words } from "./texts/text.ts";

/** what: `m` or `position`. name: the id of a match, or a position as a program writes it. number: of a decision. */
type Props = { client: Client; what: string; name: string; code: string; number: number };
type State = { decisions: Decision[]; names: string[]; hasCube: boolean; at: number; fault: string };
export class Embed extends Hearing<Props, State> {
  state: State = { decisions: [], names: [], hasCube: true, at: 0, fault: "" };
  board = new Board();
  setup = this.props.what === "m" ? null : readSetup(this.props.name);
  hears = { resize: () => this.paint(0) };

  componentDidMount() {
    super.componentDidMount();
    this.read().catch((error) => this.setState({ fault: reason(error) }));
  }

  async read() {
    const { client, what, name, code, number } = this.props;
    const { setup } = this;
    if (what === "m") {
      const { steps, view } = await judgeMatch(client, name, code);
      const decisions = decisionsOf(steps, view.rules);
      return this.setState({
        decisions,
        names: namesOf(view.players),
        hasCube: hasCube(view.rules),
        at: Math.min(decisions.length, Math.max(1, number)) - 1,
        fault: decisions.length ? "" : text.notFound,
      });
    }
    const decision = setup && (askedIn(setup) ?? askedIn({ ...setup, dice: [1, 1] }));
    if (!decision) return this.setState({ fault: text.noPage });
    const question = { ...decision.question, dice: setup.dice };
    this.setState({
      decisions: [{ ...decision, question }],
      names: [text.sides.white, text.sides.black],
      hasCube: setup.cap > 1,
    });
  }

  componentDidUpdate() {
    this.paint(stepMs());
  }

  paint(duration: number) {
    const { decisions, at, hasCube } = this.state;
    const shown = { decision: decisions[at], trial: null, seat: 0, hasCube, best: null };
    if (shown.decision) showDecision(this.board, shown, duration);
  }

  /** The next decision that was one, a double that was not thought of is none; -1 = there is none. */
  next(by: number) {
    const { decisions, at } = this.state;
    let to = at + by;
    while (decisions[to]?.what === "double" && !decisions[to].done) to += by;
    return decisions[to] ? to : -1;
  }

  render() {
    const { decisions, names, at, fault } = this.state;
    const { name, code } = this.props;
    const { setup } = this;
    const say = words();
    const decision = decisions[at];
    if (fault) return plain(fault);
    if (!decision) return plain(text.loading);
    const path = setup ? `/position#${xgidOf(setup)}` : `/m/${name}?review#${code && `${code}.`}${at + 1}`;
    const step = (sign: string, label: string, to: number) =>
      signButton(sign, label, () => this.setState({ at: to }), "", { disabled: to < 0 });
    const said =
      decision.question.dice.length || decision.what !== "play" ? headline(decision, names[decision.seat]) : "";
    return (
      <main class="embed">
        <h1 class="hidden">{names.join(" – ")}</h1>
        {holder(this.board)}
        <p class="legend" role="status">
          {setup ? said : `${said} ${deed(decision)}`}
        </p>
        <div class="stepper">
          {!setup && [step("‹", say.back, this.next(-1)), step("›", say.on, this.next(1))]}
          <a class="button" href={path} target="_blank" rel="noopener">
            {setup ? text.title : names.join(" – ")}
          </a>
        </div>
      </main>
    );
  }
}

/** A button that copies what shows it in a page of another site. @param path behind `/embed/` */
export function embedButton(path: string) {
  const size = 'width="480" height="530" loading="lazy" style="border:0"';
  const src = () => `src="${invited()}/embed/${path}"`;
  const frame = () => `<iframe ${src()} title="${text.title}" ${size}></iframe>`;
  return <CopyButton key={path} words={words().embed} what={frame} kind="quiet" />;
}
