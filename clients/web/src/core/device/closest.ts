/** The nearest element that fits a selector, from the target of an event outwards. */
export const closest = ({ target }: Event, selector: string) =>
  target instanceof Element ? target.closest(selector) : null;
