/** A player's time. It counts down from what the server has last said, by itself: nothing else is drawn anew for it. */
import { Component, h } from "preact";
import type { Match } from "../net/match.ts";
import { text } from "../texts/text.ts";
import { tip } from "./parts.ts";

const TICK_MS = 100;

export const minutes = (ms: number) =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1000)).padStart(2, "0")}`;

export class Clock extends Component<{ match: Match; seat: number; online: boolean }> {
  timer: number | undefined;

  componentDidMount() {
    this.timer = setInterval(() => this.setState({}), TICK_MS);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  render() {
    const { match, seat, online } = this.props;
    const time = match.time(seat);
    if (!time) return null;
    const state = online ? (time.runs ? "runs" : "") : "stale";
    const shown = time.free > 0 ? `${minutes(time.reserve)} +${Math.ceil(time.free / 1000)}` : minutes(time.reserve);
    return h("span", { class: `clock ${state}`, role: "timer", title: tip(text.clock) }, shown);
  }
}
