/** Shared reviews: several look at a match or a position together, and one leads. Fetched when one is begun or joined. */

import { Component, h } from "preact";
import type { ReviewScene } from "../../../../../../protocol/tavla.d.ts";
import type { Board } from "../../../core/board/board.ts";
import { BAR, OFF, RADIUS, spot } from "../../../core/board/plan.ts";
import { zonePoint } from "../../../core/board/pointer.ts";
import { draw } from "../../../core/board/svg.ts";
import { fetched } from "../../../core/device/fetched.ts";
import { invited } from "../../../core/device/share.ts";
import { go } from "../../../core/look/app.ts";
import { form, labelled, submit } from "../../../core/look/forms.tsx";
import {
  button,
  buttons,
  type Children,
  CopyButton,
  Dialog,
  link,
  mainLink,
  Pop,
  plain,
  player,
  qrCode,
} from "../../../core/look/parts.tsx";
import { type Line, Talk } from "../../../core/look/talk.tsx";
import type { Client } from "../../../core/net/client.ts";
import { Refused, reason } from "../../../core/net/connection.ts";
import { ensurePlayer } from "../../../core/net/players.ts";
import { language, text } from "../../../core/texts/text.ts";
import type { arrow } from "../arrows.ts";
import type { Opened } from "../files.tsx";
import type { FileMatch } from "../model/reading.ts";
import type { Place, Sharing } from "../sharing.tsx";
import { SharedReview } from "./net.ts";
import { TOGETHER } from "./texts/text.ts";

const words = () => TOGETHER[language];
const files = () => fetched(() => import("../files.tsx")); // which reads them
const LONGEST = 100; // of a position's id
const MOST = 16; // arrows
const RIGHT = 2; // button of a mouse
const CLEAN = { marks: [], arrows: [] };

/** A button, pressed already, that begins a shared review; what is private, or in a file, after a question. */
export class Begin extends Component<
  { client: Client; scene: () => ReviewScene; file?: FileMatch; label: string },
  { isAsked: boolean }
> {
  state = { isAsked: false };
  press = () => (this.props.file || this.props.scene().code ? this.setState({ isAsked: true }) : this.begin());
  shut = () => this.setState({ isAsked: false });

  componentDidMount() {
    this.press();
  }

  begin = () => {
    const { client, scene, file } = this.props;
    const start = async () => {
      await ensurePlayer(client);
      const { piecesOf } = await files();
      const pieces = file ? await piecesOf(file).catch(() => Promise.reject(words().tooLong)) : [];
      const { review } = await client.connection.ask("start_review", { scene: scene() });
      for (const [piece, data] of pieces.entries()) await client.connection.ask("share_file", { piece, data }, false);
      if (file) await client.connection.ask("show_review", { scene: { ...scene(), file: pieces.length } }, false);
      go(`/review#${review}`);
    };
    this.shut();
    client.showRefusal(start());
  };

  render() {
    const say = words();
    const { label, file } = this.props;
    const answers = buttons(button(say.share, this.begin, "main"), button(text.cancel, this.shut));
    return [
      button(label, this.press, "quiet"),
      this.state.isAsked && (
        <Dialog title={label} close={this.shut}>
          <p>{file ? say.isFile : say.isPrivate}</p>
          {answers}
        </Dialog>
      ),
    ];
  }
}

/** matchOf: the screen of what is shown, by the review's own script. */
type Screens = { matchOf: (scene: ReviewScene, sharing: Sharing, file?: Opened) => Children };
type Props = Screens & { client: Client; id: string };
/** file: the shared one; null = it was not wanted yet. */
type State = { fault: string; follows: boolean; marks: boolean; file: Opened | null };

const placeOf = ({ position = "", decision = 0, tried = false, steps = [], answer = "" }: ReviewScene): Place => ({
  position,
  decision,
  tried,
  steps,
  answer,
});

export class Together extends Component<Props, State> implements Sharing {
  state: State = { fault: "", follows: true, marks: false, file: null };
  isReading = false; // the file
  shared = new SharedReview(this.props.client, this.props.id);
  met: unknown = null; // as whom we have joined
  seen = ""; // where the others were when we last looked
  was = ""; // where our screen was then
  led = false; // whether we did then
  isEntering = false; // our screen goes where they are
  seat = 0; // at the bottom of the board
  from = OFF; // where the right button, or in the mode for it anything, went down
  pressed = (event: MouseEvent) => {
    const point = this.shared.leads ? zonePoint(event) : -1;
    if (point < 0) return;
    event.preventDefault();
    if (event.button !== RIGHT) this.toggle(point); // by a key, or a long tap
  };
  down = (event: PointerEvent) => {
    const point = zonePoint(event);
    const isRight = event.button === RIGHT;
    this.from = this.shared.leads && point > OFF && (isRight || this.state.marks) ? point : OFF;
    if (this.from && !isRight) event.stopPropagation(); // no checker is dragged
  };
  up = ({ clientX, clientY, button }: PointerEvent) => {
    const { from } = this;
    this.from = OFF;
    const to = Number(document.elementFromPoint(clientX, clientY)?.closest("[data-point]")?.getAttribute("data-point"));
    if (from && to && from !== to) this.draw(from, to);
    else if (from && from === to && button === RIGHT) this.toggle(to);
  };

  componentDidMount() {
    const { client } = this.props;
    client.onShared = (message) => this.shared.hear(message);
    addEventListener("contextmenu", this.pressed);
    addEventListener("pointerdown", this.down, true);
    addEventListener("pointerup", this.up);
    ensurePlayer(client).then(
      () => this.join(),
      (error) => this.setState({ fault: reason(error) }),
    );
  }

  componentWillUnmount() {
    const { client } = this.props;
    client.onShared = () => {};
    removeEventListener("contextmenu", this.pressed);
    removeEventListener("pointerdown", this.down, true);
    removeEventListener("pointerup", this.up);
    this.shared.leave();
  }

  /** On each connection we join anew. */
  componentDidUpdate() {
    const { me } = this.props.client;
    if (this.met && me?.token && me !== this.met) this.join();
    if (this.shared.scene.file && !this.isReading) this.read();
  }

  /** Read the file, which never changes. */
  async read() {
    this.isReading = true;
    try {
      const { opened, readShared } = await files();
      this.setState({ file: opened(await readShared(await this.shared.file()), "") });
    } catch (error) {
      if (error instanceof Refused) this.isReading = false;
      else this.setState({ fault: words().badFile });
    }
  }

  join() {
    this.met = this.props.client.me;
    this.shared.join().catch((error) => this.setState({ fault: reason(error) }));
  }

  // --- what a screen in it asks ---

  get place() {
    return placeOf(this.shared.scene);
  }

  meet(own: Place, enter: (place: Place) => void) {
    const { shared, place } = this;
    const [mine, theirs] = [own, place].map((one) => JSON.stringify(one));
    const leadsNow = shared.leads && !this.led;
    this.led = shared.leads;
    if (leadsNow && !this.state.follows) this.setState({ follows: true });
    if (this.isEntering) this.was = mine;
    this.isEntering = false;
    if (theirs !== this.seen) {
      this.seen = theirs;
      if ((shared.leads || this.state.follows) && mine !== theirs) {
        this.isEntering = true;
        return enter(place);
      }
    }
    if (mine === this.was && !leadsNow) return;
    this.was = mine;
    if (mine === theirs) return;
    if (!shared.leads) return this.setState({ follows: false });
    const isElsewhere = own.decision !== place.decision || own.position !== place.position;
    this.seen = mine;
    shared.show({ ...own, ...(isElsewhere ? CLEAN : {}) });
  }

  mark(point: number) {
    if (!this.state.marks || !this.shared.leads) return false;
    this.toggle(point);
    return true;
  }

  /** Mark a point, or take its mark away. @param point as the player at the bottom counts */
  toggle(point: number) {
    if (point === OFF || point === BAR) return;
    const { marks = [] } = this.shared.scene;
    const one = this.turned(point);
    this.shared.show({ marks: marks.includes(one) ? marks.filter((other) => other !== one) : [...marks, one] });
  }

  /** Draw an arrow, or take it away. Its points as the player at the bottom counts. */
  draw(from: number, to: number) {
    if (from === BAR || to === BAR) return;
    const { arrows = [] } = this.shared.scene;
    const [one, other] = [from, to].map(this.turned);
    const rest = arrows.filter((way) => `${way}` !== `${[one, other]}`);
    this.shared.show({
      arrows: rest.length < arrows.length ? rest : [...rest, [one, other] as [number, number]].slice(-MOST),
    });
  }

  get drawn() {
    return (this.shared.scene.arrows ?? [])
      .map((way) => way.map(this.turned))
      .filter((way) => way.every((point) => point > OFF && point < BAR));
  }

  /** A point of white in the numbering of the player at the bottom, or the other way. */
  turned = (point: number) => (this.seat ? 25 - point : point);

  get marked() {
    return (this.shared.scene.marks ?? []).map(this.turned).filter((point) => point > OFF && point < BAR);
  }

  paint(board: Board, seat: number, draws: typeof arrow) {
    this.seat = seat;
    board.svg.querySelector(".pointed")?.remove();
    const group = draw("g", { class: "pointed", "aria-hidden": "true" }, board.svg);
    for (const point of this.marked) {
      const [cx, cy] = spot(board.plan, true, point, 2, 5);
      draw("circle", { cx, cy, r: RADIUS + 2 }, group);
    }
    const ways = draw("g", { class: "ways" }, group);
    for (const way of this.drawn) {
      const [from, to] = way.map((point) => spot(board.plan, true, point, 2, 5));
      draws(ways, "drawn", from, to, board.plan.height);
    }
  }

  // --- what is drawn ---

  render() {
    const { client, matchOf } = this.props;
    const { shared } = this;
    const { now, scene } = shared;
    const { file } = this.state;
    const say = words();
    const toReviews = buttons(mainLink("/review", text.places.review));
    if (this.state.fault) return plain(this.state.fault, toReviews);
    if (!now) return plain(text.loading);
    if (!now.people?.length) return plain(say.gone, toReviews);
    return (
      <div class="together">
        {this.bar()}
        {scene.file ? (file ? matchOf(scene, this, file) : plain(text.loading)) : matchOf(scene, this)}
        <section class="list talk" aria-label={text.chat}>
          <Talk
            lines={shared.said.map((line, index): [number, Line] => [shared.saidBefore + index, line])}
            mayTalk={Boolean(client.me?.token)}
            say={(words) => shared.say(words)}
          />
        </section>
      </div>
    );
  }

  bar() {
    const { client } = this.props;
    const { marks, follows } = this.state;
    const { shared } = this;
    const { leader, leads, people } = shared;
    const say = words();
    const hand = (name: string | null) => client.showRefusal(shared.lead(name));
    const last = shared.said.at(-1);
    const others = people.filter((name) => name !== client.name);
    return (
      <section class="along list" aria-label={say.label}>
        <p class="present">
          {say.here}{" "}
          {people.map((name, index) => [
            index ? ", " : "",
            player(name),
            name === leader && <b>{` (${say.leads})`}</b>,
          ])}
        </p>
        <p class="lead" role="status">
          {leads ? say.youLead : !leader ? say.nobodyLeads : follows ? say.follows(leader) : say.strayed(leader)}{" "}
          {this.marked.length ? say.marked(this.marked.join(", ")) : ""}{" "}
          {this.drawn.length ? say.drawn(this.drawn.map((way) => way.join("–")).join(", ")) : ""}
          {marks && leads ? ` ${say.markHelp}` : ""}
        </p>
        {last ? (
          <p class="aside">
            {last.name}
            {": "}
            <bdi>{last.text}</bdi>
          </p>
        ) : null}
        {buttons(
          !leads && !follows ? button(say.follow, () => this.follow(), "main") : null,
          shared.mayTake ? button(say.take, () => hand(null)) : null,
          leads ? button(say.mark, () => this.setState({ marks: !marks }), "", false, { "aria-pressed": marks }) : null,
          leads && others.length ? (
            <Pop label={say.handTo} kind="" closes>
              {others.map((name) => button(name, () => hand(name)))}
            </Pop>
          ) : null,
          leads ? this.another() : null,
          this.invitation(),
          button(text.chat, () => document.querySelector(".together > .talk")?.scrollIntoView()),
          link("/review", say.leave, "quiet"),
        )}
      </section>
    );
  }

  follow() {
    this.seen = "";
    this.setState({ follows: true });
  }

  /** The link to be handed on. */
  invitation() {
    const value = `${invited()}/review#${this.props.id}`;
    return (
      <Pop label={words().invite} kind="">
        <p>{words().inviteHelp}</p>
        <input class="link" readonly value={value} aria-label={text.copy} />
        {qrCode(value)}
        <CopyButton words={text.copy} what={() => value} kind="main" />
      </Pop>
    );
  }

  /** Another match or position for all to see. */
  another() {
    const say = words();
    const { scene } = this.shared;
    const send = (sent: HTMLFormElement) => {
      const typed = String(new FormData(sent).get("what")).trim();
      const [, match = "", code = ""] = /\/m\/([\w-]{1,16})[^#]*(?:#([a-z2-7]{1,8}))?/.exec(typed) ?? [];
      const position = match ? "" : typed.slice(0, LONGEST);
      if (!typed) return;
      this.shared.show({ ...placeOf({ position, decision: match ? 1 : 0 }), match, code, file: 0, ...CLEAN });
    };
    return (
      <Pop label={say.another} kind="" key={`${scene.match} ${scene.position}`}>
        {/* closed by what it leads to */}
        {form(
          "set",
          send,
          labelled(say.anotherHelp, <input name="what" autocomplete="off" spellcheck={false} />),
          submit(say.showIt),
        )}
      </Pop>
    );
  }
}
