/** A board to look at. */
import { Component, h } from "preact";
import { Board } from "../../core/board/board.ts";
import { STILL } from "../../core/board/picture.ts";
import { holder } from "../../core/look/parts.tsx";

type Props = { row: number[]; label: string };
export class StillBoard extends Component<Props> {
  board = new Board();

  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const { row } = this.props;
    this.board.layout();
    this.board.show({ ...STILL, mine: row, theirs: row }, 0);
  }

  render() {
    const { label } = this.props;
    return (
      <div role="img" aria-label={label} class="still">
        {holder(this.board, { inert: true })}
      </div>
    );
  }
}
