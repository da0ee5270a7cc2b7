/** Waiting for something that arrives: each waiter looks again after every change. */
import type { Browser } from "../device/browser.ts";

export class Waiters {
  browser: Browser;
  waiting: Set<() => void> = new Set();

  constructor(browser: Browser) {
    this.browser = browser;
  }

  wake() {
    for (const look of this.waiting) look();
  }

  /** Resolves with what is found, as soon as that is not undefined; with undefined after `ms`, if they are given. */
  until<T>(find: () => T | undefined, ms?: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const end = () => {
        this.waiting.delete(look);
        stop?.();
        resolve(find());
      };
      const look = () => find() !== undefined && end();
      const stop = ms === undefined ? undefined : this.browser.later(end, ms);
      this.waiting.add(look);
      look();
    });
  }

  sleep(ms: number) {
    return new Promise<void>((resolve) => this.browser.later(resolve, ms));
  }
}
