/** Pieces that several screens draw alike. */

import type { TargetedEvent } from "preact";
import { Component, createRef, h } from "preact";
export type Children = import("preact").ComponentChildren;

export const button = (words: Children, does: () => void, kind: string = "", disabled: boolean = false) =>
  h("button", { type: "button", class: kind, onClick: does, disabled }, words);

/** A row of buttons. */
export const buttons = (...children: Children[]) => h("div", { class: "buttons" }, ...children);

export const labelled = (label: string, field: Children) => h("label", null, label, field);

/** Hands on what was entered in a field. */
export const entered = (set: (value: string) => void) => (event: TargetedEvent<HTMLInputElement>) =>
  set(event.currentTarget.value);

/** @param options what is said of each value */
export const select = (
  value: string,
  options: Record<string, string> | [string, string][],
  choose: (value: string) => void,
  more: Record<string, unknown> = {},
) =>
  h(
    "select",
    { ...more, value, onChange: (event: TargetedEvent<HTMLSelectElement>) => choose(event.currentTarget.value) },
    (Array.isArray(options) ? options : Object.entries(options)).map(([key, label]) =>
      h("option", { value: key, selected: key === value }, label),
    ),
  );

export const tick = (label: string, on: boolean, choose: (on: boolean) => void) =>
  h(
    "label",
    { class: "tick" },
    h("input", {
      type: "checkbox",
      checked: on,
      onChange: (event: TargetedEvent<HTMLInputElement>) => choose(event.currentTarget.checked),
    }),
    label,
  );

/** A link to another screen of the page. */
export const link = (path: string, go: (path: string) => void, words: Children, kind: string = "") =>
  h(
    "a",
    {
      href: path,
      class: kind,
      onClick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a window of its own
        event.preventDefault();
        go(path);
      },
    },
    words,
  );

/** A list with its heading; what is said when it is empty. */
export const list = (title: string, rows: Children[], empty: string = "", below: Children = null) =>
  h(
    "section",
    { class: "list" },
    h("h2", null, title),
    rows.length ? h("ul", null, rows) : h("p", { class: "empty" }, empty),
    below,
  );

/** What was refused, in place. */
export const refusal = (words: string) => (words ? h("p", { class: "notice", role: "alert" }, words) : null);

/** What is filled in or asked before all else; Escape closes it. */
export class Dialog extends Component<{ title: string; close: () => void; children?: Children }> {
  place = createRef<HTMLDialogElement>();

  componentDidMount() {
    this.place.current?.showModal();
  }

  componentWillUnmount() {
    this.place.current?.close(); // the focus goes back to where it was
  }

  render() {
    const { title, close, children } = this.props;
    return h("dialog", { ref: this.place, "aria-label": title, onClose: close }, h("h2", null, title), children);
  }
}
