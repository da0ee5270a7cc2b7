/**
 * The player's name, the account, and the way back to it. Password managers find their way by
 * `autocomplete`.
 */

import { h } from "preact";
import { field, form, fulfil, refusal, submit } from "../../core/look/forms.tsx";
import { Explained, type Help } from "../../core/look/help.ts";
import { button, buttons, type Children, Dialog, link, mainLink } from "../../core/look/parts.tsx";
import type { Client } from "../../core/net/client.ts";
import { logIn, logOut, takeName } from "../../core/net/players.ts";
import { text } from "../../core/texts/text.ts";

const LEAST = 8; // characters of a password, and MOST
const MOST = 128;

/** why: one is needed. friends: a button to them. */
type Props = {
  client: Client;
  friends: Children;
  close: () => void;
  why?: string;
};
type State = { isNew: boolean; name: string; password: string; fault: string; busy: boolean };
export class AccountDialog extends Explained<Props, State> {
  state: State & Partial<Help> = { isNew: Boolean(this.props.why), name: "", password: "", fault: "", busy: false };

  /** Close when it is done; say what was refused. */
  does = (what: () => Promise<unknown>) => fulfil(this, () => what().then(this.props.close));

  send() {
    const { client } = this.props;
    const { isNew, name, password } = this.state;
    this.does(() => (isNew ? takeName(client, name, password) : logIn(client, name, password)));
  }

  render() {
    const { client, close, why } = this.props;
    const isAccount = client.me?.kind === "account";
    return (
      <Dialog title={isAccount ? text.account : why || text.logIn} close={close}>
        {isAccount ? this.own() : this.form()}
        {client.me?.token && !isAccount
          ? [
              <p class="aside">{text.youAreGuest(client.name)}</p>,
              buttons(link(`/p/${client.name}`, text.profile, "button")),
            ]
          : null}
      </Dialog>
    );
  }

  /** Actions of the holder of an account. */
  own() {
    const { client, friends } = this.props;
    return [
      <p>{text.loggedInAs(client.name)}</p>,
      refusal(this.state.fault),
      buttons(
        mainLink(`/p/${client.name}`, text.profile),
        friends,
        button(text.logOut, () => this.does(() => logOut(client, false))),
        button(text.logOutEverywhere, () => this.does(() => logOut(client, true))),
      ),
    ];
  }

  form() {
    const { isNew, name, password, fault, busy, whyPassword, nameShape } = this.state;
    const isNeeded = Boolean(this.props.why); // a guest would be asked again
    const tab = (which: boolean, words: string) =>
      button(words, () => this.setState({ isNew: which, fault: "" }), "", false, { "aria-pressed": isNew === which });
    return form(
      "form",
      () => this.send(),
      <div class="tabs">
        {tab(false, text.logIn)}
        {tab(true, text.newName)}
      </div>,
      field(text.name, name, (name) => this.setState({ name, fault: "" }), {
        name: "username",
        required: true,
        minLength: 2,
        maxLength: 20,
        pattern: "[A-Za-z0-9_\\-]+",
        title: nameShape,
        autocomplete: "username",
        autocapitalize: "none",
        spellcheck: false,
      }),
      field(
        isNew && !isNeeded ? text.passwordOptional : text.password,
        password,
        (password) => this.setState({ password, fault: "" }),
        {
          type: "password",
          name: "password",
          required: !isNew || isNeeded,
          minLength: isNew ? LEAST : 1,
          maxLength: MOST,
          autocomplete: isNew ? "new-password" : "current-password",
        },
      ),
      isNew ? <p class="aside">{whyPassword}</p> : null,
      refusal(fault),
      buttons(
        button(text.cancel, this.props.close),
        submit(isNew ? (password || isNeeded ? text.register : text.beGuest) : text.logIn, busy),
      ),
    );
  }
}
