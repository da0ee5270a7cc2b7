/**
 * What a screen reader is told: lines that are only added to, so that each is read once and in order. Old ones go.
 */
import { h } from "preact";

const KEPT = 12; // lines

export class Voice {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {[number, string][]} */
    this.lines = [];
    this.count = 0;
  }

  /** @param {string} words */
  say(words) {
    if (!words) return;
    this.lines = [...this.lines, /** @type {[number, string]} */ ([this.count++, words])].slice(-KEPT);
    this.changed();
  }

  drawn() {
    const lines = this.lines.map(([key, words]) => h("p", { key }, words));
    return h("div", { class: "hidden", role: "log", "aria-live": "polite", "aria-relevant": "additions" }, lines);
  }
}
