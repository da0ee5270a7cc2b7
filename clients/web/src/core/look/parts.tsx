/** Pieces that several screens draw alike. */

import { Component, createRef, h } from "preact";
import type { AskedRules } from "../../../../../protocol/tavla.d.ts";
import type { Board } from "../board/board.ts";
import { CORNER, paintCorner } from "../board/corner.ts";
import { fetched } from "../device/fetched.ts";
import { settings } from "../device/settings.ts";
import { copy } from "../device/share.ts";
import { gameOf, rulesText } from "../model/rules.ts";
import type { Verdict } from "../model/verdict.ts";
import type { View } from "../model/view.ts";
import type { Client } from "../net/client.ts";
import { text } from "../texts/text.ts";
export type Children = import("preact").ComponentChildren;

/** @param more attributes */
export const button = (
  words: Children,
  does: () => void,
  kind: string = "",
  disabled: boolean = false,
  more: Record<string, unknown> = {},
) => (
  <button type="button" class={kind} onClick={does} disabled={disabled} {...more}>
    {words}
  </button>
);

/** A button that leads to one step of several. @param isNow whether it is the one that is shown */
export const stepButton = (words: Children, does: () => void, isNow: boolean, kind: string = "") =>
  button(words, does, kind, false, { "aria-current": isNow ? "step" : undefined });

export const buttons = (...children: Children[]) => <div class="buttons">{...children}</div>;

/** A button whose face is a sign, with its name as a tip. @param more attributes */
export const signButton = (
  sign: Children,
  label: string,
  does: () => void,
  kind = "",
  more: Record<string, unknown> = {},
) => button(sign, does, kind, false, { "aria-label": label, title: tip(label), ...more });

/** A button that copies something, and says so. */
export class CopyButton extends Component<
  { words: string; what: () => string; kind?: string; copied?: () => void },
  { isDone: boolean }
> {
  state = { isDone: false };

  press = async () => {
    const { what, copied } = this.props;
    if (!(await copy(what()))) return;
    this.setState({ isDone: true });
    copied?.();
  };

  render() {
    const { words, kind } = this.props;
    return button(this.state.isDone ? text.copied : words, this.press, kind);
  }
}

/** A checker of either side. */
const brandMark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width={32} height={32} rx={8} />
    <circle cx={12} cy={19.5} r={7.5} />
    <circle cx={20} cy={12.5} r={7.5} />
  </svg>
);

export const brand = () => [brandMark(), <span>{text.title}</span>];

/** A screen of one sentence, and what can be done about it. */
export const plain = (words: string, ...more: Children[]) => (
  <main class="plain">
    <h1>{words}</h1>
    {more}
  </main>
);

/** Names of players, of whom one may not have come. */
export const namesOf = (players: (string | null)[]) => players.map((name) => name ?? text.someone);

export const versus = (players: (string | null)[]) => namesOf(players).join(" – ");

/** A link to another screen of the page: a click on it is for `App`. @param isNow whether it is the one that is shown */
export const link = (path: string, words: Children, kind?: string, label?: string, isNow = false) => (
  <a href={path} class={kind} aria-label={label} aria-current={isNow ? "page" : undefined}>
    {words}
  </a>
);

/** A link that stands among buttons as the main one. */
export const mainLink = (path: string, words: string) => link(path, words, "button main");

/** A button that saves a match as a file for other programs. */
export const saveButton = (client: Client, match: string, code: string) => {
  const save = () => fetched(() => import("../net/mat.ts")).then(({ saveMatch }) => saveMatch(client, match, code));
  return button(text.exportMat, () => client.showRefusal(save()), "quiet");
};

/** A verdict on the dice of a match, said at once. */
export const verdictLine = ({ sound, text }: Verdict) => (
  <p class={`verdict ${sound ? "sound" : sound === false ? "wrong" : ""}`} role="status">
    {text}
  </p>
);

/** A player, with a link to what is known of them. Where there is no room the name is cut. */
export const player = (name: string) => (
  <a class="name" href={`/p/${name}`} title={name}>
    {name}
  </a>
);

/** The two players, each as a link. */
export const rivals = (players: (string | null)[]) =>
  players.map((name, index) => [index ? " – " : "", name ? player(name) : text.someone]);

/** Notices above every screen, with their actions. */
export const banner = (key: string, words: string, ...does: Children[]) => (
  <div class="challenge" role="alert" key={key}>
    <p>{words}</p>
    {buttons(...does)}
  </div>
);

/** @param headings cells, or their words. @param more attributes */
export const tableHead = (headings: Children[], more: Record<string, unknown> = {}) => {
  const cells = headings.map((one) => (typeof one !== "string" ? one : one ? <th scope="col">{one}</th> : <td />));
  return <thead>{h("tr", more, cells)}</thead>;
};

/** @param more attributes */
export const table = (headings: Children[], rows: Children[], more: Record<string, unknown> = {}, caption?: Children) =>
  h("table", more, caption, tableHead(headings), <tbody>{rows}</tbody>);

/** Scrolling of what is wider than the screen. */
export const scroller = (label: string, what: Children) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>
    {what}
  </div>
);

/** The colour of a player's checkers. isTold: also to those who do not see it */
export const stone = (isBlack: boolean, isTold = false) => {
  const label = isTold ? text.colours[isBlack ? "dark" : "light"] : undefined;
  return <span class={`stone ${isBlack ? "black" : "white"}`} role="img" aria-label={label} aria-hidden={!isTold} />;
};

/** The place of a board, which is drawn by itself. @param more attributes */
export const holder = ({ root }: Board, more: Record<string, unknown> = {}) => {
  const ref = (place: Element | null) => {
    if (place && root.parentElement !== place) place.append(root);
  };
  return <div class="holder" ref={ref} {...more} />;
};

/** A link of this server as a QR code, for the phones of those around. */
export const qrCode = (link: string) => (
  <img class="qr" src={`/qr.svg?${encodeURIComponent(link)}`} alt={text.qr} width={148} height={148} />
);

/** @param code of a private match; "" = none. what: of it is shown there */
export const reviewLink = (match: string, code: string, what: "review" | "dice" = "review") => {
  const path = `/m/${match}?${what}${code && `#${code}`}`;
  return what === "dice" ? link(path, text.fairDice, "quiet") : link(path, text.places.review, "button");
};

/** The way back to the tournament of a match; null = it is of none, or of a private one of others. */
export function tournamentLink({ tournament }: View, isMain: boolean) {
  if (!tournament) return null;
  const path = `/tournaments/${tournament[0]}`;
  return isMain ? mainLink(path, text.tournament) : link(path, text.tournament, "quiet");
}

/** The rules of a table in a few words, with a link to all of them. */
export const rulesLink = (rules: AskedRules) => (
  <a class="rules" href={`/learn#rules-${gameOf(rules)}`} target="_blank" rel="noopener">
    {rulesText(rules)}
  </a>
);

export const card = (title: Children, ...more: Children[]) => (
  <section class="list">
    <h2>{title}</h2>
    {more}
  </section>
);

/** A list with its heading; what is said when it is empty. */
export const list = (title: string, rows: Children[], empty: string = "", below: Children = null) =>
  card(title, rows.length ? <ul>{rows}</ul> : empty && <p class="empty">{empty}</p>, below);

/** A corner of a board. @param design of the board; as it is here, if left out. sides: whose checkers stand there */
export const corner = (design?: string, sides: readonly string[] = ["mine", "mine", "theirs"]) => (
  <svg
    class="corner"
    viewBox={CORNER}
    aria-hidden="true"
    data-board={design}
    ref={(place) => {
      if (place && !place.firstChild) paintCorner(place, sides);
    }}
  />
);

/** What is said where there is nothing yet, and what can be done about it. */
export const nothing = (words: string, action: Children = null) => (
  <div class="nothing">
    {corner()}
    <p class="empty">{words}</p>
    {action}
  </div>
);

/** Opens by a button; Escape, a click elsewhere and, where it says so, a click inside close it. */
export class Pop extends Component<
  { label: string; sign?: string; kind?: string; closes?: boolean; children?: Children },
  { open: boolean }
> {
  state = { open: false };
  place = createRef<HTMLDivElement>();
  away = ({ target }: Event) => {
    if (this.state.open && target instanceof Node && !this.place.current?.contains(target))
      this.setState({ open: false });
  };
  escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !this.state.open) return;
    event.stopPropagation();
    this.setState({ open: false });
    this.place.current?.querySelector("button")?.focus();
  };

  componentDidMount() {
    addEventListener("pointerdown", this.away);
    addEventListener("keydown", this.escape, true);
  }

  componentWillUnmount() {
    removeEventListener("pointerdown", this.away);
    removeEventListener("keydown", this.escape, true);
  }

  render() {
    const { label, sign, kind = "quiet", closes, children } = this.props;
    const { open } = this.state;
    const toggle = () => this.setState({ open: !open });
    return (
      <div class="pop" ref={this.place}>
        {button(sign ?? label, toggle, kind, false, {
          "aria-expanded": open,
          "aria-label": label,
          title: sign && tip(label),
        })}
        {open && (
          <div class="menu" role="group" aria-label={label} onClick={closes ? toggle : undefined}>
            {children}
          </div>
        )}
      </div>
    );
  }
}

/**
 * A question or an answer on the board. alert: it is to be heard at once. An alert, and what asks for it, has the focus,
 * unless the user is writing.
 */
export class Ask extends Component<{
  label: string;
  kind?: string;
  alert?: boolean;
  focus?: boolean;
  children?: Children;
}> {
  place = createRef<HTMLDivElement>();

  componentDidMount() {
    const { activeElement: at } = document;
    if ((this.props.alert || this.props.focus) && !at?.matches("input, textarea, select"))
      this.place.current?.focus({ preventScroll: true });
  }

  render() {
    const { label, kind = "", alert, children } = this.props;
    const role = alert ? "alertdialog" : "group";
    return (
      <div class={`ask ${kind}`} role={role} aria-label={label} tabIndex={-1} ref={this.place}>
        {children}
      </div>
    );
  }
}

/** Answers to a double, on either side of the cube. */
export const besideCube = (label: string, drop: Children, take: Children, alert = false) => (
  <Ask label={label} alert={alert} kind={`cubed ${settings.home === "left" ? "mirrored" : ""}`}>
    <div>{drop}</div>
    <div>{take}</div>
  </Ask>
);

/** What is said of a thing when a mouse rests on it. */
export const tip = (words: string) => (settings.tips === "on" ? words : undefined);

/** A dialog; Escape closes it. */
export class Dialog extends Component<{ title: string; close: () => void; children?: Children }> {
  place = createRef<HTMLDialogElement>();

  componentDidMount() {
    this.place.current?.showModal();
  }

  componentWillUnmount() {
    this.place.current?.close(); // the focus goes back to where it was
  }

  /** Escape: closed by its owner, at once; the browser would do it now and say so later, when it may be open again. */
  escape = (event: Event) => {
    event.preventDefault();
    this.props.close();
  };

  /** The browser closes without a question when Escape comes twice; a dialog that has gone says so, too. */
  closed = () => this.place.current && this.props.close();

  render() {
    const { title, children } = this.props;
    const { escape: onCancel, closed: onClose, place: ref } = this;
    return (
      <dialog ref={ref} aria-label={title} onCancel={onCancel} onClose={onClose}>
        <h2>{title}</h2>
        {children}
      </dialog>
    );
  }
}
