/**
 * A match with every option, in a dialog: a table, a challenge, a program, or a quick match.
 *
 * @import {Client} from "./client.js"
 * @import {Settings} from "./settings.js"
 * @import {Wanted} from "./rules.js"
 */
import { Component, h } from "preact";
import { Dialog, button, labelled, refusal, select, tick } from "./parts.js";
import { LENGTHS, rulesOf, usual } from "./rules.js";
import { text } from "./text.js";

const QUICK = "quick"; // against whoever seeks the same
const TABLE = "table";
const COMPUTER = "computer";
const SIDES = /** @type {const} */ (["either", "white", "black"]);

/**
 * against: whom it is first set to: "quick", "table", "computer", or a player's name.
 * @typedef {{client: Client, settings: Settings, against: string, go: (path: string) => void, close: () => void}} Props
 * @typedef {Wanted & {against: string, level: string, name: string, side: string, isPrivate: boolean, watched: boolean, fault: string, busy: boolean}} State
 * @extends {Component<Props, State>}
 */
export class CreateDialog extends Component {
  /** @param {Props} props */
  constructor(props) {
    super(props);
    const { length, clock, level } = props.settings;
    /** @type {State} */
    this.state = {
      ...usual("tournament"), length, clock, level, against: props.against, name: "", side: "either", isPrivate: false,
      watched: true, fault: "", busy: false,
    };
  }

  /** Whether it is a named player who is asked. */
  get isChallenge() {
    return ![QUICK, TABLE, COMPUTER].includes(this.state.against);
  }

  /** @param {Event} event */
  async send(event) {
    event.preventDefault();
    this.setState({ fault: "", busy: true });
    try {
      await this.ask();
    } catch (error) {
      this.setState({ fault: /** @type {Error} */ (error).message, busy: false });
    }
  }

  async ask() {
    const { client, go, close } = this.props;
    const { against, name, level, isPrivate, watched } = this.state;
    const rules = rulesOf(this.state);
    const side = /** @type {typeof SIDES[number]} */ (this.state.side);
    if (against === QUICK) {
      delete rules.hints; // nobody seeks by them
      await client.seek(rules);
    }
    if (against === COMPUTER) go(`/m/${await client.playComputer(rules, level, side)}`);
    if (against === TABLE) {
      const wish = { rules, side, private: isPrivate, spectators: watched, ...(name ? { name } : {}) };
      go(`/m/${await client.create(wish)}`);
    }
    if (this.isChallenge) await client.challenge(against, rules, side);
    close();
  }

  render() {
    const { close, client } = this.props;
    const { state } = this;
    const isQuick = state.against === QUICK;
    const isTable = state.against === TABLE;
    /** @param {keyof State} name @param {string} label @param {Record<string, string> | [string, string][]} options */
    const pick = (name, label, options) =>
      labelled(label, select(String(state[name]), options, (value) => this.setState(/** @type {any} */ ({ [name]: value, fault: "" }))));
    /** @param {keyof State} name @param {string} label */
    const check = (name, label) => tick(label, Boolean(state[name]), (on) => this.setState(/** @type {any} */ ({ [name]: on, fault: "" })));
    const opponents = { [TABLE]: text.anyone, [COMPUTER]: text.theComputer, [QUICK]: text.quickMatch };
    return h(Dialog, { title: this.isChallenge ? text.challengeOf(state.against) : text.newMatch, close },
      h("form", { class: "form", onSubmit: (/** @type {Event} */ event) => this.send(event) },
        this.isChallenge ? null : pick("against", text.against, opponents),
        state.against === COMPUTER ? pick("level", text.level, text.levels) : null,
        isTable ? labelled(text.tableName, h("input", {
          value: state.name, maxLength: 30, pattern: "[A-Za-z0-9_\\-]{2,30}", title: text.nameShape, placeholder: text.optional,
          autocomplete: "off", spellcheck: false, onInput: (/** @type {any} */ event) => this.setState({ name: event.target.value }),
        })) : null,
        labelled(text.rules, select(state.preset, text.presets, (preset) => this.setState({ ...usual(preset), clock: state.clock, fault: "" }))),
        pick("length", text.length, LENGTHS.map((one) => [one, text.points(Number(one))])),
        pick("clock", text.clock, text.clockNames),
        pick("variant", text.variant, text.variants),
        isQuick ? null : pick("side", text.side, text.sides),
        h("div", { class: "ticks" },
          check("cube", text.withCube),
          isQuick ? null : check("hints", text.hints),
          client.me?.kind === "account" ? check("rated", text.rated) : null,
          isTable ? check("isPrivate", text.privateTable) : null,
          isTable ? check("watched", text.mayBeWatched) : null),
        refusal(state.fault),
        h("div", { class: "buttons" },
          button(text.cancel, close),
          h("button", { class: "main", disabled: state.busy }, this.isChallenge ? text.challenge : isQuick ? text.seek : isTable ? text.openTable : text.play))));
  }
}
