/** Output of the page: text for the clipboard, a file to be saved. */

/** Copy a text; on plain http:// there is no clipboard to write to, and the old way is tried. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
    const before = document.activeElement;
    field.style.position = "fixed";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}

export function save(name: string, text: string) {
  const link = Object.assign(document.createElement("a"), { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const HERE = ["localhost", "127.0.0.1", "[::1]"];
let origin = "";

/** Where a friend opens this page: on the server's own machine that is not what stands in the address line. */
export const invited = () => origin || location.origin;

/** Ask for that, where it is needed. */
export async function findOrigin() {
  if (location.protocol !== "http:" || !HERE.includes(location.hostname)) return;
  const answer = await fetch("/address");
  const at = answer.ok ? (await answer.text()).trim() : "";
  if (at) origin = at.includes("://") ? at : `http://${at}`;
}
