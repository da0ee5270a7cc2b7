/** The title and the icon of the tab: whose turn it is, and while the tab is hidden that the player is wanted. */
const DOT = "%3Ccircle cx='25' cy='7' r='7' fill='%23e0362c' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E";
const [IVORY, OURS, THEIRS] = ["%23fbf6ea", "%2346b38a", "%2380756a"]; // the upper checker of the mark

/** @param isOurs null: it is no player's turn. @param isNew a match of ours that was not seen yet */
export function attend(title: string, isOurs: boolean | null, isNew?: boolean) {
  const calls = document.hidden && (isOurs || isNew);
  document.title = calls ? `● ${title}` : title;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (!icon) return;
  const { plain = icon.href } = icon.dataset;
  icon.dataset.plain = plain;
  const turned =
    isOurs === null ? plain : plain.replace(`r='8' fill='${IVORY}`, `r='8' fill='${isOurs ? OURS : THEIRS}`);
  const href = calls ? turned.replace("%3C/svg%3E", DOT) : turned;
  if (icon.href !== href) icon.href = href;
}
