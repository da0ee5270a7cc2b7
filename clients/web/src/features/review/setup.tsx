/** A position that a player sets up or pastes: its plays ranked, its cube judged. The address holds it. */

import { h } from "preact";
import { Board, isUpright } from "../../core/board/board.ts";
import { cubeAt, STILL } from "../../core/board/picture.ts";
import { across } from "../../core/board/plan.ts";
import { Evaluator } from "../../core/evaluator/evaluator.ts";
import { choice, field, form, refusal, submit, tick } from "../../core/look/forms.tsx";
import { Hearing } from "../../core/look/hearing.ts";
import { button, CopyButton, holder } from "../../core/look/parts.tsx";
import { type Answer, bestOf, isPlay } from "../../core/model/findings.ts";
import type { Client } from "../../core/net/client.ts";
import { text } from "../../core/texts/text.ts";
import { arrow, drawArrows } from "./arrows.ts";
import { decisionCard } from "./card.tsx";
import { embedButton } from "./embed.tsx";
import { askedIn, carried, changed, faultOf, readSetup, type Setup, xgidOf } from "./model/setup.ts";
import { Playing } from "./playing.tsx";
import { NOWHERE, type Sharing, shareButton } from "./sharing.tsx";
import { words } from "./texts/text.ts";

const LENGTHS = [0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25];
const CUBES = [1, 2, 4, 8, 16, 32, 64];
const numbers = (some: number[]) => Object.fromEntries(some.map((one) => [String(one), String(one)]));

export const START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";

/** chosen: the point whose checker is put elsewhere. */
type State = {
  typed: string;
  setup: Setup | null;
  answer: Answer | null;
  fault: string;
  chosen: number | null;
  isPlaying: boolean;
};
type Props = { client: Client; sharing?: Sharing };
export class SetUp extends Hearing<Props, State> {
  evaluator = new Evaluator();
  board = new Board({
    point: (point) => this.props.sharing?.mark(point) || this.tap(point),
    pick: (point) => {
      this.setState({ chosen: point });
      return true;
    },
    drop: (from, to) => this.carry(from, to),
  });
  state: State = { typed: "", setup: null, answer: null, fault: "", chosen: null, isPlaying: false };
  hears = { resize: () => this.paint(), hashchange: () => this.props.sharing || this.read(this.address) };

  componentDidMount() {
    super.componentDidMount();
    this.read(this.address);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.evaluator.end();
  }

  componentDidUpdate(_: unknown, { isPlaying: wasPlaying }: State) {
    this.paint();
    const { setup } = this.state;
    const own = { ...NOWHERE, position: setup ? xgidOf(setup) : "" };
    if (setup) this.props.sharing?.meet(own, ({ position }) => this.read(position || START));
    if (wasPlaying && !this.state.isPlaying) this.board.focus(this.board.focused);
  }

  get address() {
    const { sharing } = this.props;
    return (sharing ? sharing.place.position : decodeURIComponent(location.hash.slice(1))) || START;
  }

  read(text: string) {
    const setup = readSetup(text);
    if (setup) this.show(setup);
    else this.setState({ typed: text, fault: words().faults[faultOf(text)] });
  }

  /** Show a position, and have it judged. */
  show(setup: Setup) {
    const typed = xgidOf(setup);
    if (!this.props.sharing) history.replaceState(null, "", `#${typed}`);
    this.setState({ setup, typed, answer: null, fault: "", chosen: null });
    const decision = askedIn(setup);
    if (!decision) return;
    this.evaluator.judge(decision).then((answer) => this.state.setup === setup && this.setState({ answer }));
  }

  /** The points on which checkers lie, as the bottom counts. */
  get taken() {
    const [mine, theirs] = this.state.setup?.rows ?? [[], []];
    return new Set(mine.flatMap((count, point) => (count || theirs[across(point)] ? [point] : [])));
  }

  /** A point was tapped: its checker is chosen, or the chosen one goes there. */
  tap(point: number) {
    const { chosen } = this.state;
    if (chosen !== null && chosen !== point) this.carry(chosen, point);
    else this.setState({ chosen: chosen === null && this.taken.has(point) ? point : null });
  }

  carry(from: number, to: number) {
    const { setup } = this.state;
    const changed = setup && carried(setup, from, to);
    if (changed) this.show(changed);
    else this.setState({ chosen: null }, () => this.paint());
  }

  paint() {
    const { setup, answer, chosen } = this.state;
    if (!setup) return;
    const { rows, dice, seat, cube, owner, isOffered, cap } = setup;
    this.board.layout(isUpright());
    this.board.show(
      {
        ...STILL,
        mine: rows[0],
        theirs: rows[1],
        dice: dice.map((value) => ({ value, used: false })),
        diceMine: seat === 0,
        cube: cap > 1 ? cubeAt(0, cube, owner, isOffered ? seat : -1) : null,
        sources: this.taken,
        chosen,
      },
      0,
    );
    const best = answer && isPlay(answer) ? [{ kind: "best", moves: answer.plays[0].moves }] : [];
    drawArrows(this.board, best, seat === 0);
    this.props.sharing?.paint(this.board, 0, arrow);
  }

  /** Choose a die: then both are there, or none. */
  roll(index: number, value: number) {
    const { setup } = this.state;
    if (!setup) return;
    const before = setup.dice.length ? setup.dice : [value, value];
    const dice = value ? before.map((one, place) => (place === index ? value : one)) : [];
    this.show({ ...setup, dice, isOffered: false });
  }

  set(change: Partial<Setup>) {
    const { setup } = this.state;
    if (setup) this.show(changed(setup, change));
  }

  /** What an XGID tells beside board and dice. */
  match({ length, score, cube, owner, isCrawford, isJacoby, beavers, dice, isOffered, seat }: Setup) {
    const say = words();
    const lengths = [...new Set([...LENGTHS, length])].sort((a, b) => a - b);
    const points = [...Array(length).keys()];
    const names = [text.sides.white, text.sides.black];
    const isNear = length > 1 && Math.max(...score) === length - 1;
    return (
      <details>
        <summary>{say.scoreAndCube}</summary>
        <div class="buttons">
          {choice(
            say.match,
            String(length),
            lengths.map((one) => [String(one), text.points(one)]),
            (length) => this.set({ length: Number(length) }),
          )}
          {length > 0 &&
            names.map((name, side) =>
              choice(say.pointsOf(name), String(score[side]), numbers(points), (points) =>
                this.set({ score: score.map((old, one) => (one === side ? Number(points) : old)) as Setup["score"] }),
              ),
            )}
          {choice(say.cube, String(cube), numbers(CUBES), (cube) => this.set({ cube: Number(cube) }))}
          {choice(
            say.cubeOwner,
            String(owner),
            [["-1", text.cubeOwners.middle], ...names.map((name, side): [string, string] => [String(side), name])],
            (owner) => this.set({ owner: Number(owner) }),
          )}
          {!dice.length && owner !== 1 - seat && !isCrawford
            ? tick(say.isOffered, isOffered, (isOffered) => this.set({ isOffered }))
            : null}
          {isNear && owner < 0 ? tick(text.crawford, isCrawford, (isCrawford) => this.set({ isCrawford })) : null}
          {length ? null : tick(say.jacoby, isJacoby, (isJacoby) => this.set({ isJacoby }))}
          {length ? null : tick(say.beavers, beavers, (beavers) => this.set({ beavers }))}
        </div>
      </details>
    );
  }

  render() {
    const { typed, setup, answer, fault, isPlaying } = this.state;
    const say = words();
    const { evaluator } = this;
    const { client, sharing } = this.props;
    const stop = () => this.setState({ isPlaying: false });
    if (setup && isPlaying) return <Playing client={client} setup={setup} evaluator={evaluator} stop={stop} />;
    const decision = setup && askedIn(setup);
    const faces = { 0: say.toRoll, ...numbers([1, 2, 3, 4, 5, 6]) };
    return (
      <main class="review">
        <h1 class="hidden">{say.setUp}</h1>
        <div class="stage">
          {holder(this.board)}
          <p class="legend">{say.carryHelp}</p>
        </div>
        <div class="beside">
          {form(
            "list set",
            () => this.read(typed),
            <h2>{say.setUp}</h2>,
            field(say.setUpHelp, typed, (typed) => this.setState({ typed }), { spellcheck: false }),
            refusal(fault),
            <div class="buttons">
              {[say.firstDie, say.secondDie].map((label, index) =>
                choice(label, String(setup?.dice[index] ?? 0), faces, (value) => this.roll(index, Number(value))),
              )}
              {choice(say.onRoll, String(setup?.seat ?? 0), { 0: text.sides.white, 1: text.sides.black }, (seat) =>
                this.set({ seat: Number(seat), isOffered: false }),
              )}
            </div>,
            setup && this.match(setup),
            <div class="buttons">
              {submit(say.show)}
              {setup && !sharing && button(say.playOn, () => this.setState({ isPlaying: true }))}
              {sharing
                ? null
                : [
                    <CopyButton key={typed} words={say.copyLink} what={() => location.href} />,
                    embedButton(`position/${encodeURIComponent(typed)}`),
                    shareButton(client, () => ({ position: setup ? xgidOf(setup) : START })),
                  ]}
            </div>,
          )}
          {decision
            ? decisionCard({
                decision,
                answer: answer ?? undefined,
                best: answer && bestOf(decision, answer),
                names: [text.sides.white, text.sides.black],
              })
            : setup && <p class="list">{say.noCubeHere}</p>}
        </div>
      </main>
    );
  }
}
