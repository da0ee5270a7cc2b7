/** A match with every option, in a dialog: a table, a challenge, a program, or a quick match. */

import { Component, h } from "preact";
import type { Settings } from "../device/settings.ts";
import type { Wanted } from "../model/rules.ts";
import { LENGTHS, rulesOf, usual } from "../model/rules.ts";
import type { Client } from "../net/client.ts";
import { reason } from "../net/connection.ts";
import { challengePlayer, createTable, playComputer, seekMatch } from "../net/pairing.ts";
import { text } from "../texts/text.ts";
import type { Help } from "./help.ts";
import { fetchHelp } from "./help.ts";
import type { Children } from "./parts.ts";
import { button, buttons, Dialog, entered, labelled, refusal, select, tick } from "./parts.ts";

const QUICK = "quick"; // against a player who seeks the same
const TABLE = "table";
const COMPUTER = "computer";
const SIDES = ["either", "white", "black"] as const;

/** against: whom it is first set to: "quick", "table", "computer", or a player's name. */
type Props = { client: Client; settings: Settings; against: string; go: (path: string) => void; close: () => void };
type State = Wanted &
  Partial<Help> & {
    against: string;
    level: string;
    name: string;
    side: string;
    isPrivate: boolean;
    watched: boolean;
    fault: string;
    busy: boolean;
  };
export class CreateDialog extends Component<Props, State> {
  state: State;

  constructor(props: Props) {
    super(props);
    const { length, clock, level } = props.settings;
    this.state = {
      ...usual("tournament"),
      length,
      clock,
      level,
      against: props.against,
      name: "",
      side: "either",
      isPrivate: false,
      watched: true,
      fault: "",
      busy: false,
    };
  }

  componentDidMount() {
    fetchHelp().then((help) => this.setState(help));
  }

  /** A field, and what it means as it is set. */
  told(name: keyof State, field: Children) {
    const { options = {}, [name]: value } = this.state;
    const [words, more] = options[`${name}.${value}`] ?? options[name] ?? [];
    const meaning = more ? h("a", { href: `/learn#${more}`, target: "_blank" }, words) : words;
    return h("div", null, field, h("small", { id: name }, meaning));
  }

  /** Whether it is a named player who is asked. */
  get isChallenge() {
    return ![QUICK, TABLE, COMPUTER].includes(this.state.against);
  }

  async send(event: Event) {
    event.preventDefault();
    this.setState({ fault: "", busy: true });
    try {
      await this.ask();
    } catch (error) {
      this.setState({ fault: reason(error), busy: false });
    }
  }

  async ask() {
    const { client, go, close } = this.props;
    const { against, name, level, isPrivate, watched } = this.state;
    const rules = rulesOf(this.state);
    const side = SIDES.find((one) => one === this.state.side);
    if (against === QUICK) {
      delete rules.hints; // no seeker asks for them
      await seekMatch(client, rules);
    }
    if (against === COMPUTER) go(`/m/${await playComputer(client, rules, level, side)}`);
    if (against === TABLE) {
      const wish = { rules, side, private: isPrivate, spectators: watched, ...(name ? { name } : {}) };
      go(`/m/${await createTable(client, wish)}`);
    }
    if (this.isChallenge) await challengePlayer(client, against, rules, side);
    close();
  }

  render() {
    const { close, client } = this.props;
    const { state } = this;
    const isQuick = state.against === QUICK;
    const isTable = state.against === TABLE;
    const change = (change: Partial<State>) => this.setState({ ...state, ...change, fault: "" });
    const pick = (
      name: keyof State,
      label: string,
      options: Record<string, string> | [string, string][],
      choose = (value: string) => change({ [name]: value }),
    ) => this.told(name, labelled(label, select(String(state[name]), options, choose, { "aria-describedby": name })));
    const check = (name: keyof State, label: string, more: Partial<State> = {}) =>
      this.told(
        name,
        tick(label, Boolean(state[name]), (on) => change({ [name]: on, ...(on && more) }), name),
      );
    const timed = state.clock === "none" ? { clock: "default" } : {};
    const opponents = { [TABLE]: text.anyone, [COMPUTER]: text.theComputer, [QUICK]: text.quickMatch };
    return h(
      Dialog,
      { title: this.isChallenge ? text.challengeOf(state.against) : text.newMatch, close },
      h(
        "form",
        { class: "form", onSubmit: (event: Event) => this.send(event) },
        this.isChallenge
          ? null
          : pick("against", text.against, opponents, (against) => change({ against, hints: against === COMPUTER })),
        state.against === COMPUTER ? pick("level", text.level, text.levels) : null,
        isTable
          ? this.told(
              "name",
              labelled(
                text.tableName,
                h("input", {
                  "aria-describedby": "name",
                  value: state.name,
                  maxLength: 30,
                  pattern: "[A-Za-z0-9_\\-]{2,30}",
                  title: state.nameShape,
                  autocomplete: "off",
                  spellcheck: false,
                  onInput: entered((name) => this.setState({ name })),
                }),
              ),
            )
          : null,
        pick("preset", text.rules, text.presets, (preset) => change({ ...usual(preset), clock: state.clock })),
        pick(
          "length",
          text.length,
          LENGTHS.map((one) => [one, text.points(Number(one))]),
        ),
        pick("clock", text.clock, text.clockNames),
        pick("variant", text.variant, text.variants),
        isQuick ? null : pick("side", text.side, text.sides),
        h(
          "div",
          { class: "ticks" },
          check("cube", text.withCube),
          isQuick ? null : check("hints", text.hints),
          client.me?.kind === "account" ? check("rated", text.rated, timed) : null,
          isTable ? check("isPrivate", text.privateTable) : null,
          isTable ? check("watched", text.mayBeWatched) : null,
        ),
        refusal(state.fault),
        buttons(
          button(text.cancel, close),
          h(
            "button",
            { class: "main", disabled: state.busy },
            this.isChallenge ? text.challenge : isQuick ? text.seek : isTable ? text.openTable : text.play,
          ),
        ),
      ),
    );
  }
}
