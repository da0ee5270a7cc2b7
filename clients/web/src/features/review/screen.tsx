/** A match that is over, looked at again: each decision, what it has cost, and what would have been better. */

import { h } from "preact";
import { closest, isBusy } from "../../core/device/closest.ts";
import { stepMs } from "../../core/device/settings.ts";
import { isKnown } from "../../core/evaluator/known.ts";
import { tick } from "../../core/look/forms.tsx";
import { Hearing } from "../../core/look/hearing.ts";
import { Later } from "../../core/look/later.tsx";
import { Missing, missingBy } from "../../core/look/missing.tsx";
import {
  button,
  holder,
  link,
  namesOf,
  plain,
  reviewLink,
  rulesLink,
  saveButton,
  signButton,
  verdictLine,
} from "../../core/look/parts.tsx";
import { outcome } from "../../core/look/story.ts";
import { MatchTalk } from "../../core/look/talk.tsx";
import { type Decision, decisionsOf, unplayedOf } from "../../core/model/decisions.ts";
import { judgementOf } from "../../core/model/judgement.ts";
import { hasCube } from "../../core/model/rules.ts";
import type { Verdict } from "../../core/model/verdict.ts";
import type { View } from "../../core/model/view.ts";
import type { Client } from "../../core/net/client.ts";
import { findingsIn, followJudge } from "../../core/net/judge.ts";
import { type Findings, judgeMatch } from "../../core/net/verdicts.ts";
import { judgeName } from "../../core/texts/hint/text.ts";
import { dotted, language, text } from "../../core/texts/text.ts";
import { arrow } from "./arrows.ts";
import { showDecision, TrialBar, trialBoard, trialLine } from "./asking.tsx";
import { bestWords, decisionCard, openCard } from "./card.tsx";
import { chancesBar, chancesChart, luckChart } from "./charts.tsx";
import { judgedThere } from "./collected.ts";
import { Deeper } from "./deeper.tsx";
import { embedButton } from "./embed.tsx";
import type { Opened } from "./files.tsx";
import { Judging } from "./judging.ts";
import { DecisionList } from "./list.tsx";
import { NOWHERE, type Place, type Sharing, shareButton } from "./sharing.tsx";
import { strip, summary } from "./summary.tsx";
import { words } from "./texts/text.ts";
import { beginTrial, playableOf, type Trial, toldOf, trialOf } from "./trying.ts";

const SEEN = 0.4; // of the window's height: less of the board is not enough

/** number: the decision that the address names; 0 = none. file: the match, where the server has none. back: to others. */
type Props = {
  client: Client;
  match: string;
  code: string;
  number: number;
  name: string;
  file?: Opened;
  sharing?: Sharing;
  back?: (() => void) | null;
};
/** byFile: the file's own judge is heard, where the server has judged, too. at: the place of the decision. only: whose mistakes alone are shown; none = all decisions. beyond: the number in the address, if there are fewer. */
type State = {
  view: View | null;
  verdict: Verdict | null;
  at: number;
  only: number[];
  trial: Trial | null;
  fault: string;
  beyond: number;
  byFile: boolean;
};
export class Review extends Hearing<Props, State> {
  state: State = { view: null, verdict: null, at: 0, only: [], trial: null, fault: "", beyond: 0, byFile: false };
  judging = new Judging([], () => this.setState({}));
  board = trialBoard(this);
  gone = false;
  told: Findings = {}; // by the server's judge
  hears = {
    keydown: (event: KeyboardEvent) => this.key(event),
    resize: () => this.paint(0),
    hashchange: () => this.props.sharing || this.goTo(numberOf(location.hash)),
  };
  mark = (point: number) => this.props.sharing?.mark(point) ?? false;

  componentDidMount() {
    super.componentDidMount();
    this.read().catch((error) => this.setState({ fault: missingBy(error) }));
  }

  componentWillUnmount() {
    this.gone = true;
    this.judging.evaluator.end();
    super.componentWillUnmount();
  }

  async read() {
    const { client, match, code, number, file, sharing } = this.props;
    const { steps, view, verdict, ...told } = file ?? (await judgeMatch(client, match, code));
    if (this.gone) return;
    if (view.phase !== "over" && sharing) return this.setState({ fault: words().notOver });
    if (view.phase !== "over") return location.replace(`/m/${match}${code && `#${code}`}`);
    this.judging.decisions = decisionsOf(steps, view.rules);
    this.judging.unplayed = unplayedOf(steps, view.rules);
    this.told = file?.collected?.told ?? told;
    this.hear(false);
    this.setState({ view, verdict });
    this.goTo(number);
    const id = file?.collected?.match.match;
    if (!file) followJudge(client, () => findingsIn(client, match, code), told, this.renew);
    else if (id) followJudge(client, async () => (await judgedThere(client, id)).told, this.told, this.renew);
    if (isKnown(view.rules)) await this.judging.run();
  }

  /** The server's judge has found more. */
  renew = (told: Findings) => {
    this.told = told;
    this.hear(this.state.byFile);
    return !this.gone;
  };

  /** Hear the server's judge; or the file's own, where there is no other or it is asked for. */
  hear(byFile: boolean) {
    const { decisions } = this.judging;
    const own = this.props.file ? judgementOf(decisions, this.props.file) : null;
    this.judging.judgement = (byFile && own) || (judgementOf(decisions, this.told) ?? own);
    this.setState({ byFile });
  }

  componentDidUpdate(_: Props, { trial: before }: State) {
    this.paint(stepMs());
    const { at, trial, view } = this.state;
    // Where the trial was answered, the steps stand now.
    if (before && !trial && document.activeElement === document.body)
      document.querySelector<HTMLElement>(".stepper .main")?.focus({ preventScroll: true });
    const own = { ...NOWHERE, decision: at + 1, ...toldOf(trial) };
    if (view && this.decision) this.props.sharing?.meet(own, (place) => this.enter(place));
  }

  get decisions() {
    return this.judging.decisions;
  }

  get decision(): Decision | undefined {
    return this.decisions[this.state.at];
  }

  /** Our own seat; -1 = we have not played. */
  get own() {
    const { file, name } = this.props;
    return file?.collected ? (file.collected.match.seat ?? -1) : (this.state.view?.players.indexOf(name) ?? -1);
  }

  /** The seat at the bottom: who tries again, else our own. */
  get seat() {
    return this.state.trial && this.decision ? this.decision.seat : Math.max(0, this.own);
  }

  get names() {
    return namesOf(this.state.view?.players ?? []);
  }

  isMistake(place: number) {
    const { own } = this;
    const whose = this.state.only.length ? this.state.only : own < 0 ? [0, 1] : [own];
    return this.judging.mark(place) !== "" && whose.includes(this.decisions[place].seat);
  }

  /** The decisions that are shown, and stepped through: all that were ones, or mistakes alone. */
  get places() {
    return this.state.only.length ? this.listed.filter((place) => this.isMistake(place)) : this.listed;
  }

  get listed() {
    return [...this.decisions.keys()].filter((place) => {
      const { what, done } = this.decisions[place];
      return what !== "double" || done || this.judging.finding(place)?.counts || place === this.state.at;
    });
  }

  /** Look at the decision of a number, or at the last one. */
  goTo(number: number) {
    this.go(number - 1);
    this.setState({ beyond: number > this.decisions.length ? number : 0 });
  }

  /** Look at what the others look at. */
  enter(place: Place) {
    this.go(place.decision - 1);
    this.setState(({ at }) => ({ trial: trialOf(this.decisions[at], place) }));
  }

  go = (place: number) => {
    const at = Math.max(0, Math.min(this.decisions.length - 1, place || 0));
    this.judging.look(at);
    this.setState({ at, trial: null, beyond: 0 });
    const { code, sharing, file } = this.props;
    const id = file?.collected?.match.match;
    const before = id ? `file-${id}` : code;
    if (this.decisions.length && !sharing) history.replaceState(null, "", `#${before && `${before}.`}${at + 1}`);
    this.lookUp();
  };

  /** On a phone the list is far below the board. */
  lookUp() {
    const { root } = this.board;
    if (root.isConnected && root.getBoundingClientRect().bottom < innerHeight * SEEN) scrollTo(0, 0);
  }

  /** Go so many of the listed ones on. */
  step(by: number) {
    const { places } = this;
    const { at } = this.state;
    const before = places.filter((place) => place < at).length;
    const now = by > 0 && places[before] !== at ? before - 1 : before;
    const next = places[Math.max(0, Math.min(places.length - 1, now + by))];
    if (next !== undefined) this.go(next);
  }

  /** The mistake after this decision; the first one, behind the last. */
  get mistake() {
    const all = [...this.decisions.keys()].filter((place) => this.isMistake(place));
    return all.find((place) => place > this.state.at) ?? all[0];
  }

  nextMistake() {
    if (this.mistake !== undefined) this.go(this.mistake);
  }

  key(event: KeyboardEvent) {
    if (isBusy(event, "input:not([type=checkbox]), select")) return;
    if (closest(event, "[data-point], .swap") && /^(Arrow|Home|End)/.test(event.key)) return; // they are the board's
    const does: Record<string, () => void> = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.step(Number.NEGATIVE_INFINITY),
      End: () => this.step(Number.POSITIVE_INFINITY),
      n: () => playableOf(this.state.trial, this.decision) || this.nextMistake(),
      t: () => this.tryAgain(),
      Escape: () => this.setState({ trial: null }),
    };
    if (!Object.hasOwn(does, event.key)) return;
    event.preventDefault();
    does[event.key]();
  }

  // --- try again ---

  tryAgain() {
    if (this.decision) this.setState({ trial: beginTrial(this.decision) });
    this.lookUp();
  }

  // --- the board ---

  paint(duration: number) {
    const { decision, seat } = this;
    const { view, trial, at } = this.state;
    if (!decision || !view) return;
    const shown = { decision, trial, seat, hasCube: hasCube(view.rules), best: this.judging.best(at) };
    showDecision(this.board, shown, duration);
    this.props.sharing?.paint(this.board, seat, arrow);
  }

  // --- what is drawn ---

  render() {
    const { view, fault, at, verdict, trial, beyond, byFile } = this.state;
    const { match, code, client, file, sharing } = this.props;
    const say = words();
    const { decision, names, judging } = this;
    if (fault) return <Missing missing={fault} name={match} />;
    if (!view) return plain(say.loading);
    const said = verdict?.sound === false && verdictLine(verdict);
    const ended = file?.ended || outcome(view, (seat) => (seat === this.own ? text.You : names[seat]));
    const result = dotted(ended, file?.more);
    if (!decision) return plain(result, said);
    const live = client.matches.get(match);
    const { places } = this;
    const [done, all] = judging.progress;
    const by = judging.judgement && judgeName(judging.judgement.analysis, language);
    const coming = beyond || (!by && !isKnown(view.rules)) ? "" : this.coming;
    const here = coming || !isKnown(view.rules) ? "" : say.here;
    const who = beyond ? say.beyond(beyond, this.decisions.length) : (by ?? here);
    const state = !isKnown(view.rules)
      ? say.unknownStart
      : by
        ? this.isFiles
          ? file?.judged
          : say.judgedThere(by)
        : done < all
          ? say.judging(done, all)
          : say.judgedBy;
    return (
      <main class="review">
        <h1 class="hidden">{`${say.title}: ${names.join(" – ")}`}</h1>
        <div class="stage">
          {holder(this.board)}
          {chancesBar(judging, at, names)}
          {trial ? (
            <TrialBar
              board={this.board}
              decision={decision}
              trial={trial}
              set={(now) => this.setState({ trial: now })}
              back={button(say.giveUp, () => this.setState({ trial: null }))}
              after={button(say.on, () => this.step(1), "main")}
            />
          ) : (
            this.stepBar(places)
          )}
          {trial ? trialLine(decision, trial, judging, at) : this.legend(decision)}
        </div>
        <div class="beside">
          <div class="told">
            <p class="status">{result}</p>
            {rulesLink(view.rules)}
            {this.props.back && button(say.toFiles, this.props.back, "quiet")}
          </div>
          {strip(judging, names)}
          <p class="aside by">
            <span role="status">{who}</span>
            {/* It changes with each decision: who listens would hear of nothing else. */}
            {coming && dotted(who && " ", coming)}
          </p>
          {/* Above the card: that changes its height with each decision, and when its judgement comes. */}
          <div class="sift">
            {this.own < 0
              ? names.map((name, seat) => this.sift(say.onlyOf(name), seat))
              : this.sift(say.onlyMine, this.own)}
            {live && link(`/m/${match}${code && `#${code}`}`, say.toMatch, "quiet")}
            {this.own < 0 ? null : link("/puzzles#mine", say.own, "quiet")}
            {match && reviewLink(match, code, "dice")}
            {sharing ? null : shareButton(client, () => ({ match, code, decision: at + 1 }), file)}
            {file?.analysis?.by && file.collected?.told.analysis
              ? tick(say.byFile(file.analysis.by), byFile, (on) => this.hear(on))
              : null}
            {match && saveButton(client, match, code)}
            {match && !sharing && embedButton(`m/${match}#${code && `${code}.`}${at + 1}`)}
          </div>
          {file && !file.collected && !sharing ? (
            <Later
              part={() => import("./collection.tsx")}
              show={({ Keep }) => <Keep client={client} files={[file]} />}
            />
          ) : null}
          {trial && !trial.answer
            ? openCard(decision, names)
            : decisionCard({
                decision,
                answer: judging.answers.get(at),
                best: judging.best(at),
                names,
                of: {
                  label: say.decision(at + 1, this.decisions.length),
                  finding: judging.finding(at),
                  reply: this.reply(at),
                  better: by && judging.judgement?.found.has(at) ? say.better(by, bestWords(judging, at)) : "",
                  isTold: by !== null,
                },
              })}
          {by && !file && !trial && client.me?.kind === "account" ? (
            <Deeper key={at} client={client} match={match} code={code} decision={decision} />
          ) : null}
          <DecisionList judging={judging} listed={this.listed} places={places} at={at} names={names} go={this.go} />
        </div>
        <div class="curves">
          {chancesChart(judging, at, names, this.go)}
          {luckChart(judging, at, names, this.go)}
        </div>
        {summary(judging, names)}
        <p class="aside">
          {state}
          {done < all && isKnown(view.rules) ? (
            <progress value={done} max={all} aria-label={say.judging(0, all)} />
          ) : null}{" "}
          {say.keys}
        </p>
        {said}
        {live && (
          <div class="list">
            <MatchTalk client={client} match={live} />
          </div>
        )}
      </main>
    );
  }

  /** Whether the file's own judge is heard. */
  get isFiles() {
    const { file } = this.props;
    return file !== undefined && (this.state.byFile || !this.told.analysis?.by || !file.collected);
  }

  /** Whether the mistakes of a player are shown alone, or with the other's. */
  sift(label: string, seat: number) {
    const others = this.state.only.filter((one) => one !== seat);
    const set = (on: boolean) => this.setState({ only: on ? [...others, seat] : others });
    return tick(label, this.state.only.includes(seat), set);
  }

  /** Whether a double was taken; null = the decision is no double, or was not answered. */
  reply(at: number) {
    const next = this.decisions[at + 1];
    return this.decisions[at].what === "double" && next?.what === "take" ? next.done : null;
  }

  /** How far the one is who will judge better; null = none will. */
  get coming() {
    const { judgement, progress } = this.judging;
    const [done, all] = judgement ? judgement.analysis.seen : progress;
    return (judgement ? judgement.analysis.rough && all > 0 : done < all) ? words().judging(done, all) : null;
  }

  stepBar(places: number[]) {
    const say = words();
    const { at } = this.state;
    const [first, last] = [
      places.length === 0 || at <= places[0],
      places.length === 0 || at >= places[places.length - 1],
    ];
    const step = (sign: string, label: string, by: number, disabled: boolean) =>
      signButton(sign, label, () => this.step(by), "", { disabled });
    return (
      <div class="stepper" role="group" aria-label={say.steps}>
        {step("«", say.first, Number.NEGATIVE_INFINITY, first)}
        {step("‹", say.back, -1, first)}
        {step("›", say.on, 1, last)}
        {step("»", say.last, Number.POSITIVE_INFINITY, last)}
        {button(say.nextMistake, () => this.nextMistake(), "", this.mistake === undefined)}
        {button(say.tryAgain, () => this.tryAgain(), "main")}
      </div>
    );
  }

  legend({ what }: Decision) {
    const say = words();
    return (
      <p class="legend">
        {what !== "play"
          ? null
          : [<span class="way best">{say.best_arrow}</span>, <span class="way played">{say.played_arrow}</span>]}
      </p>
    );
  }
}

/** The decision that an address names: `#12`, or `#CODE.12` of a private match; 0 = none. */
export const numberOf = (hash: string) => Number(/(?:^#|\.)(\d{1,5})$/.exec(hash)?.[1] ?? 0);
