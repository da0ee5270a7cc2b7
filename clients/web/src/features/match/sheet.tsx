/** The moves of the game beside the board: numbered, one column for each player, in the numbering of who moved. */
import { Component, createRef, h } from "preact";
import { table } from "../../core/look/parts.tsx";
import { type Entry, sheet } from "../../core/model/moves.ts";
import { mirrored } from "../../core/model/notation.ts";
import { highFirst } from "../../core/model/plays.ts";
import { text } from "../../core/texts/text.ts";

const words = ({ what, words: play, value }: Entry) =>
  what === "moved" ? play || text.noMove : (text.cubeMoves[what] ?? String)(value);

/** isTheirs: read aloud in the numbering of who listens, as the voice does. */
const cell = (one: Entry | null, isTheirs: boolean) => (
  <td aria-label={one?.words && isTheirs ? `${one.dice.join("")} ${mirrored(one.words)}` : undefined}>
    {one && [one.dice.length ? <b>{highFirst(one.dice).join("")}</b> : null, " ", words(one)]}
  </td>
);

type Props = { moves: Entry[]; players: string[]; game: number; own: number };
export class Sheet extends Component<Props> {
  place = createRef<HTMLDivElement>();
  count = 0;

  componentDidMount() {
    this.componentDidUpdate();
  }

  /** A tap on the board changes nothing here. */
  shouldComponentUpdate({ moves, players, game, own }: Props) {
    const { props } = this;
    return moves !== props.moves || game !== props.game || own !== props.own || `${players}` !== `${props.players}`;
  }

  /** The newest move is in sight. */
  componentDidUpdate() {
    const { current } = this.place;
    if (current && this.count !== this.props.moves.length) current.scrollTop = current.scrollHeight;
    this.count = this.props.moves.length;
  }

  render() {
    const { moves, players, game, own } = this.props;
    return (
      <div class="sheet" ref={this.place} tabIndex={0} role="region" aria-label={text.movesOf(game)}>
        {table(
          ["#", ...players],
          sheet(moves).map(([left, right = null], index) => (
            <tr key={index}>
              <td>{index + 1}</td>
              {cell(left, own === 1)}
              {cell(right, own === 0)}
            </tr>
          )),
        )}
      </div>
    );
  }
}
