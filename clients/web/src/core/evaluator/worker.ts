/** The evaluator in a worker of its own: it reads a network once, and answers one question after the other. */

import { fetched } from "../device/fetched.ts";
import { type FiguresQuestion, figuresHere, figuresThere } from "./figures.ts";
import { type Hint, type HintQuestion, hintOf } from "./hint.ts";
import { type CubeAnswer, judgePlays, luckOf, type PlayAnswer, type Question, weighCube } from "./judge.ts";
import { networkFile } from "./known.ts";
import { type Network, readNetwork } from "./network.ts";

/** What is asked, and how it is answered. */
export type Asks = {
  play: [Question, PlayAnswer];
  cube: [Question, CubeAnswer];
  luck: [Question, number];
  hint: [HintQuestion, Hint];
  figures: [FiguresQuestion, Hint];
};
export type Asked = { [What in keyof Asks]: { id: number; what: What; question: Asks[What][0] } }[keyof Asks];
export type Answered = { id: number; answer: Asks[keyof Asks][1] };

const DOES = { play: judgePlays, cube: weighCube, luck: luckOf };

const networks = new Map<string, Promise<Network>>();

/** The network of a game. @param row of its checkers */
function networkOf(row: Iterable<number>) {
  const file = networkFile(row);
  const network = networks.get(file) ?? fetched(() => load(file));
  networks.set(file, network);
  return network;
}

async function load(file: string) {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(answer.statusText);
  return readNetwork(await answer.arrayBuffer());
}

addEventListener("message", async ({ data }: MessageEvent<Asked>) => {
  const { id, what, question } = data;
  const tell = (answer: Answered["answer"]) => postMessage({ id, answer } satisfies Answered);
  const there = what === "figures" && figuresThere(question);
  if (there) return tell(there);
  const row = "view" in question ? question.view.points.subarray(26) : question.position.mine;
  const network = await networkOf(row);
  if (what === "figures") figuresHere(network, question, tell);
  else if (what === "hint") tell(hintOf(network, question));
  else tell(DOES[what](network, question));
});
