/** Positions to be solved: one plays, and it answers. How many were right in a row stays in this browser. */

import { h } from "preact";
import type { Puzzle } from "../../../../../protocol/tavla.d.ts";
import { isUpright } from "../../core/board/board.ts";
import { stepMs } from "../../core/device/settings.ts";
import { store } from "../../core/device/store.ts";
import { Evaluator } from "../../core/evaluator/evaluator.ts";
import { choice } from "../../core/look/forms.tsx";
import { Hearing } from "../../core/look/hearing.ts";
import { button, buttons, holder, link, mainLink } from "../../core/look/parts.tsx";
import type { Decision } from "../../core/model/decisions.ts";
import { markOf } from "../../core/model/findings.ts";
import { answerOf } from "../../core/model/judgement.ts";
import type { Fields } from "../../core/net/connection.ts";
import { askPatiently, type Reader } from "../../core/net/verdicts.ts";
import { text } from "../../core/texts/text.ts";
import { showDecision, TrialBar, trialBoard, trialLine } from "../review/asking.tsx";
import { decisionCard, deed, openCard } from "../review/card.tsx";
import { Judging } from "../review/judging.ts";
import { cost } from "../review/numbers.ts";
import { words } from "../review/texts/text.ts";
import { beginTrial, type Trial } from "../review/trying.ts";
import { CLASSICS } from "./model/classics.ts";
import { after, asks, due, NONE } from "./model/streak.ts";
import { ownProblems, type Problem, problemAt, told } from "./problems.ts";

const KEPT = "tavla.puzzles";
const OWN = "#mine";
const CLASSIC = "#classic";
const OTHERS = "#themes";
const DAY_MS = 86_400_000;
const today = () => Math.floor(Date.now() / DAY_MS);

/** The kind that the address asks for. */
const kindNow = (): Problem["kind"] =>
  location.hash === OWN ? "own" : location.hash === CLASSIC ? "classic" : location.hash === OTHERS ? "others" : "daily";
/** Whether the server has it, and tells what was best once one has answered. */
const isServers = ({ kind }: Problem) => kind === "daily" || kind === "others";

/** name: ours, "" = none yet. */
type Props = { reader: Reader; name: string };
/** asked, told: of the server's puzzle, before an answer and after. why: there is another one than was asked for, or none. */
const begin = () => ({
  problem: null as Problem | null,
  trial: null as Trial | null,
  theme: "" as Asked["theme"],
  level: "" as Asked["level"],
  asked: null as Puzzle | null,
  told: null as Puzzle | null,
  streak: { ...NONE, ...store.read(KEPT, NONE) },
  why: "",
});
type Asked = Required<Fields<"solve">>;
type State = ReturnType<typeof begin>;
export class Puzzles extends Hearing<Props, State> {
  evaluator = new Evaluator();
  own: AsyncGenerator<Problem, void> | null = null;
  board = trialBoard(this);
  judge = (decisions: Decision[]) => new Judging(decisions, () => this.setState({}), this.evaluator);
  hears = { resize: () => this.paint(0), hashchange: () => this.begin() };
  state = begin();

  componentDidMount() {
    super.componentDidMount();
    this.board.layout(isUpright());
    this.begin();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.evaluator.end();
  }

  componentDidUpdate() {
    this.paint(stepMs());
    this.count();
  }

  begin() {
    const kind = kindNow();
    this.setState({ problem: null, trial: null, why: "" });
    this.next(kind).catch((error) => kindNow() === kind && this.setState({ why: error.message }));
  }

  /** The next one of a kind. */
  async next(kind: Problem["kind"]) {
    if (kind === "own") await this.nextOwn();
    else if (kind === "daily") await this.daily();
    else if (kind === "others") await this.others();
    else this.show(this.classic(), "");
  }

  async daily() {
    const { reader } = this.props;
    const { day, xgid = "" } = await askPatiently(reader, () => reader.connection.ask("daily", {}));
    if (kindNow() === "daily") this.show(problemAt("daily", day, xgid, this.judge), words().noDaily);
  }

  async others() {
    const { theme, level } = this.state;
    const { reader } = this.props;
    const asked = await askPatiently(reader, () => reader.connection.ask("solve", { theme, level }));
    const { puzzle = "", xgid = "" } = asked;
    if (kindNow() !== "others") return;
    this.show(problemAt("others", puzzle, xgid, this.judge), words().noOthers);
    this.setState({ asked });
  }

  /** The next mistake of ours that was not asked yet. */
  async nextOwn() {
    const { reader, name } = this.props;
    this.setState({ problem: null, trial: null });
    this.own ??= ownProblems(reader, name, due(this.state.streak, today()), this.judge);
    let next = name ? await this.own.next() : null;
    while (next?.value && !this.asks(next.value.key)) next = await this.own.next();
    if (kindNow() === "own") this.show(next?.value ?? null, words().noneOwn);
  }

  asks = (key: string) => asks(this.state.streak, key, today());

  /** The first one that was not answered; when all were, the one after that of now. */
  classic() {
    const { problem } = this.state;
    const now = CLASSICS.indexOf(problem?.key ?? "");
    const xgid = CLASSICS.find(this.asks) ?? CLASSICS[(now + 1) % CLASSICS.length];
    return problemAt("classic", xgid, xgid, this.judge);
  }

  /** @param none said where there is no such problem: then there is a classic one */
  show(found: Problem | null, none: string) {
    const problem = found ?? this.classic();
    if (!problem) return;
    const { judging, place } = problem;
    const why = [found ? "" : none, this.asks(problem.key) ? "" : words().wasAnswered];
    const begun = { asked: null, told: null, trial: beginTrial(judging.decisions[place]) };
    this.setState({ ...begun, problem, why: why.filter(Boolean).join(" ") });
    judging.ask(place);
  }

  // --- the answer ---

  set = (trial: Trial) => {
    const { problem } = this.state;
    this.setState({ trial });
    if (trial.answer && problem && isServers(problem) && !problem.review) this.choose(problem, trial.answer);
  };

  /** Tell the server what was chosen; it answers what was best. */
  choose(problem: Problem, { done, words: play }: NonNullable<Trial["answer"]>) {
    const { reader } = this.props;
    const { what } = problem.judging.decisions[problem.place];
    const choice = what === "play" ? play : done ? what : what === "take" ? "drop" : `no ${what}`;
    const ask = () =>
      problem.kind === "daily"
        ? reader.connection.ask("daily", { choice })
        : reader.connection.ask("solve", { puzzle: problem.key, choice });
    askPatiently(reader, ask).then(
      (answer) => this.setState({ problem: told(problem, answer), told: answer }),
      (error) => this.setState({ why: error.message }),
    );
  }

  /** The first answer counts, once it is known what it was worth. */
  count() {
    const { problem, trial, streak, told } = this.state;
    if (!problem || !trial?.answer || (isServers(problem) && !problem.review)) return;
    if (!this.asks(problem.key)) return;
    const { finding } = problem.judging.cost(problem.place, trial.answer);
    if (!finding) return;
    const isRight = told?.right ?? !markOf(finding);
    const now = after(streak, problem.key, isRight, today(), problem.kind === "own");
    store.setItem(KEPT, JSON.stringify(now));
    this.setState({ streak: now });
  }

  get decision() {
    const { problem } = this.state;
    return problem?.judging.decisions[problem.place];
  }

  // --- what is drawn ---

  paint(duration: number) {
    const { decision } = this;
    const { problem, trial } = this.state;
    if (!decision || !problem) return;
    const { judging, place, hasCube } = problem;
    const shown = { decision, trial, seat: decision.seat, hasCube, best: judging.best(place) };
    showDecision(this.board, shown, duration);
  }

  render() {
    const say = words();
    const { problem, trial, streak, why } = this.state;
    const kind = kindNow();
    const view = (hash: string, label: string, leadsTo: Problem["kind"]) =>
      link(hash, label, "", undefined, kind === leadsTo);
    return (
      <main class="review puzzles">
        <h1 class="hidden">{text.places.puzzles}</h1>
        <div class="stage">
          {holder(this.board)}
          {problem && trial ? this.asked(problem, trial) : why ? null : <div class="stepper trial" />}
        </div>
        <div class="beside">
          <nav class="views" aria-label={text.places.puzzles}>
            {[
              view("#daily", say.daily, "daily"),
              view(OTHERS, say.others, "others"),
              view(OWN, say.own, "own"),
              view(CLASSIC, say.classics, "classic"),
            ]}
          </nav>
          {kind === "others" && this.choosing()}
          {why ? (
            <p class={problem ? "aside" : "list"} role="status">
              {why}
            </p>
          ) : problem ? null : (
            <p class="list" role="status">
              {kind === "own" ? say.searching : say.loadingPuzzle}
            </p>
          )}
          {problem && trial && this.card(problem, trial)}
          <p class="streak">
            {say.streak(streak.right)}
            {this.ratings()}
          </p>
        </div>
      </main>
    );
  }

  /** What the puzzles of others are to be about. */
  choosing() {
    const say = words();
    const { theme, level } = this.state;
    const set = (more: Partial<Asked>) => this.setState(more, () => this.begin());
    return (
      <form class="choosing">
        {choice(say.theme, theme, say.themes, (one) => set({ theme: one as Asked["theme"] }))}
        {choice(text.level, level, say.levels, (one) => set({ level: one as Asked["level"] }))}
      </form>
    );
  }

  /** Of the puzzle, and our own. */
  ratings() {
    const say = words();
    const { asked, told } = this.state;
    const own = (told ?? asked)?.own;
    const rating = asked?.rating;
    return [rating && ` · ${say.puzzleRated(rating)}`, own && ` · ${say.ownRating(own[0], own[1])}`];
  }

  asked({ kind, judging, place }: Problem, trial: Trial) {
    const say = words();
    const decision = judging.decisions[place];
    const next = () => this.next(kindNow()).catch((error) => this.setState({ why: error.message }));
    const on = kind === "daily" ? mainLink(OWN, say.own) : button(say.nextPuzzle, next, "main");
    return [
      <TrialBar board={this.board} decision={decision} trial={trial} set={this.set} back={null} after={on} />,
      trialLine(decision, trial, judging, place),
    ];
  }

  card(problem: Problem, trial: Trial) {
    const { judging, place, names, review } = problem;
    const back = this.state.streak.again[problem.key];
    const say = words();
    const decision = judging.decisions[place];
    if (!trial.answer) return openCard(decision, names);
    const isPlayed = review !== "";
    const finding = isPlayed ? judging.cost(place, decision).finding : null;
    return [
      decisionCard({
        decision: { ...decision, ...trial.answer },
        answer: judging.answers.get(place),
        best: judging.best(place),
        names,
      }),
      finding && <p class="aside">{say.wasPlayed(deed(decision), cost(finding.loss))}</p>,
      back && <p class="aside">{say.comesBack(back[1] - today())}</p>,
      this.choices(problem),
      isPlayed && buttons(link(review, say.fromMatch, "quiet")),
    ];
  }

  /** Choices of today, the most frequent first. */
  choices({ judging, place }: Problem) {
    const chosen = this.state.told?.choices ?? {};
    const say = words();
    const decision = judging.decisions[place];
    const rows = Object.entries(chosen).filter(([done]) => answerOf(decision, done)); // others are no plays
    const all = rows.reduce((sum, [, count]) => sum + count, 0);
    return rows.length ? (
      <section class="list chosen" aria-label={say.chosen}>
        <h2>{say.chosen}</h2>
        <ul>
          {rows.map(([done, count]) => (
            <li key={done}>
              <span>
                {decision.what === "play" ? done : (say.cubeDeeds[done as keyof typeof say.cubeDeeds] ?? done)}
              </span>
              <progress value={count} max={all} aria-hidden="true" />
              <b>{say.times(count)}</b>
            </li>
          ))}
        </ul>
      </section>
    ) : null;
  }
}
