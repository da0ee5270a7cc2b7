/** Card beside the board in the lesson: chapters, the step in words, buttons. */
import { h } from "preact";
import { CHAPTERS, STEPS, type Step } from "../../model/lesson.ts";
import { words } from "../../texts/learn/text.ts";
import { text } from "../../texts/text.ts";
import { typingForm } from "../forms.ts";
import { besideCube, button, signButton, stepButton } from "../parts.ts";
import type { Lesson } from "./lesson.ts";
import { linked } from "./linked.ts";

/** All chapters, each with its steps; a click goes to its first one. */
export function chapters(lesson: Lesson) {
  const say = words();
  const { at, reached } = lesson.state;
  const now = STEPS[at]?.chapter;
  return h(
    "nav",
    { class: "chapters", "aria-label": say.chaptersOf },
    CHAPTERS.map((chapter) => {
      const places = STEPS.map((_, place) => place).filter((place) => STEPS[place].chapter === chapter);
      const state = (place: number) => (place === at ? "now" : place < reached ? "done" : "");
      const pieces = places.map((place) => h("i", { class: state(place) }));
      const face = [
        h("span", null, say.chapters[chapter]),
        h("span", { class: "pieces", "aria-hidden": "true" }, pieces),
      ];
      return stepButton(face, () => lesson.go(places[0]), chapter === now);
    }),
  );
}

/** The task, and the answer to what was done. */
export function stepCard(lesson: Lesson, step: Step) {
  const say = words();
  const { at, note, isSolved, shown } = lesson.state;
  const { title, text: sentence } = say.steps[step.key];
  return h(
    "div",
    { class: "words", key: step.key },
    h(
      "div",
      { class: "count" },
      h("p", null, say.count(at + 1, STEPS.length)),
      signButton("?", text.help, lesson.props.showKeys, "quiet"),
    ),
    h("h2", { ref: lesson.heading, tabIndex: -1 }, title),
    h("p", { class: "task" }, linked(sentence)),
    note ? h("p", { ref: lesson.said, class: `note ${isSolved ? "good" : shown ? "told" : ""}` }, linked(note)) : null,
    outline(lesson, step),
  );
}

/** The steps of the chapter, where there is room for them. */
function outline({ state: { at, reached }, go }: Lesson, { chapter }: Step) {
  const say = words();
  const places = STEPS.map((_, place) => place).filter((place) => STEPS[place].chapter === chapter);
  return h(
    "ol",
    { class: "outline" },
    places.map((place) =>
      h(
        "li",
        { key: place, class: place === at ? "now" : place < reached ? "done" : "" },
        stepButton(say.steps[STEPS[place].key].title, () => go(place), place === at),
      ),
    ),
  );
}

/** The cube that Black offers: one answers beside it, as in a match. */
export function offer(lesson: Lesson, { what }: Step) {
  if (what !== "take" && what !== "drop") return null;
  return besideCube(
    text.doubles(text.sides.black, 2),
    lesson.props.settings,
    button(text.dropFor(1), () => lesson.answer("drop")),
    button(text.takeFor(2), () => lesson.answer("take"), "main"),
  );
}

/** Each control at one place, through the whole lesson. */
export function bar(lesson: Lesson, step: Step) {
  const say = words();
  const { at, isSolved, typing, hasRolled, trial } = lesson.state;
  const isPlay = step.what === "play";
  const isCube = !isPlay && step.what !== "look";
  const toRoll = !isSolved && (!hasRolled || step.what === "double");
  const next = at + 1 < STEPS.length ? say.next : say.finish;
  return h(
    "div",
    { class: "bar" },
    typing === null
      ? null
      : typingForm(
          lesson.input,
          typing,
          (typing) => lesson.setState({ typing }),
          () => lesson.type(),
        ),
    signButton("‹", say.back, () => lesson.go(at - 1), "", { disabled: !at }),
    step.what === "look" ? h("span", null) : button(say.showMe, () => lesson.showMe(), "quiet", isSolved || !hasRolled),
    step.what === "double"
      ? button(text.double, () => lesson.answer("double"), "", isSolved)
      : isPlay
        ? button(text.undo, () => lesson.undo(), "", !lesson.making || !trial.turn.steps.length)
        : h("span", null),
    button(
      isSolved ? next : toRoll ? text.roll : isCube ? next : text.done,
      () => lesson.onward(),
      "main",
      !isSolved && !toRoll && !lesson.isDone,
      { ref: lesson.main },
    ),
  );
}

/** The end of the lesson: what next. */
export function endCard(lesson: Lesson) {
  const say = words();
  return h(
    "div",
    { class: "words end", key: "end" },
    h("h2", { ref: lesson.heading, tabIndex: -1 }, say.end),
    h("p", { class: "task" }, say.endText),
    h(
      "div",
      { class: "ways" },
      h("a", { class: "button main", href: "/#beginner" }, text.playComputer),
      h("a", { class: "button", href: "#rules" }, say.toRules),
      button(say.again, () => lesson.go(0), "quiet"),
    ),
  );
}
