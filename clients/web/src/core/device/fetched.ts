/** Parts of the page that come when they are wanted: a script, a network of the evaluator, explanations. */

export const AGAIN_MS = 1000;

/** A part, as soon as it can be had: while a server or a network is away, it is asked for again. */
export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
