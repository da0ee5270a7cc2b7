/** A match that is over, reviewed; its dice, and all of this server; positions. Fetched when it is opened. */

import { Component, h } from "preact";
import type { ReviewScene } from "../../../protocol/tavla.d.ts";
import { store } from "./device/store.ts";
import { readSetup } from "./model/setup.ts";
import { NAMES } from "./net/keys.ts";
import styles from "./review.css";
import type { Feature, Shell } from "./screens/feature.ts";
import { Fair } from "./screens/review/fair.ts";
import { Mine } from "./screens/review/mine.ts";
import { Playing } from "./screens/review/playing.ts";
import { numberOf, Review } from "./screens/review/screen.ts";
import { SetUp, START } from "./screens/review/setup.ts";
import { type Sharing, WithSharing } from "./screens/review/sharing.ts";
import { words } from "./texts/review/text.ts";
import { text } from "./texts/text.ts";

/** What the address asks for: a match or a screen, and of a match its dice or its decisions. */
const asked = () => {
  const [, kind, match = ""] = location.pathname.split("/");
  return { kind, match, isMatch: kind === "m", isFair: kind === "dice" || location.search === "?dice" };
};

const TWO = "?two"; // players at this screen

/** One's own reviews; or the shared one whose id stands in the address, where no server is told of it. */
class Reviews extends Component<Pick<Shell, "client" | "settings" | "go" | "open"> & { name: string }> {
  moved = () => this.setState({});

  componentDidMount() {
    addEventListener("hashchange", this.moved);
  }

  componentWillUnmount() {
    removeEventListener("hashchange", this.moved);
  }

  render() {
    const { props } = this;
    const { client, go } = props;
    const [id = ""] = /(?<=^#)[a-z2-7]{16}$/.exec(location.hash) ?? [];
    if (!id) return h(Mine, props);
    const matchOf = ({ match = "", code = "", decision = 0 }: ReviewScene, sharing: Sharing) =>
      match
        ? h(Review, { ...props, key: match, match, code, number: decision, sharing })
        : h(SetUp, { ...props, sharing });
    return h(WithSharing, { wanted: ({ Together }) => h(Together, { key: id, client, go, id, matchOf }) });
  }
}

export const feature: Feature = {
  styles,
  title: () => {
    const { kind, isMatch, isFair } = asked();
    if (isFair) return text.fairDice;
    if (location.search === TWO) return text.twoHere;
    return isMatch || kind === "review" ? words().title : words().setUp;
  },
  screen: ({ client, code, settings, go, open }) => {
    const { kind, match, isMatch, isFair } = asked();
    const name = store.getItem(NAMES) ?? "";
    if (isFair) return h(Fair, { reader: isMatch ? client : null, match, code });
    if (isMatch) return h(Review, { client, match, code, number: numberOf(location.hash), name, settings, go, open });
    if (kind === "review") return h(Reviews, { client, name, settings, go, open });
    const setup = location.search === TWO && readSetup(START);
    if (setup) return h(Playing, { setup, settings, evaluator: null, stop: () => go("/") });
    return h(SetUp, { settings, client, go });
  },
};
