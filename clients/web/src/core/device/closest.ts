/** The nearest element that fits a selector, from the target of an event outwards. */
export const closest = ({ target }: Event, selector: string) =>
  target instanceof Element ? target.closest(selector) : null;

/** Whether a key goes with another one, or is for a control: then it is none of a screen's. @param controls a selector */
export const isBusy = (event: KeyboardEvent, controls: string) =>
  event.ctrlKey || event.metaKey || event.altKey || closest(event, controls) !== null;

/** Whether a key is for no control: the focus is where a screen begins, or nowhere. */
export const isFree = (event: Event) => closest(event, "h1, h2, body") === event.target;
