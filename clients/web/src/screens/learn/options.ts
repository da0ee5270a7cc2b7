/** Every option of a new match, explained. */
import { h } from "preact";
import { HELP } from "../../texts/help/text.ts";
import { words } from "../../texts/learn/text.ts";
import { language, text } from "../../texts/text.ts";

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
    return h("dd", null, meaning, " ", more && h("a", { href: `#${anchor}` }, more));
  };
  return h(
    "main",
    { class: "read" },
    h("h1", null, say.optionsTitle),
    h("p", null, say.optionsText),
    named().map(([key, name, values]) => {
      const each = Object.entries(values);
      return h(
        "section",
        { class: "option", key },
        h("h2", null, name),
        h(
          "dl",
          { class: each.length ? "" : "alone" },
          each.length
            ? each.map(([value, label]) => h("div", null, h("dt", null, label), told(value ? `${key}.${value}` : key)))
            : h("div", null, h("dt", { class: "hidden" }, name), told(key)),
        ),
      );
    }),
  );
}
