/** A match with every option, in a dialog: a table, a challenge, a program, or a quick match. */

import { h } from "preact";
import { settings } from "../../core/device/settings.ts";
import { go } from "../../core/look/app.ts";
import { choice, field, form, fulfil, group, NAME_OF_TABLE, refusal, submit, tick } from "../../core/look/forms.tsx";
import { Explained, type Help } from "../../core/look/help.ts";
import { button, buttons, type Children, Dialog } from "../../core/look/parts.tsx";
import { clockChoices, LENGTHS, rulesOf, usual } from "../../core/model/rules.ts";
import type { Client } from "../../core/net/client.ts";
import { challengePlayer, createTable, levels, playComputer, seekMatch, whyNone } from "../../core/net/pairing.ts";
import { text } from "../../core/texts/text.ts";

const QUICK = "quick"; // against a player who seeks the same
const TABLE = "table";
const COMPUTER = "computer";
const HERE = "here"; // against somebody at this screen
const SIDES = ["either", "white", "black"] as const;

/** against: whom it is first set to: "quick", "table", "computer", or a player's name. */
type Props = { client: Client; against: string; close: () => void };
/** The form as it begins. */
const begin = ({ against }: Props) => ({
  ...usual("tournament"),
  length: settings.length,
  clock: settings.clock,
  level: settings.level,
  against,
  name: "",
  side: "either",
  isPrivate: false,
  watched: true,
  fault: "",
  busy: false,
});
type State = ReturnType<typeof begin>;
export class CreateDialog extends Explained<Props, State> {
  state: State & Partial<Help> = begin(this.props);

  /** A field, and what it means as it is set. */
  told(name: keyof State, field: Children) {
    const { options = {}, [name]: value } = this.state;
    const [words, more] = options[`${name}.${value}`] ?? options[name] ?? [];
    const meaning = more ? (
      <a href={`/learn#${more}`} target="_blank" rel="noopener">
        {words}
      </a>
    ) : (
      words
    );
    return (
      <div>
        {field}
        <small id={name}>{meaning}</small>
      </div>
    );
  }

  /** Whether it is a named player who is asked. */
  get isChallenge() {
    return ![QUICK, TABLE, COMPUTER, HERE].includes(this.state.against);
  }

  async ask() {
    const { client, close } = this.props;
    const { against, name, level, isPrivate, watched } = this.state;
    const rules = rulesOf(this.state);
    const side = SIDES.find((one) => one === this.state.side);
    if (against === QUICK) {
      delete rules.hints; // no seeker asks for them
      await seekMatch(client, rules);
    }
    if (against === HERE) go(`/position?two=${rules.length}`);
    if (against === COMPUTER) go(`/m/${await playComputer(client, rules, level, side)}`);
    if (against === TABLE) {
      const wish = { rules, side, private: isPrivate, spectators: watched, ...(name ? { name } : {}) };
      go(`/m/${await createTable(client, wish)}`);
    }
    if (this.isChallenge) {
      const { match, begins } = await challengePlayer(client, against, rules, side);
      if (begins) go(`/m/${match}`);
    }
    close();
  }

  render() {
    const { close, client } = this.props;
    const { state } = this;
    const isQuick = state.against === QUICK;
    const isTable = state.against === TABLE;
    const none = state.against === COMPUTER ? whyNone(client, rulesOf(state)) : "";
    const change = (change: Partial<State>) => this.setState({ ...state, ...change, fault: "" });
    const pick = (
      name: keyof State,
      label: string,
      options: Record<string, string> | [string, string][],
      choose = (value: string) => change({ [name]: value }),
    ) => this.told(name, choice(label, String(state[name]), options, choose, { "aria-describedby": name }));
    const check = (name: keyof State, label: string, more: Partial<State> = {}) =>
      this.told(
        name,
        tick(label, Boolean(state[name]), (on) => change({ [name]: on, ...(on && more) }), name),
      );
    const inSight = { isPrivate: false, watched: true, clock: state.clock === "none" ? "normal" : state.clock };
    const opponents = {
      [TABLE]: text.anyone,
      [COMPUTER]: text.theComputer,
      [QUICK]: text.quickMatch,
      [HERE]: text.twoHere,
    };
    return (
      <Dialog title={this.isChallenge ? text.challengeName(state.against) : text.newMatch} close={close}>
        {form(
          "form",
          () => fulfil(this, () => this.ask()),
          this.isChallenge
            ? null
            : pick("against", text.against, opponents, (against) => change({ against, hints: against === COMPUTER })),
          state.against === COMPUTER ? pick("level", text.level, levels(client)) : null,
          group(text.gameRules),
          state.against === HERE ||
            pick("preset", text.rules, text.presets, (preset) => change({ ...usual(preset), clock: state.clock })),
          pick(
            "length",
            text.length,
            LENGTHS.map((one) => [one, text.points(Number(one))]),
          ),
          state.against === HERE || [
            pick("variant", text.variant, text.variants),
            isQuick ? null : pick("side", text.side, text.sides),
            <div class="ticks">
              {check("cube", text.withCube)}
              {isQuick ? null : check("hints", text.hints)}
            </div>,
            group(text.table),
            pick("clock", text.clock, clockChoices()),
            isTable
              ? this.told(
                  "name",
                  field(text.tableName, state.name, (name) => this.setState({ name }), {
                    "aria-describedby": "name",
                    ...NAME_OF_TABLE,
                  }),
                )
              : null,
            <div class="ticks">
              {client.me?.kind === "account" ? check("rated", text.rated, inSight) : null}
              {isTable && !state.rated && [check("isPrivate", text.privateTable), check("watched", text.mayBeWatched)]}
            </div>,
          ],
          refusal(state.fault || none),
          buttons(
            button(text.cancel, close),
            submit(
              this.isChallenge ? text.challenge : isQuick ? text.seek : isTable ? text.openTable : text.play,
              state.busy || none !== "",
            ),
          ),
        )}
      </Dialog>
    );
  }
}
