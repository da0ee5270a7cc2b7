/** The page's side of the evaluator: it begins the worker when something is asked for the first time. */

import { AGAIN_MS } from "../device/fetched.ts";
import { script } from "../device/worker.ts";
import type { Decision } from "../model/decisions.ts";
import type { Answer } from "../model/findings.ts";
import type { Answered, Asked, Asks } from "./worker.ts";

export class Evaluator {
  worker: Worker | null = null;
  asked: { message: Asked; shown: (answer: never) => void }[] = []; // a message's id is its place

  ask<What extends keyof Asks>(what: What, question: Asks[What][0]): Promise<Asks[What][1]> {
    return new Promise((resolve) => this.follow(what, question, resolve));
  }

  /** What is worth what at a decision. */
  judge({ what, question }: Pick<Decision, "what" | "question">): Promise<Answer> {
    return this.ask(what === "play" ? "play" : "cube", question);
  }

  /** Ask for what is answered more than once: how far it is, then all of it. */
  follow<What extends keyof Asks>(what: What, question: Asks[What][0], shown: (answer: Asks[What][1]) => void) {
    const message = { id: this.asked.length, what, question } as Asked;
    this.asked.push({ message, shown });
    this.worker ??= this.begin();
    this.worker.postMessage(message);
  }

  begin() {
    const worker = new Worker(script("/evaluator.js"));
    worker.onmessage = ({ data }: MessageEvent<Answered>) => this.asked[data.id]?.shown(data.answer as never);
    worker.onerror = () => setTimeout(() => this.beginAgain(), AGAIN_MS); // its script did not come, and nothing was answered
    return worker;
  }

  beginAgain() {
    if (!this.asked.length) return;
    this.worker = this.begin();
    for (const { message } of this.asked) this.worker.postMessage(message);
  }

  /** Stop thinking: nobody waits for what was asked. */
  end() {
    this.worker?.terminate();
    this.asked = [];
  }
}
