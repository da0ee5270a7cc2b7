/** A board to look at. */
import { Component, createRef, h } from "preact";
import { Board } from "../../board/board.ts";
import { STILL } from "../../board/picture.ts";
import type { Settings } from "../../device/settings.ts";

type Props = { row: number[]; label: string; settings: Settings };
export class StillBoard extends Component<Props> {
  place = createRef<HTMLDivElement>();
  board = new Board({ point: () => {}, pick: () => false, drop: () => {}, dice: () => {}, touch: () => {} });

  componentDidMount() {
    this.place.current?.append(this.board.root);
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const { row, settings } = this.props;
    this.board.layout(false, settings.home === "left");
    this.board.show({ ...STILL, mine: row, theirs: row }, 0);
  }

  render() {
    const { label } = this.props;
    return h("div", { role: "img", "aria-label": label, class: "still" }, h("div", { inert: true, ref: this.place }));
  }
}
