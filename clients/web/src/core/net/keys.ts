/** Keys of what this browser keeps of its player. */

export const TOKEN = "tavla.token";
export const NAMES = "tavla.name";
export const IGNORED = "tavla.ignored";
export const ENTERED = "tavla.tournament"; // the one that this browser is in
