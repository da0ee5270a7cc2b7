/** Forms and their fields. */

import { h, type RefObject, type TargetedEvent } from "preact";
import { reason } from "../net/connection.ts";
import { text } from "../texts/text.ts";
import type { Children } from "./parts.tsx";

export const labelled = (label: string, field: Children) => (
  <label>
    {label}
    {field}
  </label>
);

/** An input, which hands on what was entered. @param more attributes */
const input = (value: string, set: (value: string) => void, more: Record<string, unknown> = {}) => {
  const onInput = (event: TargetedEvent<HTMLInputElement>) => set(event.currentTarget.value);
  return <input value={value} onInput={onInput} autocomplete="off" {...more} />;
};

export const field = (label: string, ...given: Parameters<typeof input>) => labelled(label, input(...given));

/** Attributes of the name of a table or a tournament. */
export const NAME_OF_TABLE = { maxLength: 40, dir: "auto", spellcheck: false };

/** A form. @param send what is done when it is sent, in place of what a browser would do */
export const form = (kind: string, send: (form: HTMLFormElement) => void, ...fields: Children[]) => {
  const onSubmit = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    send(event.currentTarget);
  };
  return (
    <form class={kind} onSubmit={onSubmit}>
      {...fields}
    </form>
  );
};

export const submit = (words: string, disabled = false, kind = "main") => (
  <button type="submit" class={kind} disabled={disabled}>
    {words}
  </button>
);

/** Do what a form asks for: it is busy until then, and says what was refused. */
export async function fulfil(
  form: { setState(state: { fault: string; busy: boolean }): void },
  does: () => Promise<unknown>,
) {
  form.setState({ fault: "", busy: true });
  try {
    await does();
  } catch (error) {
    form.setState({ fault: reason(error), busy: false });
  }
}

/** A play that is typed. @param set null = no longer */
export const typingForm = (
  ref: RefObject<HTMLInputElement | null>,
  typing: string,
  set: (typing: string | null) => void,
  send: () => void,
) => {
  const onKeyDown = ({ key }: KeyboardEvent) => key === "Escape" && set(null);
  const words = { "aria-label": text.typeMove, placeholder: text.typeMove };
  return form("typing", send, input(typing, set, { ref, onKeyDown, ...words }));
};

/** @param options what is said of each value */
export const select = (
  value: string,
  options: Record<string, string> | [string, string][],
  choose: (value: string) => void,
  more: Record<string, unknown> = {},
) => (
  <select
    {...more}
    value={value}
    onChange={(event: TargetedEvent<HTMLSelectElement>) => choose(event.currentTarget.value)}
  >
    {(Array.isArray(options) ? options : Object.entries(options)).map(([key, label]) => (
      <option value={key} selected={key === value}>
        {label}
      </option>
    ))}
  </select>
);

export const choice = (label: string, ...given: Parameters<typeof select>) => labelled(label, select(...given));

/** @param about the id of what is said of it */
export const tick = (label: string, on: boolean, choose: (on: boolean) => void, about?: string) => (
  <label class="tick">
    <input
      type="checkbox"
      checked={on}
      aria-describedby={about}
      onChange={(event: TargetedEvent<HTMLInputElement>) => choose(event.currentTarget.checked)}
    />
    {label}
  </label>
);

/** The heading of some fields that belong together. */
export const group = (words: string) => <h3 class="wide">{words}</h3>;

export const refusal = (words: string) =>
  words ? (
    <p class="notice" role="alert">
      {words}
    </p>
  ) : null;
