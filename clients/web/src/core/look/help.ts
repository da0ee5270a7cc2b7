/** Explanations, fetched when first asked for. */

import { Component } from "preact";
import type { en } from "../texts/help/en.ts";
import { fetchAll, language } from "../texts/text.ts";

export type Help = typeof en;

/** A screen or a dialog with explanations among its state, as soon as they are here: it does without until then. */
export abstract class Explained<Props, State = object> extends Component<Props, State & Partial<Help>> {
  componentDidMount() {
    fetchAll().then((all) => this.setState(all[language] as State & Help));
  }
}
