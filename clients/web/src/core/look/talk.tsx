/** Talk at a match and in the lobby: as text, with phrases, and of whom one would rather hear nothing. */

import { Component, createRef, h } from "preact";
import type { Client } from "../net/client.ts";
import { reason } from "../net/connection.ts";
import type { Match } from "../net/match.ts";
import { hushWatchers, talkAtMatch, type Words } from "../net/matches.ts";
import { ignorePlayer } from "../net/players.ts";
import { lookUp, type Texts, text } from "../texts/text.ts";
import { openDialog } from "./app.ts";
import { timeOfDay } from "./clock.tsx";
import { form, refusal } from "./forms.tsx";
import { button, type Children, player, signButton, tip } from "./parts.tsx";

const MOST = 200; // characters

/** A line. at: when it came, in ms since 1970; 0 = not known. */
export type Line = { name: string; text: string; phrase?: string | null; seat?: number | null; at?: number };
const said = ({ name, text: words, phrase, seat = null, at }: Line, key: string | number) => (
  <li key={key} class={seat === null ? "" : "of-player"}>
    {at ? <time dateTime={new Date(at).toISOString()} data-at={timeOfDay(at)} /> : null}
    {player(name)} <bdi>{(phrase && lookUp(text.phrases, phrase)) ?? words}</bdi>
  </li>
);

const isPhrase = (name: string): name is keyof Texts["phrases"] => name in text.phrases;

/** The lines, a field for our own, and phrases for players who would rather not type. */
export class Talk extends Component<
  {
    lines: [string | number, Line][];
    say: (words: Words) => Promise<unknown>;
    mayTalk: boolean;
    more?: Children;
  },
  { phrases: boolean; fault: string }
> {
  last = ""; // line that was there, and refusal

  state = { phrases: false, fault: "" };
  lines = createRef<HTMLDivElement>();

  componentDidMount() {
    this.componentDidUpdate();
  }

  /** The newest line is in sight, also when a refusal takes its room. */
  componentDidUpdate() {
    const { current } = this.lines;
    const last = `${this.props.lines.at(-1)?.[0]} ${this.state.fault}`;
    if (current && this.last !== last) current.scrollTop = current.scrollHeight;
    this.last = last;
  }

  send(form: HTMLFormElement) {
    const field = form.elements.namedItem("words") as HTMLInputElement;
    const words = field.value.trim();
    field.value = "";
    if (words) this.say({ text: words }, () => (field.value ||= words));
  }

  /** Say something. @param refused what is done then, besides saying why */
  say(words: Words, refused: () => void = () => {}) {
    this.setState({ phrases: false, fault: "" });
    this.props.say(words).catch((error) => {
      refused();
      this.setState({ fault: reason(error) });
    });
  }

  render() {
    const { lines, mayTalk, more } = this.props;
    const { phrases, fault } = this.state;
    return [
      <div class="log" ref={this.lines} tabIndex={0} aria-label={text.chat} role="log">
        <ol>{lines.map(([key, line]) => said(line, key))}</ol>
      </div>,
      mayTalk
        ? form(
            "say",
            (sent) => this.send(sent),
            <input
              name="words"
              maxLength={MOST}
              placeholder={text.sayHere}
              aria-label={text.sayHere}
              autocomplete="off"
            />,
            signButton("☺", text.phrasesOpen, () => this.setState({ phrases: !phrases }), "", {
              "aria-expanded": phrases,
            }),
            <button type="submit" aria-label={text.send} title={tip(text.send)}>
              ➤
            </button>,
          )
        : null,
      refusal(fault),
      mayTalk && phrases ? (
        <div class="phrases" role="group" aria-label={text.phrasesOpen}>
          {Object.keys(text.phrases)
            .filter(isPhrase)
            .map((phrase) => button(text.phrases[phrase], () => this.say({ phrase })))}
          {more}
        </div>
      ) : null,
    ];
  }
}

/** At a match: also who watches, and what one would rather not hear. */
export function MatchTalk({ client, match }: { client: Client; match: Match }) {
  const { seat, view, watching, watchers, said: lines, hush } = match;
  const other = seat === null ? null : view.players[1 - seat];
  const isIgnored = other !== null && client.ignored.has(other);
  const more =
    seat === null || !other
      ? null
      : [
          button(
            isIgnored ? text.hearAgainName(other) : text.muteName(other),
            () => client.showRefusal(ignorePlayer(client, other, !isIgnored)),
            "quiet",
          ),
          button(
            hush ? text.hearWatchers : text.muteWatchers,
            () => client.showRefusal(hushWatchers(client, match, !hush)),
            "quiet",
          ),
          button(text.reportName(other), () => openDialog(`report:${other}`), "quiet"),
        ];
  return (
    <section class="talk" aria-label={text.chat}>
      {watching ? (
        <p class="watchers">
          {text.watchers(watching)}
          {watchers.length ? [": ", watchers.map((name, index) => [index ? ", " : "", player(name)])] : null}
        </p>
      ) : null}
      <Talk
        lines={lines.map((line, index): [number, Line] => [match.saidBefore + index, line])}
        mayTalk={Boolean(client.me?.token)}
        say={(words) => talkAtMatch(client, match, words)}
        more={more}
      />
    </section>
  );
}
