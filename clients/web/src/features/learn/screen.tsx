/** How the game is played: the lesson, the rules of the games, the glossary, and what a table can be set to. */
import { Component, h } from "preact";
import { Board } from "../../core/board/board.ts";
import { STILL } from "../../core/board/picture.ts";
import { Hearing } from "../../core/look/hearing.ts";
import { holder, link, partLink } from "../../core/look/parts.tsx";
import { startRow } from "../../core/model/plays.ts";
import { language } from "../../core/texts/text.ts";
import { Lesson } from "./lesson.tsx";
import { linked } from "./linked.tsx";
import { Options } from "./options.tsx";
import { words } from "./texts/text.ts";

type Props = { row: number[]; label: string };
class StillBoard extends Component<Props> {
  board = new Board();

  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const { row } = this.props;
    this.board.layout();
    this.board.show({ ...STILL, mine: row, theirs: row }, 0);
  }

  render() {
    const { label } = this.props;
    return (
      <div role="img" aria-label={label} class="still">
        {holder(this.board, { inert: true })}
      </div>
    );
  }
}

const RULES = "rules-"; // and a game: its place in this document

/** game: its key among the texts. */
function Rules({ game }: { game: string }) {
  const say = words();
  const { name, about, points, how } = say.games[game];
  const row = startRow({ variant: game }) ?? startRow({}) ?? [];
  return (
    <main class="read">
      <h1>{say.rulesTitle}</h1>
      <nav class="chips" aria-label={say.rulesTitle}>
        {Object.entries(say.games).map(([key, one]) => partLink(`#${RULES}${key}`, one.name, key === game))}
      </nav>
      <article class="game" key={game}>
        <h2 id={`${RULES}${game}`} tabIndex={-1}>
          {name}
        </h2>
        <p class="about">{about}</p>
        <figure>
          <StillBoard row={row} label={say.startOf(name)} />
          <figcaption>{say.startOf(name)}</figcaption>
        </figure>
        <ol class="points">
          {points.map((one) => (
            <li>
              <span>{linked(one)}</span>
            </li>
          ))}
        </ol>
        <p class="how">
          <b>{say.howHere}</b> {how}
        </p>
      </article>
    </main>
  );
}

/** term: the key of the one that is looked for; "": none. */
function Glossary({ term }: { term: string }) {
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
        {Object.entries(say.views).map(([key, name]) => partLink(`#${key}`, name, key === now))}
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
