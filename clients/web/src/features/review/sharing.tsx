/** What a screen of the review and a shared review have to do with each other. The script of the latter comes when it is wanted. */

import { Component, h } from "preact";
import type { ReviewScene } from "../../../../../protocol/tavla.d.ts";
import type { Board } from "../../core/board/board.ts";
import { Later } from "../../core/look/later.tsx";
import { button, plain } from "../../core/look/parts.tsx";
import type { Client } from "../../core/net/client.ts";
import { text } from "../../core/texts/text.ts";
import type { arrow } from "./arrows.ts";
import type { Opened } from "./files.tsx";
import { words } from "./texts/text.ts";

export type Place = Required<Pick<ReviewScene, "position" | "decision" | "tried" | "steps" | "answer">>;
export const NOWHERE: Place = { position: "", decision: 0, tried: false, steps: [], answer: "" };

/** A shared review, as a screen in it sees it. */
export type Sharing = {
  place: Place; // where all are
  /** The screen is somewhere: it is shown to the others, or is to follow them. */
  meet: (own: Place, enter: (place: Place) => void) => void;
  /** A point was tapped. Returns whether it was to be marked. */
  mark: (point: number) => boolean;
  /** Draw the marks. @param seat at the bottom. @param draws an arrow: it is in the screen's script */
  paint: (board: Board, seat: number, draws: typeof arrow) => void;
};

type Part = typeof import("./together/entry.tsx");
type Props = { wanted: (part: Part) => import("preact").ComponentChildren; asks?: boolean };

/** What the script of shared reviews shows; asks: a button stands there until it is pressed. */
export class WithSharing extends Component<Props, { isWanted: boolean }> {
  state = { isWanted: !this.props.asks };

  render() {
    const { asks, wanted } = this.props;
    const fetch = () => this.setState({ isWanted: true });
    const meanwhile = asks ? button(words().together, fetch, "quiet") : plain(text.loading);
    if (!this.state.isWanted) return meanwhile;
    return (
      <Later part={() => import("./together/entry.tsx")} show={wanted}>
        {meanwhile}
      </Later>
    );
  }
}

/** The button that begins a shared review. @param file the match, where the server has none */
export const shareButton = (client: Client, scene: () => ReviewScene, file?: Opened) => (
  <WithSharing asks wanted={({ Begin }) => <Begin {...{ client, scene, file }} label={words().together} />} />
);
