/** A new tournament, in a dialog: its name and times, and the rules of each match. */

import { h } from "preact";
import { choice, field, form, fulfil, NAME_OF_TABLE, refusal, submit, tick } from "../../core/look/forms.tsx";
import { Explained, type Help } from "../../core/look/help.ts";
import { button, buttons, Dialog } from "../../core/look/parts.tsx";
import { clockChoices, LENGTHS, rulesOf, usual } from "../../core/model/rules.ts";
import { text } from "../../core/texts/text.ts";
import type { TournamentClient } from "./net.ts";
import { words } from "./texts/text.ts";

export const MOST_MINUTES = 720;
const MOST_AHEAD = 7 * 24 * 60; // minutes

const FORMATS = ["arena", "swiss", "knock-out", "round-robin"] as const;
const MOST_ROUNDS = 20;
const MOST_RATING = 9999;

/** A field for a whole number. */
export const count = (label: string, value: string, set: (value: string) => void, min: number, max: number) =>
  field(label, value, set, { type: "number", inputMode: "numeric", required: true, min, max });

type Format = (typeof FORMATS)[number];
type Props = { client: TournamentClient; close: () => void };
const USUAL = {
  ...usual("tournament"),
  length: "3",
  clock: "normal",
  format: "arena" as Format,
  rounds: "0",
  isPrivate: false,
  least: "0",
  most: "0",
  name: "",
  starts: "10",
  minutes: "60",
  fault: "",
  busy: false,
};
type State = typeof USUAL;
export class MakeDialog extends Explained<Props, State> {
  state: State & Partial<Help> = USUAL;

  async send() {
    const { name, format, rounds, starts, minutes, isPrivate, least, most } = this.state;
    const wish = {
      name,
      rules: rulesOf(this.state),
      starts: 60 * Number(starts),
      minutes: Number(minutes),
      format,
      rounds: format === "swiss" ? Number(rounds) : 0,
      private: isPrivate,
      min_rating: Number(least),
      max_rating: Number(most),
    };
    const { tournament } = await this.props.client.connection.ask("create_tournament", wish);
    location.assign(`/tournaments/${tournament}`);
  }

  render() {
    const { state } = this;
    const say = words();
    const set = (change: Partial<State>) => this.setState({ ...state, ...change, fault: "" });
    const ask = (
      name: "starts" | "minutes" | "rounds" | "least" | "most",
      label: string,
      least: number,
      most: number,
    ) => count(label, state[name], (value) => set({ [name]: value }), least, most);
    const pick = (
      name: "preset" | "length" | "clock" | "variant",
      label: string,
      options: [string, string][],
      choose = (value: string) => set({ [name]: value }),
    ) => choice(label, state[name], options, choose);
    const but = (names: Record<string, string>, leaves: (key: string) => boolean) =>
      Object.entries(names).filter(([key]) => !leaves(key));
    const presets = but(text.presets, (key) => usual(key).length === "0");
    return (
      <Dialog title={say.made} close={this.props.close}>
        {form(
          "form",
          () => fulfil(this, () => this.send()),
          field(say.name, state.name, (name) => set({ name }), {
            required: true,
            ...NAME_OF_TABLE,
          }),
          choice(
            say.format,
            state.format,
            FORMATS.map((one) => [one, say.formats[one]]),
            (value) => set({ format: FORMATS.find((one) => one === value), minutes: value === "arena" ? "60" : "20" }),
          ),
          <small class="wide">{say.formatsTold[state.format]}</small>,
          ask("starts", say.startsIn, 0, MOST_AHEAD),
          ask("minutes", state.format === "arena" ? say.minutes : say.roundMinutes, 1, MOST_MINUTES),
          state.format === "swiss" ? ask("rounds", say.rounds, 0, MOST_ROUNDS) : null,
          pick("preset", text.rules, presets, (preset) =>
            set({ ...usual(preset), length: state.length, clock: state.clock }),
          ),
          pick(
            "length",
            text.length,
            LENGTHS.filter((one) => one !== "0").map((one) => [one, text.points(Number(one))]),
          ),
          pick("clock", text.clock, clockChoices().slice(1)),
          <div class="ticks">
            {tick(text.withCube, state.cube, (cube) => set({ cube }))}
            {tick(text.rated, state.rated, (rated) => set({ rated, isPrivate: state.isPrivate && !rated }))}
          </div>,
          <details class="wide">
            <summary>{text.moreOptions}</summary>
            <div class="form">
              {pick("variant", text.variant, Object.entries(text.variants))}
              {tick(text.privateTable, state.isPrivate, (isPrivate) =>
                set({ isPrivate, rated: state.rated && !isPrivate }),
              )}
              {ask("least", say.least, 0, MOST_RATING)}
              {ask("most", say.most, 0, MOST_RATING)}
            </div>
          </details>,
          refusal(state.fault),
          buttons(button(text.cancel, this.props.close), submit(say.go, state.busy)),
        )}
      </Dialog>
    );
  }
}
