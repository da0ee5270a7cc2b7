/** Card beside the board in the lesson: chapters, the step in words, buttons. */
import { h } from "preact";
import { openDialog } from "../../core/look/app.ts";
import { typingForm } from "../../core/look/forms.tsx";
import { besideCube, button, link, mainLink, signButton, stepButton } from "../../core/look/parts.tsx";
import { text } from "../../core/texts/text.ts";
import type { Lesson } from "./lesson.tsx";
import { linked } from "./linked.tsx";
import { CHAPTERS, STEPS, type Step } from "./model/lesson.ts";
import { words } from "./texts/text.ts";

const placesOf = (chapter: Step["chapter"]) => [...STEPS.keys()].filter((place) => STEPS[place].chapter === chapter);

const progress = ({ state: { at, reached } }: Lesson, place: number) =>
  place === at ? "now" : place < reached ? "done" : "";

/** All chapters, each with its steps; a click goes to its first one. */
export function chapters(lesson: Lesson) {
  const say = words();
  const now = STEPS[lesson.state.at]?.chapter;
  return (
    <nav class="chapters" aria-label={say.chaptersOf}>
      {CHAPTERS.map((chapter) => {
        const places = placesOf(chapter);
        const face = [
          <span>{say.chapters[chapter]}</span>,
          <span class="pieces" aria-hidden="true">
            {places.map((place) => (
              <i class={progress(lesson, place)} />
            ))}
          </span>,
        ];
        return stepButton(face, () => lesson.go(places[0]), chapter === now);
      })}
    </nav>
  );
}

/** The task, and the answer to what was done. */
export function stepCard(lesson: Lesson, step: Step) {
  const say = words();
  const { at, note, isSolved, shown } = lesson.state;
  const { title, text: sentence } = say.steps[step.key];
  return (
    <div class="words" key={step.key}>
      <div class="count">
        <p>{say.count(at + 1, STEPS.length)}</p>
        {signButton("?", text.help, () => openDialog("keys"), "quiet")}
      </div>
      <h2 ref={lesson.heading} tabIndex={-1}>
        {title}
      </h2>
      <p class="task">{linked(sentence)}</p>
      {note ? (
        <p ref={lesson.said} class={`note ${isSolved ? "good" : shown ? "told" : ""}`}>
          {linked(note)}
        </p>
      ) : null}
      {outline(lesson, step)}
    </div>
  );
}

/** The steps of the chapter, where there is room for them. */
function outline(lesson: Lesson, { chapter }: Step) {
  const { steps } = words();
  return (
    <ol class="outline">
      {placesOf(chapter).map((place) => (
        <li key={place} class={progress(lesson, place)}>
          {stepButton(steps[STEPS[place].key].title, () => lesson.go(place), place === lesson.state.at)}
        </li>
      ))}
    </ol>
  );
}

/** The cube that Black offers: one answers beside it, as in a match. */
export function offer(lesson: Lesson, { what }: Step) {
  if (what !== "take" && what !== "drop") return null;
  return besideCube(
    text.doubles(text.sides.black, 2),
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
  return (
    <div class="bar">
      {typing === null
        ? null
        : typingForm(
            lesson.input,
            typing,
            (typing) => lesson.setState({ typing }),
            () => lesson.type(),
          )}
      {signButton("‹", say.back, () => lesson.go(at - 1), "", { disabled: !at })}
      {step.what === "look" ? <span /> : button(say.showMe, () => lesson.showMe(), "quiet", isSolved || !hasRolled)}
      {step.what === "double" ? (
        button(text.double, () => lesson.answer("double"), "", isSolved)
      ) : isPlay ? (
        button(text.undo, () => lesson.undo(), "", !lesson.making || !trial.turn.steps.length)
      ) : (
        <span />
      )}
      {button(
        isSolved ? next : toRoll ? text.roll : isCube ? next : text.done,
        () => lesson.onward(),
        "main",
        !isSolved && !toRoll && !lesson.isDone,
        { ref: lesson.main },
      )}
    </div>
  );
}

/** The end of the lesson: what next. */
export function endCard(lesson: Lesson) {
  const say = words();
  return (
    <div class="words end" key="end">
      <h2 ref={lesson.heading} tabIndex={-1}>
        {say.end}
      </h2>
      <p class="task">{say.endText}</p>
      <div class="ways">
        {mainLink("/#beginner", text.playComputer)}
        {link("#rules", say.toRules, "button")}
        {button(say.again, () => lesson.go(0), "quiet")}
      </div>
    </div>
  );
}
