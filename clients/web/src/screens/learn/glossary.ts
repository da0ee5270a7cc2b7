/** The words of the game, each with an address of its own. */
import { h } from "preact";
import { words } from "../../texts/learn/text.ts";
import { language } from "../../texts/text.ts";
import { linked } from "./linked.ts";

/** term: the key of the one that is looked for; "": none. */
export function Glossary({ term }: { term: string }) {
  const say = words();
  const entries = Object.entries(say.glossary).sort(([, [a]], [, [b]]) => a.localeCompare(b, language));
  return h(
    "main",
    { class: "read" },
    h("h1", null, say.glossaryTitle),
    h(
      "dl",
      { class: "glossary" },
      entries.map(([key, [name, meaning]]) =>
        h(
          "div",
          { key, class: key === term ? "current" : "" },
          h("dt", { id: key, tabIndex: -1 }, h("a", { href: `#${key}`, "aria-label": say.linkTo(name) }, "#"), name),
          h("dd", null, linked(meaning)),
        ),
      ),
    ),
  );
}
