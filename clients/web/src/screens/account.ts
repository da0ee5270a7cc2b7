/**
 * The player's name, the account, and the way back to it. Password managers find their way by
 * `autocomplete`.
 */

import { Component, h } from "preact";
import type { Client } from "../net/client.ts";
import { reason } from "../net/connection.ts";
import { logIn, logOut, takeName } from "../net/players.ts";
import { text } from "../texts/text.ts";
import type { Help } from "./help.ts";
import { fetchHelp } from "./help.ts";
import { button, buttons, Dialog, entered, labelled, refusal } from "./parts.ts";

const LEAST = 8; // characters of a password, and MOST
const MOST = 128;

/** why: one is needed. */
type Props = {
  client: Client;
  go: (path: string) => void;
  open: (what: string) => void;
  close: () => void;
  why?: string;
};
type State = { isNew: boolean; name: string; password: string; fault: string; busy: boolean } & Partial<Help>;
export class AccountDialog extends Component<Props, State> {
  state: State = { isNew: false, name: "", password: "", fault: "", busy: false };

  componentDidMount() {
    fetchHelp().then((help) => this.setState(help));
  }

  /** Close when it is done; say what was refused. */
  async does(what: () => Promise<unknown>) {
    this.setState({ fault: "", busy: true });
    try {
      await what();
      this.props.close();
    } catch (error) {
      this.setState({ fault: reason(error), busy: false });
    }
  }

  send(event: Event) {
    event.preventDefault();
    const { client } = this.props;
    const { isNew, name, password } = this.state;
    this.does(() => (isNew ? takeName(client, name, password) : logIn(client, name, password)));
  }

  render() {
    const { client, go, close, why } = this.props;
    const isAccount = client.me?.kind === "account";
    return h(
      Dialog,
      { title: isAccount ? text.account : why || text.logIn, close },
      isAccount ? this.own() : this.form(),
      client.me?.token && !isAccount
        ? [
            h("p", { class: "aside" }, text.youAreGuest(client.name)),
            buttons(button(text.profile, () => go(`/p/${client.name}`))),
          ]
        : null,
    );
  }

  /** Actions of the holder of an account. */
  own() {
    const { client, go, open } = this.props;
    return [
      h("p", null, text.loggedInAs(client.name)),
      refusal(this.state.fault),
      buttons(
        button(text.profile, () => go(`/p/${client.name}`), "main"),
        client.people?.opens(open),
        button(text.logOut, () => this.does(() => logOut(client, false))),
        button(text.logOutEverywhere, () => this.does(() => logOut(client, true))),
      ),
    ];
  }

  form() {
    const { isNew, name, password, fault, busy, whyPassword, nameShape } = this.state;
    const tab = (which: boolean, words: string) =>
      h(
        "button",
        { type: "button", "aria-pressed": isNew === which, onClick: () => this.setState({ isNew: which, fault: "" }) },
        words,
      );
    return h(
      "form",
      { class: "form", onSubmit: (event: Event) => this.send(event) },
      h("div", { class: "tabs" }, tab(false, text.logIn), tab(true, text.newName)),
      labelled(
        text.name,
        h("input", {
          name: "username",
          value: name,
          required: true,
          minLength: 2,
          maxLength: 20,
          pattern: "[A-Za-z0-9_\\-]+",
          title: nameShape,
          autocomplete: "username",
          autocapitalize: "none",
          spellcheck: false,
          onInput: entered((name) => this.setState({ name, fault: "" })),
        }),
      ),
      labelled(
        isNew ? text.passwordOptional : text.password,
        h("input", {
          type: "password",
          name: "password",
          value: password,
          required: !isNew,
          minLength: isNew ? LEAST : 1,
          maxLength: MOST,
          autocomplete: isNew ? "new-password" : "current-password",
          onInput: entered((password) => this.setState({ password, fault: "" })),
        }),
      ),
      isNew ? h("p", { class: "aside" }, whyPassword) : null,
      refusal(fault),
      buttons(
        button(text.cancel, this.props.close),
        h("button", { class: "main", disabled: busy }, isNew ? (password ? text.register : text.beGuest) : text.logIn),
      ),
    );
  }
}
