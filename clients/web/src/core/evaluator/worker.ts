/** The evaluator in a worker of its own: it reads a network once, and answers one question after the other. */

import { type FiguresQuestion, figuresHere, figuresThere } from "./figures.ts";
import { failedHint, type Hint, type HintQuestion, hintOf } from "./hint.ts";
import { type CubeAnswer, judgePlays, luckOf, type PlayAnswer, type Question, weighCube } from "./judge.ts";
import { networkFile } from "./known.ts";
import { type Network, readNetwork } from "./network.ts";

export type Asked =
  | { id: number; what: "play" | "cube" | "luck"; question: Question }
  | { id: number; what: "hint"; question: HintQuestion }
  | { id: number; what: "figures"; question: FiguresQuestion };
/** failed: there is no evaluator, since the network's file did not load. */
export type Answered = { id: number; answer: PlayAnswer | CubeAnswer | number | Hint } | { failed: string };

const DOES = { play: judgePlays, cube: weighCube, luck: luckOf };

const networks = new Map<string, Promise<Network>>();

/** The network of a game. @param row of its checkers */
function networkOf(row: Iterable<number>) {
  const file = networkFile(row);
  const network = networks.get(file) ?? load(file);
  networks.set(file, network);
  return network;
}

async function load(file: string) {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(answer.statusText);
  return readNetwork(await answer.arrayBuffer());
}

const tell = (answered: Answered) => postMessage(answered);

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const { id } = data;
  const shown = (answer: Hint) => tell({ id, answer });
  const there = data.what === "figures" && figuresThere(data.question);
  if (there) return shown(there);
  if (data.what === "hint" || data.what === "figures")
    networkOf(data.question.view.points.subarray(26)).then(
      (loaded) =>
        data.what === "hint" ? shown(hintOf(loaded, data.question)) : figuresHere(loaded, data.question, shown),
      () => shown(failedHint(data.question.language)),
    );
  else
    networkOf(data.question.position.mine).then(
      (loaded) => tell({ id, answer: DOES[data.what](loaded, data.question) }),
      (error) => tell({ failed: String(error) }),
    );
});
