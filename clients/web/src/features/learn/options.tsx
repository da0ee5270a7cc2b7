/** Every option of a new match, explained. */
import { h } from "preact";
import { link } from "../../core/look/parts.tsx";
import { HELP } from "../../core/texts/help/text.ts";
import { language, text } from "../../core/texts/text.ts";
import { words } from "./texts/text.ts";

/** Labels of the options, and of values that need one. */
const named = (): [string, string, Record<string, string>][] => [
  ["against", text.against, { table: text.anyone, computer: text.theComputer, quick: text.quickMatch }],
  ["level", text.level, {}],
  ["name", text.tableName, {}],
  ["preset", text.rules, text.presets],
  ["length", text.length, { "": text.points(7), 0: text.points(0) }],
  ["clock", text.clock, text.clockNames],
  ["variant", text.variant, text.variants],
  ["side", text.side, {}],
  ["cube", text.withCube, {}],
  ["hints", text.hints, {}],
  ["rated", text.rated, {}],
  ["isPrivate", text.privateTable, {}],
  ["watched", text.mayBeWatched, {}],
];

export function Options() {
  const say = words();
  const told = (key: string) => {
    const [meaning, anchor] = HELP[language].options[key];
    const { glossary, games } = say;
    const more = glossary[anchor]?.[0] ?? games[anchor.replace("rules-", "")]?.name;
    return (
      <dd>
        {meaning} {more && link(`#${anchor}`, more)}
      </dd>
    );
  };
  return (
    <main class="read">
      <h1>{say.optionsTitle}</h1>
      <p>{say.optionsText}</p>
      {named().map(([key, name, values]) => {
        const isAlone = !Object.keys(values).length;
        return (
          <section class="option" key={key}>
            <h2>{name}</h2>
            <dl class={isAlone ? "alone" : ""}>
              {Object.entries(isAlone ? { "": name } : values).map(([value, label]) => (
                <div>
                  <dt class={isAlone ? "hidden" : undefined}>{label}</dt>
                  {told(value ? `${key}.${value}` : key)}
                </div>
              ))}
            </dl>
          </section>
        );
      })}
    </main>
  );
}
