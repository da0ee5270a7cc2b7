/** A board to look at. */
import { Component, createRef, h } from "preact";
import { Board } from "../../board/board.ts";
import type { Picture } from "../../board/picture.ts";
import type { Settings } from "../../device/settings.ts";

const NONE = new Set<number>();
/** What stands on a board on which nothing can be done. */
export const STILL: Omit<Picture, "mine" | "theirs"> = {
  colour: 0,
  dice: [],
  diceMine: true,
  cube: null,
  sources: NONE,
  chosen: null,
  targets: NONE,
  last: [],
  arrows: [],
  cubeText: "",
  canSwap: false,
  past: null,
};

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
