/** The title and the icon of the tab: they say that it is our turn. */
const DOT = "%3Ccircle cx='25' cy='7' r='7' fill='%23e0362c' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E";

/** @param {string} title @param {boolean} isOurs */
export function attend(title, isOurs) {
  document.title = isOurs && document.hidden ? `● ${title}` : title;
  const icon = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
  const plain = (icon.dataset.plain ??= icon.href);
  const href = isOurs && document.hidden ? plain.replace("%3C/svg%3E", DOT) : plain;
  if (icon.href !== href) icon.href = href;
}
