/** A player's time. It counts down from what the server has last said, by itself: nothing else is drawn anew for it. */
import { Component, h } from "preact";
import { minutes } from "../model/time.ts";
import type { Match } from "../net/match.ts";
import { language, text } from "../texts/text.ts";
import { tip } from "./parts.tsx";

const TICK_MS = 100;

/** The time of the day. @param ms since 1970 */
export const timeOfDay = (ms: number) =>
  new Date(ms).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });

abstract class Ticking<Props> extends Component<Props> {
  timer: number | undefined;

  componentDidMount() {
    this.timer = setInterval(() => this.setState({}), TICK_MS);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }
}

/** The time that is left of a tournament's round. @param ends s since 1970 */
export class RoundTime extends Ticking<{ ends: number }> {
  render() {
    const left = minutes(Math.max(0, 1000 * this.props.ends - Date.now()));
    return (
      <small class="round-time" role="timer" title={tip(text.roundRule)}>
        {text.roundTime(left)}
      </small>
    );
  }
}

export class Clock extends Ticking<{ match: Match; seat: number; online: boolean }> {
  render() {
    const { match, seat, online } = this.props;
    const time = match.time(seat);
    if (!time) return null;
    const state = online ? (time.runs ? "runs" : "") : "stale";
    const shown = time.free > 0 ? `${minutes(time.reserve)} +${Math.ceil(time.free / 1000)}` : minutes(time.reserve);
    return (
      <span class={`clock ${state}`} role="timer" title={tip(text.clock)}>
        {shown}
      </span>
    );
  }
}
