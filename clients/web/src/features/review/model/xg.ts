/**
 * A match in eXtreme Gammon's own format (`.xg`), with what its judge has found. Each play is looked for among the legal
 * ones by the board after it. Source: the format's published notes; numbers are little-endian.
 */

import type { Finding as Told } from "../../../../../../protocol/tavla.d.ts";
import { costOf, type Finding } from "../../../core/model/findings.ts";
import { notation } from "../../../core/model/notation.ts";
import { asMoves, keyOf, legalPlays, type Position, whole } from "../../../core/model/plays.ts";
import { gameEnd } from "../../../core/model/referee.ts";
import { isOff } from "../../../core/model/stakes.ts";
import { isPair } from "../../../core/model/view.ts";
import { inflated } from "./bytes.ts";
import { type FileMatch, LEAST, Reading, toldBy } from "./reading.ts";

const [HEAD, RECORD, MEMBER, END] = [8232, 2560, 532, 36]; // bytes
const [CANDIDATES, BOARD] = [32, 26]; // plays that are judged, and numbers of a board
const MONEY = 99999; // as a match's length
const UNKNOWN = -1000; // of what was not judged

/** The records of a file, one after the other. */
async function recordsOf(file: Uint8Array<ArrayBuffer>) {
  const bytes = await unpacked(file);
  return Array.from(
    { length: Math.floor(bytes.length / RECORD) },
    (_, n) => new DataView(bytes.buffer, n * RECORD, RECORD),
  );
}

async function unpacked(file: Uint8Array<ArrayBuffer>) {
  const head = new DataView(file.buffer);
  const start = HEAD + head.getUint32(20, true); // behind the picture
  const end = file.length - END;
  const index = await inflated(file.slice(end - head.getUint32(end + 12, true), end)).catch(() => null);
  if (!index) return inflated(file.slice(start)); // HedgeHog writes the records alone
  for (let at = 0; at + MEMBER <= index.length; at += MEMBER) {
    const name = String.fromCharCode(...index.slice(at + 1, at + 1 + index[at]));
    if (name !== "temp.xg") continue;
    const about = new DataView(index.buffer, at);
    const [packed, place] = [about.getUint32(516, true), start + about.getUint32(520, true)];
    const body = file.slice(place, place + packed);
    return index[at + 528] ? body : inflated(body);
  }
  throw new TypeError("no match");
}

const words = (record: DataView, at: number) => {
  let text = "";
  for (let place = at; place < at + 258 && record.getUint16(place, true); place += 2)
    text += String.fromCharCode(record.getUint16(place, true));
  return text;
};
const int = (record: DataView, at: number) => record.getInt32(at, true);
const seatOf = (record: DataView, at: number) => (int(record, at) === 1 ? 0 : 1);

/** A board of a record, as who has just moved sees it; where the others are off is told by nobody. */
function boardAt(record: DataView, at: number, [ours, others]: number[]): Position {
  const own = Array.from({ length: BOARD }, (_, point) => record.getInt8(at + point));
  const mine = own.map((count) => Math.max(count, 0));
  const theirs = own.map((_, point) => Math.max(-own[25 - point], 0));
  return { mine: whole(mine, ours), theirs: whole(theirs, others) };
}

/** A match that is read record by record. */
class XgReading extends Reading {
  dropped = false;
  findings: Told[] = [];
  counts = [0, 0];
  lost = [0, 0];
  luck = [0, 0];

  constructor(match: DataView, game: DataView) {
    const length = int(match, 92);
    const [crawford, jacoby] = [Boolean(match.getUint8(100)), Boolean(match.getUint8(101))];
    const rules = length === MONEY ? { length: 0, crawford: false, jacoby } : { length, crawford };
    super(rules, [int(game, 12), int(game, 16)], int(game, 48));
  }

  /** What the file's judge says of a decision. */
  judge(turn: number, seat: number, done: string, best: string, found: Finding | null) {
    if (!found) return;
    const loss = Math.max(found.loss, 0);
    this.counts[seat] += Number(found.counts);
    this.lost[seat] += loss;
    if (loss > LEAST && done !== best) this.findings.push([this.state.game, turn, seat, done, best, loss, null]);
  }

  cube(record: DataView) {
    const seat = seatOf(record, 12);
    const [waiting, taken, drop] = [152, 156, 160].map((at) => record.getFloat32(at, true));
    const [isDouble, answer] = [int(record, 16) === 1, int(record, 20)];
    const turn = this.turn + 1;
    const judged = (what: "double" | "take", done: boolean) =>
      drop ? costOf({ what } as Parameters<typeof costOf>[0], { waiting, taken } as never, { key: "", done }) : null;
    const best = Math.min(taken, 1) > waiting ? "double" : "no double";
    if (isDouble || int(record, 16) === 0)
      this.judge(turn, seat, isDouble ? "double" : "no double", best, judged("double", isDouble));
    if (!isDouble) return;
    this.add("doubled", seat);
    const isTaken = answer > 0;
    this.judge(turn, 1 - seat, isTaken ? "take" : "drop", taken > 1 ? "drop" : "take", judged("take", isTaken));
    this.dropped = !isTaken;
    if (answer === 2) this.add("beavered", 1 - seat);
    if (isTaken) this.add("taken", answer === 2 ? seat : 1 - seat);
  }

  /** @param isLast no other play follows in this game: with these dice somebody has given up */
  play(record: DataView, isLast: boolean) {
    const [seat, high, low] = [seatOf(record, 64), int(record, 100), int(record, 104)];
    if (!isPair([high, low])) throw new TypeError("no dice"); // checkers would go a million points far
    const [first, second] = [Math.max(high, low), Math.min(high, low)];
    if (this.turn++) this.add("rolled", seat, first, second);
    else this.add("opening_rolled", ...(seat ? [second, first] : [first, second]));
    const { rows, game } = this.state;
    const checkers = rows.map((row) => row.reduce((sum, count) => sum + count, 0));
    if (seat) checkers.reverse();
    const plays = legalPlays({ mine: rows[seat], theirs: rows[1 - seat] }, [first, second]);
    const made = (at: number) => keyOf(boardAt(record, at, checkers));
    const key = made(35);
    const played = plays.get(key);
    if (!played) {
      if (!isLast) this.cut = { game, turn: this.turn };
      return;
    }
    const texts = ({ steps }: typeof played) => notation(asMoves(steps), rows[1 - seat]);
    const judged = Array.from({ length: Math.min(int(record, 120), CANDIDATES) }, (_, n) => ({
      key: made(192 + BOARD * n),
      equity: record.getFloat32(1432 + 28 * n, true),
    }));
    const best = plays.get(judged[0]?.key ?? key) ?? played;
    const found = judged.length
      ? costOf({ what: "play" } as never, { plays: judged } as never, { key, done: true })
      : null;
    this.judge(this.turn, seat, texts(played), texts(best), found);
    const luck = record.getFloat64(2320, true);
    if (luck > UNKNOWN) this.luck[seat] += luck;
    this.add("moved", seat, asMoves(played.steps));
  }

  end(record: DataView) {
    const { state, rules } = this;
    const [winner, points] = [seatOf(record, 24), int(record, 28)];
    const ending = this.dropped ? "drop" : isOff(state.rows[winner]) ? "borne_off" : "resignation";
    const given = [points, points / state.cube.value]; // the last win may be cut to what the match needed
    if (ending === "resignation") this.add("resignation_offered", 1 - winner, given[1]);
    const due = ending === "resignation" ? given : (gameEnd(state, rules, winner, ending) ?? given);
    this.add("game_ended", winner, ...due, ending);
    this.endMatch();
  }
}

/** The match in a file. @throws for a file that is none */
export async function readXg(file: ArrayBuffer): Promise<FileMatch> {
  const records = await recordsOf(new Uint8Array(file));
  const [match, game] = records;
  if (match?.getUint8(8) !== 0 || game?.getUint8(8) !== 1) throw new TypeError("no match");
  const reading = new XgReading(match, game);
  for (const [place, record] of records.entries()) {
    const kind = record.getUint8(8);
    if (kind === 1) {
      reading.add("game_started", Boolean(record.getUint8(20)));
      Object.assign(reading, { turn: 0, dropped: false });
    } else if (kind === 2) reading.cube(record);
    else if (kind === 3) reading.play(record, records[place + 1]?.getUint8(8) === 4);
    else if (kind === 4) reading.end(record);
    if (reading.cut || reading.isOver) break;
  }
  const { counts, lost, luck, findings } = reading;
  const players = [words(match, 880), words(match, 1138)];
  return reading.asFile(players, toldBy("eXtreme Gammon", counts, lost, luck, findings));
}
