/** What every screen begins with: the notices above it. */
import { h } from "preact";
import { store } from "../device/store.ts";
import type { Client } from "../net/client.ts";
import { text } from "../texts/text.ts";
import { NotKept } from "./kept.ts";
import { banner, button } from "./parts.tsx";

/** Notices that stand above each screen: no connection, a browser that keeps nothing, acts that the ledger does not know, a word of the operators. */
export const notices = (client: Client) => [
  client.online ? null : (
    <p class="offline" role="alert">
      {client.offline}
    </p>
  ),
  store.isKept ? null : <NotKept />,
  ...(["alarm", "told"] as const).map(
    (kind) =>
      client[kind] && (
        <div class={kind}>
          {banner(
            kind,
            client[kind],
            button(text.close, () => client.closeNotice(kind)),
          )}
        </div>
      ),
  ),
];
