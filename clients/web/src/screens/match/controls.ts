/** What can be done in a match now: buttons, questions, and what is said beside them. */
import { h } from "preact";
import { invited, save } from "../../device/share.ts";
import * as turns from "../../model/turn.ts";
import { kindOf } from "../../model/verdict.ts";
import { toAct } from "../../model/view.ts";
import { act, askRematch, attachMatch } from "../../net/matches.ts";
import { joinTable, seekMatch } from "../../net/pairing.ts";
import { goOn } from "../../net/verdicts.ts";
import { text } from "../../texts/text.ts";
import { minutes } from "../clock.ts";
import { button, buttons, entered } from "../parts.ts";
import { sendTurn, typeTurn, undoStep } from "./moving.ts";
import type { MatchScreen } from "./screen.ts";
import { copyButton } from "./sharing.ts";

const until = (seconds: number) =>
  seconds < 3600
    ? minutes(1000 * seconds)
    : seconds < 172_800
      ? text.hours(Math.ceil(seconds / 3600))
      : text.days(Math.ceil(seconds / 86_400));

export function controls(screen: MatchScreen) {
  const { match, props } = screen;
  const { view, seat } = match;
  if (screen.isStopped) return stoppedControls(screen);
  const asking = question(screen);
  if (asking) return asking;
  if (match.replaced) return buttons(button(text.takeBack, () => attachMatch(props.client, match), "main"));
  if (view.phase === "open") return openControls(screen);
  if (view.phase === "over") return overControls(screen);
  if (seat === null) return awayControls(screen);
  return [abortControls(screen), buttons(choices(screen), awayControls(screen))];
}

/** What is wrong; nothing is sent until the player goes on. */
export function stoppedControls(screen: MatchScreen) {
  const { match, props } = screen;
  return h(
    "div",
    { class: "asking" },
    match.witness.faults.slice(match.waived).map((fault) => h("p", { class: "verdict wrong", role: "alert" }, fault)),
    h("p", null, text.stoppedHelp),
    buttons(
      button(text.toLobby, () => props.go("/"), "main"),
      button(text.goOn, () => goOn(props.client, match), "danger"),
    ),
  );
}

/** What can be done now. */
export function choices(screen: MatchScreen) {
  const { match } = screen;
  const { view } = match;
  const value = view.cube;
  const resign = ["roll", "move", "cube"].includes(view.phase)
    ? [
        view.rules.resignations !== false
          ? button(text.resign, () => screen.setState({ asking: "resign" }), "quiet")
          : null,
        wantsAbort(screen, match.seat ?? 0)
          ? null
          : button(text.abort, () => screen.setState({ asking: "abort" }), "quiet"),
      ]
    : null;
  if (view.phase === "ready") {
    return match.isOurs
      ? [
          button(text.nextGame, () => screen.act("ready"), "main"),
          view.rules.length === 0 ? button(text.leaveMoney, () => screen.act("leave")) : null,
        ]
      : null;
  }
  if (!match.isOurs || screen.playback.scene) return resign;
  switch (view.phase) {
    case "roll":
      return [
        button(text.roll, () => screen.act("roll"), "main"),
        screen.canDouble ? button(text.double, () => screen.setState({ asking: "double" })) : null,
        resign,
      ];
    case "cube":
      return [
        button(text.takeFor(2 * value), () => screen.act("take"), "main"),
        view.rules.beavers ? button(text.beaver, () => screen.act("beaver")) : null,
        button(text.dropFor(value), () => screen.setState({ asking: "drop" })),
      ];
    case "resign":
      return [button(text.accept, () => screen.act("accept"), "main"), button(text.refuse, () => screen.act("refuse"))];
    case "move":
      return movingControls(screen, resign);
  }
  return null;
}

export function movingControls(screen: MatchScreen, resign: import("preact").ComponentChildren) {
  if (!screen.making) return null;
  const turn = screen.turn;
  const { typing } = screen.state;
  return [
    button(text.done, () => sendTurn(screen), "main", !turns.isDone(turn)),
    button(text.undo, () => undoStep(screen), "", !turn.steps.length),
    turn.steps.length > 1 ? button(text.undoAll, () => undoStep(screen, true), "quiet") : null,
    typing === null
      ? null
      : h(
          "form",
          { class: "typing", onSubmit: (event: Event) => typeTurn(screen, event) },
          h("input", {
            ref: screen.input,
            value: typing,
            "aria-label": text.typeMove,
            placeholder: text.typeMove,
            autocomplete: "off",
            onInput: entered((typing) => screen.setState({ typing })),
            onKeyDown: (event: KeyboardEvent) => event.key === "Escape" && screen.setState({ typing: null }),
          }),
        ),
    resign,
  ];
}

/** A question that is asked before something that cannot be taken back. */
export function question(screen: MatchScreen) {
  const { view } = screen.match;
  const { asking } = screen.state;
  const [what, kind] = asking.split(":");
  const back = button(text.back, () => screen.setState({ asking: "" }));
  const ask = (question: string, yes: import("preact").ComponentChildren) =>
    h("div", { class: "asking", role: "group", "aria-label": question }, h("p", null, question), buttons(back, yes));
  if (what === "double" && view.phase === "roll")
    return ask(
      text.askDouble(2 * view.cube),
      button(text.yesDouble, () => screen.act("double"), "main"),
    );
  if (what === "drop" && view.phase === "cube")
    return ask(
      text.askDrop(view.cube),
      button(text.yesDrop, () => screen.act("drop"), "danger"),
    );
  if (what === "resign" && kind) {
    return ask(
      text.askResign(Number(kind), Number(kind) * view.cube),
      button(text.yesResign, () => screen.act("resign", { value: Number(kind) }), "danger"),
    );
  }
  if (what === "resign") {
    return ask(
      text.resignAs,
      [1, 2, 3].map((one) =>
        button(text.resignKind(one, one * view.cube), () => screen.setState({ asking: `resign:${one}` })),
      ),
    );
  }
  if (what === "abort")
    return ask(
      text.askAbort,
      button(text.yesAbort, () => screen.act("abort"), "danger"),
    );
  if (what === "help") {
    return h(
      "div",
      { class: "asking", role: "group", "aria-label": text.help },
      h(
        "dl",
        { class: "keys" },
        text.keys.map(([key, does]) => [h("dt", null, key), h("dd", null, does)]),
      ),
      buttons(button(text.close, () => screen.setState({ asking: "" }), "main")),
    );
  }
  return null;
}

export function openControls(screen: MatchScreen) {
  const { match, props } = screen;
  const link = `${invited()}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
  if (match.seat === null) {
    return buttons(
      button(text.sitDown, () => props.client.showRefusal(joinTable(props.client, match.id, match.code)), "main"),
    );
  }
  return [
    h("p", null, text.sendLink),
    h("input", {
      class: "link",
      readonly: true,
      value: link,
      "aria-label": text.copy,
      onFocus: (event) => event.currentTarget.select(),
    }),
    buttons(
      copyButton(screen, text.copy, () => link, "main"),
      button(text.closeTable, () => {
        act(props.client, match, "cancel");
        props.go("/");
      }),
    ),
  ];
}

export function overControls(screen: MatchScreen) {
  const { match, props } = screen;
  const rematch = async () => {
    screen.setState({ asked: true });
    const next = await askRematch(props.client, match);
    if (next) props.go(`/m/${next}`);
  };
  const { verdict } = match;
  return [
    verdict && h("p", { class: `verdict ${kindOf(verdict)}`, role: "status" }, verdict.text),
    buttons(
      match.next ? button(text.watch, () => props.go(`/m/${match.next}`), "main") : null,
      match.seat !== null && match.view.outcome
        ? button(
            screen.state.asked ? text.rematchAsked : text.rematch,
            () => props.client.showRefusal(rematch()),
            "main",
            screen.state.asked,
          )
        : null,
      seekAgainButton(screen),
      match.view.rolls
        ? button(text.replay, () => props.go(`/m/${match.id}?replay${match.code ? `#${match.code}` : ""}`))
        : null,
      proofButton(screen),
      button(text.toLobby, () => props.go("/")),
    ),
  ];
}

/** A quick match that came to nothing: look for another one. */
export function seekAgainButton(screen: MatchScreen) {
  const { match, props } = screen;
  const { found, sought, seeking } = props.client;
  if (match.view.game || found !== match.id || !sought || seeking) return null;
  return button(
    text.seekAgain,
    () => props.client.showRefusal(seekMatch(props.client, sought.rules ?? {}).then(() => props.go("/"))),
    "main",
  );
}

/** What proves that we have revealed our seed, as a file. */
export function proofButton(screen: MatchScreen) {
  const { match, props } = screen;
  const proof = match.view.game ? undefined : props.client.pledges.proofs().find((one) => one.match === match.id);
  return proof ? button(text.saveProof, () => save(`${match.id}.proof.json`, JSON.stringify(proof, null, 2))) : null;
}

/** The wish of one player to end the match without a winner. */
export function abortControls(screen: MatchScreen) {
  const { match } = screen;
  const seat = match.seat ?? 0;
  const mine = wantsAbort(screen, seat);
  if (match.view.phase === "reveal" || !(mine || wantsAbort(screen, 1 - seat))) return null;
  return h(
    "div",
    { class: "asking", role: "group", "aria-label": text.abort },
    h("p", null, mine ? text.abortAsked : text.wantsAbort(screen.nameOf(1 - seat))),
    buttons(
      mine
        ? button(text.takeAbortBack, () => screen.act("abort", { on: false }))
        : button(text.agree, () => screen.act("abort")),
    ),
  );
}

/** The other player is not there; when the match waits for them, it may be claimed in a while. */
export function awayControls(screen: MatchScreen) {
  const { match } = screen;
  const { view, seat } = match;
  const other = 1 - (seat ?? 0);
  if (match.online[other] || ["over", "open"].includes(view.phase)) return null;
  const name = screen.nameOf(other);
  if (match.claimIn === null || seat === null || !toAct(view).includes(other) || toAct(view).includes(seat)) {
    return seat === null ? null : h("p", { class: "away" }, text.awayNow(name));
  }
  if (match.claimIn <= 0) return button(text.claim, () => screen.act("claim"), "main");
  clearTimeout(screen.awayTimer);
  screen.awayTimer = setTimeout(() => screen.setState({}), 1000);
  return h("p", { class: "away" }, text.away(name, until(match.claimIn)));
}

/** Whether a seat's wish to abort the match stands. */
export function wantsAbort(screen: MatchScreen, seat: number) {
  const { aborts, rolls } = screen.match.view;
  const at = aborts[seat];
  return at !== null && rolls <= at + 1;
}
