/** Pieces that several screens draw alike. */
import { Component, createRef, h } from "preact";

/** @typedef {import("preact").ComponentChildren} Children */

/** @param {Children} words @param {() => void} does @param {string} [kind] @param {boolean} [disabled] */
export const button = (words, does, kind = "", disabled = false) =>
  h("button", { type: "button", class: kind, onClick: does, disabled }, words);

/** @param {string} label @param {Children} field */
export const labelled = (label, field) => h("label", null, label, field);

/** @param {string} value @param {Record<string, string> | [string, string][]} options what is said of each value @param {(value: string) => void} choose @param {Record<string, unknown>} [more] */
export const select = (value, options, choose, more = {}) =>
  h("select", { ...more, value, onChange: (/** @type {any} */ event) => choose(event.target.value) },
    (Array.isArray(options) ? options : Object.entries(options)).map(([key, label]) => h("option", { value: key, selected: key === value }, label)));

/** @param {string} label @param {boolean} on @param {(on: boolean) => void} choose */
export const tick = (label, on, choose) =>
  h("label", { class: "tick" }, h("input", { type: "checkbox", checked: on, onChange: (/** @type {any} */ event) => choose(event.target.checked) }), label);

/** A link to another screen of the page. @param {string} path @param {(path: string) => void} go @param {Children} words @param {string} [kind] */
export const link = (path, go, words, kind = "") =>
  h("a", {
    href: path, class: kind,
    onClick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a window of its own
      event.preventDefault();
      go(path);
    },
  }, words);

/** A list with its heading; what is said when it is empty. @param {string} title @param {Children[]} rows @param {string} [empty] @param {Children} [below] */
export const list = (title, rows, empty = "", below = null) =>
  h("section", { class: "list" }, h("h2", null, title), rows.length ? h("ul", null, rows) : h("p", { class: "empty" }, empty), below);

/** What was refused, in place. @param {string} words */
export const refusal = (words) => (words ? h("p", { class: "notice", role: "alert" }, words) : null);

/**
 * What is filled in or asked before all else; Escape closes it.
 * @extends {Component<{title: string, close: () => void, children?: Children}>}
 */
export class Dialog extends Component {
  place = createRef();

  componentDidMount() {
    this.place.current.showModal();
  }

  componentWillUnmount() {
    this.place.current.close(); // the focus goes back to where it was
  }

  render() {
    const { title, close, children } = this.props;
    return h("dialog", { ref: this.place, "aria-label": title, onClose: close }, h("h2", null, title), children);
  }
}
