/** Sentences with links to the glossary and the rules in them: [words](key). */
import { type Children, link } from "../../core/look/parts.tsx";

const LINK = /\[([^\]]+)\]\(([\w-]+)\)/;

export const linked = (words: string): Children =>
  words.split(LINK).map((part, index, all) => {
    if (index % 3 === 2) return null;
    return index % 3 ? link(`#${all[index + 1]}`, part) : part;
  });

/** The same to be heard. */
export const plain = (words: string) => words.replace(new RegExp(LINK, "g"), "$1");
