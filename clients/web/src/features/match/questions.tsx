/** Questions on the board, each tied to what it is about, and offers beside the cube. */

import { h } from "preact";
import { invited } from "../../core/device/share.ts";
import { go } from "../../core/look/app.ts";
import { Ask, besideCube, button, buttons, type Children, mainLink, qrCode } from "../../core/look/parts.tsx";
import { rulesText } from "../../core/model/rules.ts";
import { mayBeaver, resignable, type View } from "../../core/model/view.ts";
import type { Match } from "../../core/net/match.ts";
import { type Action, act, attachMatch } from "../../core/net/matches.ts";
import { joinTable } from "../../core/net/pairing.ts";
import { goOn } from "../../core/net/verdicts.ts";
import { dotted, text } from "../../core/texts/text.ts";
import { type Carded, resultCard } from "./result.tsx";
import type { Parts } from "./screen.tsx";
import { copyButton } from "./sharing.ts";

type Asked = Parts<"act" | "ask" | "asking" | "match">;

/** The question over the board now; mostly none. */
export function onBoard(screen: Asked & Carded & Parts<"hidesResult" | "playback">): Children {
  const { match, props, playback } = screen;
  const { view } = match;
  if (match.isHalted) return stopped(screen);
  if (match.replaced)
    return (
      <Ask label={text.replaced}>
        <p>{text.replaced}</p>
        {buttons(button(text.takeBack, () => attachMatch(props.client, match, true), "main"))}
      </Ask>
    );
  if (view.phase === "open") return openTable(screen);
  if (playback.isAhead) return question(screen);
  if (view.phase === "over") return screen.hidesResult ? null : resultCard(screen);
  if (view.phase === "ready") return question(screen) ?? (screen.hidesResult ? null : resultCard(screen));
  return question(screen) ?? offer(screen);
}

/** A fault; nothing is sent until the player goes on. */
function stopped({ match, props }: Parts<"match" | "props">) {
  return (
    <Ask label={text.stopped} alert key={1}>
      {/* a click that comes late is none on the result's buttons */}
      {match.witness.faults.slice(match.waived).map((fault) => (
        <p class="verdict wrong" role="alert">
          {fault}
        </p>
      ))}
      <p>{text.stoppedHelp}</p>
      {buttons(
        mainLink("/", text.toLobby),
        button(text.goOn, () => goOn(props.client, match), "danger"),
      )}
    </Ask>
  );
}

/** A question that is asked before something that cannot be taken back. */
function question(screen: Asked) {
  const { match, asking } = screen;
  const { view } = match;
  const { cube, rules } = view;
  const [what, kind] = asking.split(":");
  const ask = (question: string, ...yes: Children[]) => (
    <Ask label={question} alert key={asking}>
      <p>{question}</p>
      {buttons(
        button(text.back, () => screen.ask("")),
        ...yes,
      )}
    </Ask>
  );
  const yes = (words: string, action: Action, fields: object = {}, look = "danger") =>
    button(words, () => screen.act(action, fields), look);
  const resign = () => {
    const kinds = kind ? [Number(kind)] : resignable(view, match.bottom);
    const [only, ...others] = kinds;
    if (!others.length) return ask(text.askResign(only, only * cube), yes(text.yesResign, "resign", { value: only }));
    const choose = (one: number) => button(text.resignKind(one, one * cube), () => screen.ask(`resign:${one}`));
    return ask(text.resignAs, ...kinds.map(choose));
  };
  const forfeit = (points: number) => ask(text.askForfeit(points), yes(text.yesResign, "forfeit"));
  const asks: Record<string, () => Children> = {
    double: () => ask(text.askDouble(2 * cube), yes(text.yesDouble, "double", {}, "main")),
    drop: () => ask(text.askDrop(cube), yes(text.yesDrop, "drop")),
    resign,
    match: () => forfeit(0),
    forfeit: () => forfeit((rules.forfeit_multiplier ?? 0) * cube),
    abort: () => ask(text.askAbort, yes(text.yesAbort, "abort")),
  };
  return asks[what]?.() ?? null;
}

/** The opponent's offer: a double, on either side of the cube, or a game. */
function offer(screen: Asked) {
  const { view, isOurs, nameOf, bottom } = screen.match;
  const other = nameOf(1 - bottom);
  if (isOurs && view.phase === "cube") {
    const beaver = mayBeaver(view) ? button(text.beaver, () => screen.act("beaver")) : null;
    return besideCube(
      text.doubles(other, 2 * view.cube),
      button(text.dropFor(view.cube), () => screen.ask("drop")),
      [button(text.takeFor(2 * view.cube), () => screen.act("take"), "main"), beaver],
      true,
    );
  }
  if (!isOurs || view.phase !== "resign" || !view.resignation) return null;
  const [, kind] = view.resignation;
  const words = text.offersResign(other, kind, kind * view.cube);
  return (
    <Ask label={words} alert>
      <p>{words}</p>
      {buttons(
        button(text.refuse, () => screen.act("refuse")),
        button(text.accept, () => screen.act("accept"), "main"),
      )}
    </Ask>
  );
}

/** A table with a free seat: sit down, or invite a player. */
function openTable({ match, props, voice }: Parts<"match" | "props" | "voice">) {
  const link = `${invited()}/m/${match.id}${match.code ? `#${match.code}` : ""}`;
  if (match.seat === null) {
    return (
      <Ask label={text.freeSeat}>
        <p>{text.invites(match.view.players.find(Boolean) ?? "", rulesText(match.view.rules))}</p>
        <p class="aside">{text.leaving}</p>
        {buttons(
          button(text.sitDown, () => props.client.showRefusal(joinTable(props.client, match.id, match.code)), "main"),
        )}
      </Ask>
    );
  }
  return (
    <Ask label={text.waiting}>
      <p>{text.sendLink}</p>
      <p class="aside">{dotted(rulesText(match.view.rules), match.code ? "" : text.listed)}</p>
      <input
        class="link"
        readonly
        value={link}
        aria-label={text.copy}
        onFocus={(event) => event.currentTarget.select()}
      />
      {qrCode(link)}
      {buttons(
        button(text.closeTable, () => {
          act(props.client, match, "cancel");
          go("/");
        }),
        copyButton(voice, text.copy, () => link, "main"),
      )}
    </Ask>
  );
}

/** Whether a question still has something to ask about. */
export function isOpen(match: Match, what: string) {
  const { phase } = match.view;
  if (what === "drop") return phase === "cube" && match.isOurs;
  if (what === "double") return phase === "roll" && match.isOurs && match.canDouble;
  if (what === "match") return phase === "ready";
  return ["roll", "move", "cube"].includes(phase) && !match.isAsked;
}

/** What a player can give up now, as a question asks it: between two games the match, if it has a length; "": nothing. */
export function givenUp({ phase, rules }: View) {
  if (phase === "ready") return rules.length ? "match" : "";
  if (!["roll", "move", "cube"].includes(phase)) return "";
  return rules.resignations === false ? "forfeit" : "resign";
}

/** Whether a seat's wish to abort the match stands. */
export function wantsAbort({ aborts, rolls }: View, seat: number) {
  const at = aborts[seat];
  return at !== null && rolls <= at + 1;
}
