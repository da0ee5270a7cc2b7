/** Styles of the parts of the page that have been opened, beside those of all parts. */

const worn = new Set<string>();

export function wear(styles: string) {
  if (worn.has(styles)) return;
  worn.add(styles);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
