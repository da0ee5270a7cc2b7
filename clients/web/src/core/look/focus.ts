/** The focus, for who plays by keys or by ear: it stays near where it was, when what has it goes. */

const STOPS = "[data-point][tabindex='0'], .scroll, a, button, input, select";
let path: HTMLElement[] = []; // what had the focus last, and all that it stands in

/** On another screen the focus begins at the heading, which is read then. */
export function toHeading() {
  const heading = document.querySelector("h1");
  if (!heading || document.activeElement?.matches("main *")) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function keep() {
  if (!path.length || document.activeElement !== document.body) return;
  const near = path.find((one) => one.isConnected && one.matches("main *, header *, dialog, dialog *"));
  const next = near === path[0] ? near : near?.querySelector<HTMLElement>(STOPS);
  if (!next) toHeading();
  // At a match all keys but Tab go by where the focus is not.
  else if (!path.some((one) => one.matches(".controls"))) next.focus({ preventScroll: true });
}

/** Watch what goes, from now on. */
export function keepFocus() {
  addEventListener("focusin", (event) => {
    path = event.composedPath().filter((one) => one instanceof HTMLElement);
  });
  addEventListener("pointerdown", ({ target }) => {
    if (!(target instanceof Node && path[0]?.contains(target))) path = []; // who clicks beside it leaves it
  });
  new MutationObserver(keep).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
}
