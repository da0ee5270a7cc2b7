/**
 * What this device keeps for the page, and what is kept in its place where the browser keeps nothing: then all of it is gone
 * with a reload.
 */

/** Storage that never throws. @implements {Pick<Storage, "getItem" | "setItem" | "removeItem">} */
export class Store {
  /** @param {() => Pick<Storage, "getItem" | "setItem" | "removeItem">} open may throw, as `localStorage` itself does where it is blocked */
  constructor(open) {
    this.open = open;
    this.isKept = true; // false: the browser has refused to keep something
    /** @type {Map<string, string | null>} */
    this.here = new Map(); // what could not be kept
  }

  /** @template T @param {(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">) => T} does @returns {T | undefined} */
  attempt(does) {
    try {
      return does(this.open());
    } catch {
      this.isKept = false;
      return undefined;
    }
  }

  /** @param {string} key @returns {string | null} */
  getItem(key) {
    return this.here.has(key) ? /** @type {string | null} */ (this.here.get(key)) : (this.attempt((storage) => storage.getItem(key)) ?? null);
  }

  /** @param {string} key @param {string} value */
  setItem(key, value) {
    const isKept = this.attempt((storage) => (storage.setItem(key, value), true));
    if (isKept) this.here.delete(key);
    else this.here.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    const isGone = this.attempt((storage) => (storage.removeItem(key), true));
    if (isGone) this.here.delete(key);
    else this.here.set(key, null);
  }

  /** A value that was kept as JSON; the other one, if there is none that can be read. @template T @param {string} key @param {T} other @returns {T} */
  read(key, other) {
    try {
      return JSON.parse(this.getItem(key) ?? "null") ?? other;
    } catch {
      return other;
    }
  }
}

/** What this browser keeps for the page. */
export const store = new Store(() => localStorage);
