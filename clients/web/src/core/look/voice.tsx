/**
 * Lines for a screen reader: they are only added to, so that each is read once and in order. Old ones go.
 */
import { h } from "preact";

const KEPT = 12; // lines

export class Voice {
  changed: () => void;
  lines: [number, string][] = [];
  count = 0;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  say(words: string) {
    if (!words) return;
    const line: [number, string] = [this.count++, words];
    this.lines = [...this.lines, line].slice(-KEPT);
    this.changed();
  }

  drawn() {
    const lines = this.lines.map(([key, words]) => <p key={key}>{words}</p>);
    return (
      <div class="hidden" role="log" aria-live="polite" aria-relevant="additions">
        {lines}
      </div>
    );
  }
}
