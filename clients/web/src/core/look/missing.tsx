/** An address that leads nowhere: why, and what to do about it. */
import { h } from "preact";
import { text } from "../texts/text.ts";
import { go } from "./app.ts";
import { form, labelled, submit } from "./forms.tsx";
import { buttons, link, plain } from "./parts.tsx";

type Props = { missing: string; name: string };

/** The thing that an error calls missing. */
export const missingBy = ({ code, message }: Error & { code?: string }): string =>
  ({ no_such_match: "match", private: "private" })[code ?? ""] ?? message;

/** missing: "page", "private", "match", or what the server says. */
export function Missing({ missing, name }: Props) {
  const enter = (sent: HTMLFormElement) => {
    const code = String(new FormData(sent).get("code")).trim().toLowerCase();
    if (code) go(`/m/${name}#${code}`);
  };
  const known: Record<string, string> = { page: text.noPage, private: text.isPrivate, match: text.notFound };
  return plain(
    known[missing] ?? missing,
    missing === "private"
      ? form(
          "buttons",
          enter,
          labelled(text.code, <input name="code" maxLength={8} autocomplete="off" spellcheck={false} />),
          submit(text.enterCode),
        )
      : null,
    buttons(link("/", text.toLobby, `button ${missing === "private" ? "" : "main"}`)),
  );
}
