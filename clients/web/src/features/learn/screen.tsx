/** How the game is played: the lesson, the rules of the games, the glossary, and what a table can be set to. */
import { h } from "preact";
import { Hearing } from "../../core/look/hearing.ts";
import { link } from "../../core/look/parts.tsx";
import { Glossary } from "./glossary.tsx";
import { Lesson } from "./lesson.tsx";
import { Options } from "./options.tsx";
import { RULES, Rules } from "./rules.tsx";
import { words } from "./texts/text.ts";

type View = "lesson" | "rules" | "glossary" | "options";
const addressed = () => location.hash.slice(1);
/** The part that an address behind `#` names. */
export function viewAt(at = addressed()): View {
  if (at === "rules" || Object.hasOwn(words().games, at.replace(RULES, ""))) return "rules";
  if (at === "options") return "options";
  return at === "glossary" || Object.hasOwn(words().glossary, at) ? "glossary" : "lesson";
}

export class Learn extends Hearing<object, { at: string }> {
  state = { at: addressed() };
  hears = { hashchange: () => this.setState({ at: addressed() }, this.find) };

  componentDidMount() {
    super.componentDidMount();
    this.find();
  }

  /** Bring the entry that was asked for into sight, and read it aloud. */
  find = () => {
    const { at } = this.state;
    const found = document.getElementById(at);
    found?.focus({ preventScroll: true });
    if (found && viewAt(at) === "glossary") found.scrollIntoView({ block: "center" });
    else scrollTo(0, 0);
  };

  render() {
    const say = words();
    const now = viewAt(this.state.at);
    return [
      <nav class="views" aria-label={say.view}>
        {Object.entries(say.views).map(([key, name]) => link(`#${key}`, name, "", undefined, key === now))}
      </nav>,
      this.shown(now),
    ];
  }

  shown(key: View) {
    const { at } = this.state;
    if (key === "rules") return <Rules key={key} game={at.replace(RULES, "").replace("rules", "standard")} />;
    if (key === "glossary") return <Glossary key={key} term={at} />;
    if (key === "options") return <Options key={key} />;
    return <Lesson key={key} />;
  }
}
