/** The third document: the lesson, the rules of the games, the glossary, and what a table can be set to. */
import { Component, h } from "preact";
import { type Settings, save } from "../../device/settings.ts";
import { words } from "../../texts/learn/text.ts";
import { LANGUAGES, language, text } from "../../texts/text.ts";
import { KeysDialog } from "../keys.ts";
import { homeLink } from "../parts.ts";
import { Glossary } from "./glossary.ts";
import { Lesson } from "./lesson.ts";
import { Options } from "./options.ts";
import { RULES, Rules } from "./rules.ts";

type Props = { settings: Settings };
export class Learn extends Component<Props, { at: string; settings: Settings; keys: boolean }> {
  state = { at: location.hash.slice(1), settings: this.props.settings, keys: false };
  moved = () => this.setState({ at: location.hash.slice(1) }, this.find);

  componentDidMount() {
    addEventListener("hashchange", this.moved);
    this.name();
    this.find();
  }

  componentDidUpdate() {
    this.name();
  }

  /** Bring the entry that was asked for into sight, and read it aloud. */
  find = () => {
    const found = document.getElementById(this.state.at);
    found?.focus({ preventScroll: true });
    if (found && this.view === "glossary") found.scrollIntoView({ block: "center" });
    else scrollTo(0, 0);
  };

  name() {
    document.title = `${words().views[this.view]} · ${words().title} · ${text.title}`;
  }

  get view(): "lesson" | "rules" | "glossary" | "options" {
    const { at } = this.state;
    if (at === "rules" || Object.hasOwn(words().games, at.replace(RULES, ""))) return "rules";
    if (at === "options") return "options";
    return at === "glossary" || Object.hasOwn(words().glossary, at) ? "glossary" : "lesson";
  }

  speak(language: string) {
    const settings = { ...this.state.settings, language };
    save(settings);
    this.setState({ settings });
  }

  render() {
    return [
      this.head(),
      this.shown(),
      this.state.keys && h(KeysDialog, { close: () => this.setState({ keys: false }) }),
    ];
  }

  shown() {
    const { at, settings } = this.state;
    const key = `${this.view} ${language}`;
    if (this.view === "rules")
      return h(Rules, { key, game: at.replace(RULES, "").replace("rules", "standard"), settings });
    if (this.view === "glossary") return h(Glossary, { key, term: at });
    if (this.view === "options") return h(Options, { key });
    return h(Lesson, { key, settings, showKeys: () => this.setState({ keys: true }) });
  }

  head() {
    const say = words();
    const other = Object.keys(LANGUAGES).find((code) => code !== language) ?? language;
    return h(
      "header",
      { class: "head" },
      homeLink(),
      h(
        "nav",
        { class: "views", "aria-label": say.view },
        Object.entries(say.views).map(([key, name]) =>
          h("a", { href: `#${key}`, "aria-current": key === this.view ? "page" : undefined }, name),
        ),
      ),
      h(
        "button",
        { type: "button", class: "quiet", lang: other, onClick: () => this.speak(other) },
        h("span", { class: "hidden" }, say.otherLanguage),
        h("span", { "aria-hidden": "true" }, other.toUpperCase()),
      ),
    );
  }
}
