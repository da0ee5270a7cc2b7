/** A style sheet is a text: see build.mjs. */
declare module "*.css" {
  const text: string;
  export default text;
}
