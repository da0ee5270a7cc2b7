/** Styles of the parts of the page that have been opened, beside those of all parts. */

const part = new CSSStyleSheet();
document.adoptedStyleSheets = [part];

/** Wear the styles of the part that is on the screen, and of no other. */
export const dress = (shown: { styles: string } | null) => part.replaceSync(shown?.styles ?? "");

/** Wear styles for as long as the page is open. */
export function wear(styles: string) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets];
}
