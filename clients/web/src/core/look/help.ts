/** Explanations, fetched when first asked for. */

import { Component } from "preact";
import type { en } from "../texts/help/en.ts";
import { fetchAll, language } from "../texts/text.ts";

export type Help = typeof en;

/** Without a network one does without, until it is here. */
export const fetchHelp = (): Promise<Help> => fetchAll().then((all) => all[language] as Help);

/** A screen or a dialog with explanations among its state, as soon as they are here. */
export abstract class Explained<Props, State = object> extends Component<Props, State & Partial<Help>> {
  componentDidMount() {
    fetchHelp().then((help) => this.setState(help as State & Partial<Help>));
  }
}
