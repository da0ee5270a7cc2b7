/** The title and the icon of the tab: they say that it is our turn. */
const DOT = "%3Ccircle cx='25' cy='7' r='7' fill='%23e0362c' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E";

export function attend(title: string, isOurs: boolean) {
  document.title = isOurs && document.hidden ? `● ${title}` : title;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (!icon) return;
  const { plain = icon.href } = icon.dataset;
  icon.dataset.plain = plain;
  const href = isOurs && document.hidden ? plain.replace("%3C/svg%3E", DOT) : plain;
  if (icon.href !== href) icon.href = href;
}
