/** The page's side of the evaluator: it begins the worker when something is asked for the first time. */

import { script } from "../device/worker.ts";
import type { Question } from "./judge.ts";
import type { Answered, Asked } from "./worker.ts";

type Answers = { play: import("./judge.ts").PlayAnswer; cube: import("./judge.ts").CubeAnswer; luck: number };
type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void };

export class Evaluator {
  worker: Worker | null = null;
  waiting: Map<number, Waiting> = new Map();
  nextId = 0;

  ask<What extends keyof Answers>(what: What, question: Question): Promise<Answers[What]> {
    const id = this.nextId++;
    const answer = new Promise<Answers[What]>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.worker ??= this.begin();
    this.worker.postMessage({ id, what, question } satisfies Asked);
    return answer;
  }

  begin() {
    const worker = new Worker(script("/evaluator.js"));
    worker.onmessage = ({ data }: MessageEvent<Answered>) => {
      if ("failed" in data) return this.fail(data.failed);
      this.waiting.get(data.id)?.resolve(data.answer as never);
      this.waiting.delete(data.id);
    };
    worker.onerror = ({ message }) => this.fail(message);
    return worker;
  }

  /** Stop thinking: nobody waits for what was asked. */
  end() {
    this.worker?.terminate();
  }

  /** Nothing more comes of it. */
  fail(why: string) {
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }
}
