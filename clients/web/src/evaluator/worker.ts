/** The evaluator in a worker of its own: it reads its network once, and answers one question after the other. */

import type { FiguresQuestion } from "./figures.ts";
import { figuresHere, figuresThere } from "./figures.ts";
import type { Hint, HintQuestion } from "./hint.ts";
import { failedHint, hintOf } from "./hint.ts";
import type { CubeAnswer, PlayAnswer, Question } from "./judge.ts";
import { luckOf, rankPlays, weighCube } from "./judge.ts";
import type { Network } from "./network.ts";
import { readNetwork } from "./network.ts";

export type Asked =
  | { id: number; what: "play" | "cube" | "luck"; question: Question }
  | { id: number; what: "hint"; question: HintQuestion }
  | { id: number; what: "figures"; question: FiguresQuestion };
/** failed: there is no evaluator, since the network's file did not load. */
export type Answered = { id: number; answer: PlayAnswer | CubeAnswer | number | Hint } | { failed: string };

const DOES = { play: rankPlays, cube: weighCube, luck: luckOf };

let network: Promise<Network> | null = null;

async function load() {
  const answer = await fetch("/network.bin");
  if (!answer.ok) throw new Error(answer.statusText);
  return readNetwork(await answer.arrayBuffer());
}

const tell = (answered: Answered) => postMessage(answered);

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const { id } = data;
  const shown = (answer: Hint) => tell({ id, answer });
  const there = data.what === "figures" && figuresThere(data.question);
  if (there) return shown(there);
  network ??= load();
  if (data.what === "hint" || data.what === "figures")
    network.then(
      (loaded) =>
        data.what === "hint" ? shown(hintOf(loaded, data.question)) : figuresHere(loaded, data.question, shown),
      () => shown(failedHint(data.question.language)),
    );
  else
    network.then(
      (loaded) => tell({ id, answer: DOES[data.what](loaded, data.question) }),
      (error) => tell({ failed: String(error) }),
    );
});
