/** What stands above and below every screen: the ways through the page, the player's name, the settings. */

import { h } from "preact";
import { type Settings, settings } from "../device/settings.ts";
import { LANGUAGES, text } from "../texts/text.ts";
import { change, openDialog } from "./app.ts";
import { choice, group } from "./forms.tsx";
import { brand, button, type Children, corner, link, Pop, signButton } from "./parts.tsx";

type Place = keyof typeof text.places;
/** Where each leads, and its sign, drawn in a square of 24. */
const PLACES: Record<Place, [string, string]> = {
  play: [
    "/",
    "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8.5 8.5h.01M15.5 15.5h.01M12 12h.01",
  ],
  watch: [
    "/watch",
    "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  ],
  learn: [
    "/learn",
    "M12 6.5C10 5 7 4.5 3.5 5v13c3.5-.5 6.5 0 8.5 1.5 2-1.5 5-2 8.5-1.5V5c-3.5-.5-6.5 0-8.5 1.5zM12 6.5v13",
  ],
  puzzles: ["/puzzles", "M9.5 17.5a6.5 6.5 0 1 1 5 0V20h-5zM9.5 22.5h5M12 13v4"],
  review: ["/review", "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21M8 10.5h5"],
  tournaments: [
    "/tournaments",
    "M7 4h10v6a5 5 0 0 1-10 0zM7 6H3.5c0 3 1 5 3.8 5M17 6h3.5c0 3-1 5-3.8 5M12 15v4M8 20h8",
  ],
};
/** Addresses beside those, by their first part. */
const ALSO: Record<string, Place> = { position: "review", top: "tournaments" };

/** The place that an address is part of. */
function placeOf(path: string): string | undefined {
  const [, part = ""] = /^\/(\w*)/.exec(path) ?? [];
  if (part === "m") return /\?review/.test(path) ? "review" : undefined;
  return part ? (ALSO[part] ?? part) : "play";
}

const sign = (path: string) => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);

/** entered: the tournament that this browser is in; "" = none. */
type Head = {
  path: string;
  name: string;
  entered: string;
  isMatch: boolean;
};
export function Head({ path, name, entered, isMatch }: Head) {
  const now = placeOf(path);
  const place = (key: Place) => {
    const [at, drawn] = PLACES[key];
    const href = key === "tournaments" && entered && now !== key ? `${at}/${entered}` : at;
    return link(href, [sign(drawn), <span>{text.places[key]}</span>], `to-${key}`, undefined, now === key);
  };
  return (
    <header class="head">
      {link("/", brand(), "brand", text.title)}
      <nav class="places" aria-label={text.allPlaces}>
        {(Object.keys(PLACES) as Place[]).map(place)}
      </nav>
      {button(name || text.logIn, () => openDialog("account"), "quiet name")}
      {isMatch && signButton("?", text.help, () => openDialog("keys"), "quiet")}
      <Pop label={text.settings}>
        <SettingsMenu />
      </Pop>
    </header>
  );
}

/** Whose checkers are light, as a corner of the board shows it. */
const SIDES: Record<string, string[]> = {
  seat: ["mine", "theirs"],
  light: ["mine", "mine", "theirs"],
  dark: ["theirs", "theirs", "mine"],
};

/** Made only while it is open. */
function SettingsMenu() {
  /** A setting whose choices are pictures. */
  const show = (
    name: "board" | "colour",
    label: string,
    options: Record<string, string>,
    drawn: (key: string) => Children,
  ) => (
    <div class="swatches wide" role="radiogroup" aria-label={label}>
      <span>{label}</span>
      {Object.entries(options).map(([value, words]) => (
        <label>
          <input
            type="radio"
            name={name}
            value={value}
            checked={settings[name] === value}
            onChange={() => change({ [name]: value })}
          />
          {drawn(value)}
          {words}
        </label>
      ))}
    </div>
  );
  const pick = (name: keyof Settings, label: string, options: Record<string, string>) =>
    choice(label, String(settings[name]), options, (value) => change({ [name]: value }));
  const languages = Object.fromEntries(Object.entries(LANGUAGES).map(([code, one]) => [code, one.name]));
  return [
    group(text.board),
    show("board", text.boardStyle, text.boards, (key) => corner(key)),
    show("colour", text.colour, text.colours, (key) => corner(undefined, SIDES[key])),
    pick("home", text.direction, { right: text.right, left: text.left }),
    pick("speed", text.speed, text.speeds),
    group(text.play),
    pick("tap", text.tap, text.taps),
    pick("first", text.first, text.autoRolls),
    pick("autoRoll", text.autoRoll, text.autoRolls),
    pick("autoPlay", text.autoPlay, text.autoPlays),
    pick("ways", text.ways, text.sounds),
    group(text.title),
    pick("theme", text.theme, text.themes),
    pick("sound", text.sound, text.sounds),
    pick("tips", text.tips, text.sounds),
    pick("language", text.language, { auto: text.automatic, ...languages }),
  ];
}

/** What is looked for less often. */
export const foot = () => (
  <footer class="foot">
    {link("/top", text.leaders, "quiet")}
    {link("/learn#rules", text.rulesOfAll, "quiet")}
    {link("/position", text.anyPosition, "quiet")}
    {link("/dice", text.serverDice, "quiet")}
    {button(text.help, () => openDialog("keys"), "quiet")}
  </footer>
);
