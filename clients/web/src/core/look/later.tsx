/** Parts of a screen whose script is fetched when they are wanted. */

import { Component } from "preact";
import { fetched } from "../device/fetched.ts";
import type { Children } from "./parts.tsx";

/** What a script of its own draws; until that is here, its children. */
export class Later<Part> extends Component<
  { part: () => Promise<Part>; show: (part: Part) => Children; children?: Children },
  { part?: Part }
> {
  componentDidMount() {
    fetched(this.props.part).then((part) => this.setState({ part }));
  }

  render() {
    const { part } = this.state;
    return part ? this.props.show(part) : this.props.children;
  }
}
