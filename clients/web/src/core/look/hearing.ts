/** Events of the window, for as long as a component is on the screen. */

import { Component } from "preact";

type Hears = { [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => unknown };

/** A component with what it does at each event of the window. */
export abstract class Hearing<Props = object, State = object> extends Component<Props, State> {
  abstract hears: Hears;

  componentDidMount() {
    for (const [name, does] of Object.entries(this.hears)) addEventListener(name, does as EventListener);
  }

  componentWillUnmount() {
    for (const [name, does] of Object.entries(this.hears)) removeEventListener(name, does as EventListener);
  }
}
