/** What every document of the page begins with: the player's settings, and the notices above its screen. */
import { h, render } from "preact";
import { apply, load } from "../device/settings.ts";
import { store } from "../device/store.ts";
import type { Client } from "../net/client.ts";
import { text } from "../texts/text.ts";
import { NotKept } from "./kept.ts";
import { banner, button, type Children, showTips } from "./parts.tsx";

/** The settings of this device, which hold from now on. */
export async function settle() {
  const settings = load();
  await apply(settings);
  showTips(settings.tips === "on");
  return settings;
}

export function mount(page: Children) {
  const place = document.getElementById("app");
  if (place) render(page, place);
}

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
