/**
 * Every sentence that the page shows, in the language of the browser or of the player's choice. All of them stand in
 * `texts/`.
 */

import type { Sanctioned } from "../../../../../protocol/tavla.d.ts";
import { fetched } from "../device/fetched.ts";
import { en } from "./en.ts";

export type Texts = typeof en;
/** texts: as soon as they are here. read: fetches them. */
export type Language = { name: string; dir: "ltr" | "rtl"; texts?: Texts; read?: () => Promise<Texts> };

/** By their codes in BCP 47, each with the name that it has itself. */
export const LANGUAGES: Record<string, Language> = {
  en: { name: "English", dir: "ltr", texts: en },
  tr: { name: "Türkçe", dir: "ltr", read: () => import("./tr.ts").then(({ tr }) => tr) },
};

/** The code of the language that is spoken now. */
export let language = "en";
export let text = en;

/** Facts side by side; those that are none are left out. */
export const dotted = (...facts: unknown[]) => facts.filter(Boolean).join(" · ");

/** The text of a key that may be of a later version. */
export const lookUp = (names: Record<string, string>, key: string): string | undefined => names[key];

/**
 * Speak a language from now on: "auto" is the first of the browser's that we have; if there is none, English.
 * @param browsers such as "tr-TR"
 */
export async function speak(wanted: string, browsers: readonly string[]) {
  const known = [wanted, ...browsers.map((one) => one.split("-")[0].toLowerCase()), "en"];
  const code = known.find((one) => Object.hasOwn(LANGUAGES, one)) as string;
  const found = LANGUAGES[code];
  if (!found.texts) found.texts = await found.read?.(); // what is here is spoken at once
  if (!found.texts) return;
  language = code;
  text = found.texts;
}

let all: Promise<Record<string, { refusals: Texts["refusals"] }>> | undefined;
/** Explanations and refusals, by language: fetched when they are wanted. */
export const fetchAll = () => {
  all ??= fetched(() => fetch("/help.json").then((answer) => answer.json()));
  return all;
};

/** Refusals in the language that is spoken: they come after the page, and are said in English until then. */
export const fetchRefusals = () =>
  language === "en" || fetchAll().then((all) => Object.assign(text.refusals, all[language].refusals));

/**
 * A sentence of the server in the page's language, where it also comes in parts or with a known code; else in English.
 */
export const said = ({
  text: sentence,
  code = "",
  sanction,
}: {
  text: string;
  code?: string;
  sanction?: Sanctioned | null;
}) => {
  if (!sanction) return Object.hasOwn(text.refusals, code) ? text.refusals[code] : sentence;
  const until = sanction.until
    ? new Date(sanction.until).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })
    : "";
  return text.sanctions[sanction.what](until, sanction.reason, sanction.contact || text.askOperator);
};
