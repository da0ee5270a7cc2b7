/** A match that is over, reviewed; its dice, and all of this server; positions. Fetched when it is opened. */

import { h } from "preact";
import type { ReviewScene } from "../../../../../protocol/tavla.d.ts";
import { browser, serverUrl } from "../../core/device/browser.ts";
import { Store, store } from "../../core/device/store.ts";
import { go } from "../../core/look/app.ts";
import type { Feature } from "../../core/look/feature.ts";
import { Hearing } from "../../core/look/hearing.ts";
import { Later } from "../../core/look/later.tsx";
import { Client } from "../../core/net/client.ts";
import { NAMES } from "../../core/net/keys.ts";
import { text } from "../../core/texts/text.ts";
import { Embed } from "./embed.tsx";
import { Fair } from "./fair.tsx";
import type { Opened } from "./files.tsx";
import { Mine } from "./mine.tsx";
import { matchOf } from "./model/playing.ts";
import { readSetup } from "./model/setup.ts";
import { Playing } from "./playing.tsx";
import styles from "./review.css";
import { numberOf, Review } from "./screen.tsx";
import { SetUp, START } from "./setup.tsx";
import { type Sharing, WithSharing } from "./sharing.tsx";
import { words } from "./texts/text.ts";

/** What the address asks for: a match or a screen, and of a match its dice or its decisions. */
const asked = () => {
  const [, kind, match = ""] = location.pathname.split("/");
  return { kind, match, isMatch: kind === "m", isFair: kind === "dice" || location.search === "?dice" };
};

const isEmbed = () => location.pathname.startsWith("/embed/");

/** Who looks at it in a page of another site is nobody here: nothing that this browser keeps is read. */
const onlooker = (changed: () => void) => {
  const nothing = new Store(() => {
    throw new Error();
  });
  return new Client(serverUrl(), nothing, browser, changed);
};

const TWO = /^\?two=(\d{1,2})$/; // players at this screen, and to how many points

/** One's own reviews; or the shared one whose id stands in the address, where no server is told of it. */
class Reviews extends Hearing<{ client: Client; name: string }> {
  hears = { hashchange: () => this.setState({}) };

  render() {
    const { props } = this;
    const { client } = props;
    const [file = ""] = /(?<=^#file-)[a-z2-7]{16}/.exec(location.hash) ?? [];
    const reviewed = (file: Opened) => (
      <Review {...props} match="" code="" number={numberOf(location.hash)} file={file} />
    );
    if (file)
      return (
        <Later
          key={file}
          part={() => import("./collection.tsx")}
          show={({ WithCollected }) => <WithCollected key={file} client={client} id={file} show={reviewed} />}
        />
      );
    const [id = ""] = /(?<=^#)[a-z2-7]{16}$/.exec(location.hash) ?? [];
    if (!id) return h(Mine, props);
    const matchOf = ({ match = "", code = "", decision = 0 }: ReviewScene, sharing: Sharing, file?: Opened) =>
      match || file ? (
        <Review {...props} key={match} match={match} code={code} number={decision} sharing={sharing} file={file} />
      ) : (
        <SetUp {...props} sharing={sharing} />
      );
    return <WithSharing wanted={({ Together }) => <Together key={id} client={client} id={id} matchOf={matchOf} />} />;
  }
}

export const feature: Feature = {
  styles,
  get alone() {
    return isEmbed();
  },
  get connect() {
    return isEmbed() ? onlooker : undefined;
  },
  title: () => {
    const { kind, isMatch, isFair } = asked();
    if (isFair) return text.fairDice;
    if (TWO.test(location.search)) return text.twoHere;
    return isMatch || kind === "review" ? words().title : words().setUp;
  },
  screen: ({ client, code }) => {
    if (isEmbed()) {
      const [, , what, name] = location.pathname.split("/").map(decodeURIComponent);
      return <Embed client={client} what={what} name={name} code={code} number={numberOf(location.hash)} />;
    }
    const { kind, match, isMatch, isFair } = asked();
    const name = store.getItem(NAMES) ?? "";
    if (isFair) return <Fair reader={isMatch ? client : null} match={match} code={code} />;
    if (isMatch)
      return <Review client={client} match={match} code={code} number={numberOf(location.hash)} name={name} />;
    if (kind === "review") return <Reviews client={client} name={name} />;
    const [, points] = TWO.exec(location.search) ?? [];
    const setup = points && readSetup(START);
    const stop = () => go("/");
    if (setup) return <Playing client={client} setup={matchOf(setup, Number(points))} evaluator={null} stop={stop} />;
    return <SetUp client={client} />;
  },
};
