/** Explanations, fetched when first asked for. */

import { Component } from "preact";
import { fetchAll, language } from "../texts/text.ts";

/** See texts/help/. options: what each means, and where more stands. keys: what is pressed, and what it does. who: could still cheat. */
export type Help = {
  options: Record<string, [string, string]>;
  keys: [string, string][];
  who: string;
  notKept: string;
  whyPassword: string;
  judgedHelp: string;
  nameShape: string;
  refusals: Record<string, string>;
};

/** Without a network one does without, until it is here. */
export const fetchHelp = (): Promise<Help> => fetchAll().then((all) => all[language] as Help);

/** A screen or a dialog with explanations among its state, as soon as they are here. */
export abstract class Explained<Props, State = object> extends Component<Props, State & Partial<Help>> {
  componentDidMount() {
    fetchHelp().then((help) => this.setState(help as State & Partial<Help>));
  }
}
