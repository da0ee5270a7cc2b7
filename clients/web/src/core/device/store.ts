/**
 * Settings and tokens that this device keeps for the page. Where the browser keeps nothing, they live in memory until
 * a reload.
 */

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Storage that never throws. */
export class Store implements Kept {
  open: () => Kept;
  isKept = true; // false: the browser has refused to keep something
  here: Map<string, string | null> = new Map(); // what could not be kept

  /** @param open may throw, as `localStorage` itself does where it is blocked */
  constructor(open: () => Kept) {
    this.open = open;
  }

  getItem(key: string): string | null {
    const here = this.here.get(key);
    if (here !== undefined) return here;
    try {
      return this.open().getItem(key);
    } catch {
      this.isKept = false;
      return null;
    }
  }

  setItem(key: string, value: string) {
    this.write(key, value, (storage) => storage.setItem(key, value));
  }

  removeItem(key: string) {
    this.write(key, null, (storage) => storage.removeItem(key));
  }

  /** The keys that begin so. */
  keys(start: string) {
    const keys = [...this.here.keys()];
    try {
      keys.push(...Object.keys(this.open()));
    } catch {}
    return [...new Set(keys)].filter((key) => key.startsWith(start) && this.getItem(key));
  }

  write(key: string, value: string | null, does: (storage: Kept) => void) {
    try {
      does(this.open());
      this.here.delete(key);
    } catch {
      this.isKept = false;
      this.here.set(key, value);
    }
  }

  /** A value that was kept as JSON; the other one, if there is none that can be read. */
  read<T>(key: string, other: T): T {
    try {
      return JSON.parse(this.getItem(key) ?? "null") ?? other;
    } catch {
      return other;
    }
  }
}

/** The page's storage in this browser. */
export const store = new Store(() => localStorage);
