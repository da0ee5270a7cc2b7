/** The board in the middle of the lobby: the liveliest public match, or how a game begins. */
import { Component, h } from "preact";
import type { Table } from "../../../../../protocol/tavla.d.ts";
import { Board } from "../../core/board/board.ts";
import { cubeAt, type Picture, STILL } from "../../core/board/picture.ts";
import { stepMs } from "../../core/device/settings.ts";
import { go } from "../../core/look/app.ts";
import { holder, link, versus } from "../../core/look/parts.tsx";
import { start } from "../../core/model/record.ts";
import { hasCube } from "../../core/model/rules.ts";
import { rowsOf } from "../../core/model/scenes.ts";
import type { View } from "../../core/model/view.ts";
import type { Client } from "../../core/net/client.ts";
import { followMatch, leaveMatch } from "../../core/net/matches.ts";
import { text } from "../../core/texts/text.ts";

const AGAIN_MS = 2000;

/** The match to be looked at: the one of now as long as it goes on, else the newest whose players are both there. */
function liveliest(matches: Record<string, Table>, name: string, now: string, refused: Set<string>) {
  const fits = ({ players, spectators, away = [0, 0] }: Table) =>
    spectators !== false && players.every((one) => one && one !== name) && !away.some(Boolean);
  if (matches[now] && !refused.has(now) && fits(matches[now])) return now;
  const found = Object.entries(matches).filter(([id, one]) => !refused.has(id) && fits(one));
  return found.sort(([, a], [, b]) => (b.since ?? 0) - (a.since ?? 0))[0]?.[0] ?? "";
}

export class LiveBoard extends Component<{ client: Client }> {
  wanted = "";
  refused = new Set<string>();
  look = () => this.view && go(`/m/${this.wanted}`);
  board = new Board({ point: this.look });

  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const { client } = this.props;
    const next = liveliest(client.lists.matches, client.name, this.wanted, this.refused);
    if (next !== this.wanted) {
      this.leave();
      this.wanted = next;
      if (next) this.follow(next);
    }
    this.board.layout();
    this.board.show(this.picture(), stepMs());
  }

  /** A tournament tells of a match before it is there: it is asked for again, once; then another one is. */
  follow(match: string, isAgain = false) {
    const { client } = this.props;
    followMatch(client, match)
      .catch(() => {
        if (isAgain) this.refused.add(match);
        else return client.waiters.sleep(AGAIN_MS).then(() => this.wanted === match && this.follow(match, true));
      })
      .then(() => this.setState({}));
  }

  componentWillUnmount() {
    if (location.pathname !== `/m/${this.wanted}`) this.leave();
    this.wanted = "";
  }

  leave() {
    if (this.wanted) leaveMatch(this.props.client, this.wanted);
  }

  get view(): View | undefined {
    const view = this.props.client.matches.get(this.wanted)?.view;
    return view?.game ? view : undefined;
  }

  picture(): Picture {
    const { view } = this;
    const [mine, theirs] = view ? rowsOf(view) : start({ variant: "standard" });
    if (!view) return { ...STILL, cube: { value: 1, place: "middle" }, mine, theirs };
    const { cube, owner, turn, dice, rules } = view;
    return {
      ...STILL,
      mine,
      theirs,
      cube: hasCube(rules) ? cubeAt(0, cube, owner ?? -1, -1) : null,
      dice: dice.map((value) => ({ value, used: false })),
      diceMine: turn === 0,
    };
  }

  render() {
    const { view } = this;
    return (
      <section class="live" aria-label={text.board} onClick={this.look}>
        {holder(this.board, { inert: true })}
        <p class="caption">{view ? link(`/m/${this.wanted}`, text.liveNow(versus(view.players))) : text.opening}</p>
      </section>
    );
  }
}
