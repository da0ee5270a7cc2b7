/** The words of the game, each with an address of its own. */
import { h } from "preact";
import { link } from "../../core/look/parts.tsx";
import { language } from "../../core/texts/text.ts";
import { linked } from "./linked.tsx";
import { words } from "./texts/text.ts";

/** term: the key of the one that is looked for; "": none. */
export function Glossary({ term }: { term: string }) {
  const say = words();
  const entries = Object.entries(say.glossary).sort(([, [a]], [, [b]]) => a.localeCompare(b, language));
  return (
    <main class="read">
      <h1>{say.glossaryTitle}</h1>
      <dl class="glossary">
        {entries.map(([key, [name, meaning]]) => (
          <div key={key} class={key === term ? "current" : ""}>
            <dt id={key} tabIndex={-1}>
              {link(`#${key}`, "#", undefined, say.linkTo(name))}
              {name}
            </dt>
            <dd>{linked(meaning)}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}
