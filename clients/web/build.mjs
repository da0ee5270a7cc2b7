// Makes what the server gives to browsers: node build.mjs [FOLDER]. Without a FOLDER all is written to its place.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const NOTICE = `/*! Tavla, MIT. With preact, MIT, (c) Jason Miller. */`;

const bundled = async (entry) => {
  const made = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2023", "chrome123", "firefox121", "safari17.5"],
    legalComments: "none", // NOTICE says it
    external: ["/people.js", "/reasons.js", "/calls.js", "/mat.js"],
    charset: "utf8",
  });
  return made.outputFiles[0].text.trim();
};
const made = async (name, entry, styles) => {
  const [template, style, script] = await Promise.all([
    readFile(here("src/page.html"), "utf8"),
    bundled(styles),
    bundled(entry),
  ]);
  if (/<\/(script|style)/i.test(script + style)) throw new Error("the script would end its own element");
  return [name, template.replace("/*style*/", () => style).replace("/*script*/", () => `${NOTICE}\n${script}`)];
};
/** Texts alone, for a page that asks for them when it needs them. */
const texts = async (name, entry, what) => {
  const module = await import(`data:text/javascript;base64,${Buffer.from(await bundled(entry)).toString("base64")}`);
  return [name, JSON.stringify(module[what])];
};
const folder = process.argv[2] ?? here("tavla_web");
const files = await Promise.all([
  made("page.html", "src/app.ts", "src/style.css"),
  made("review.html", "src/review.ts", "src/review.css"),
  made("learn.html", "src/learn.ts", "src/learn.css"),
  made("tournaments.html", "src/tournaments.ts", "src/tournaments.css"),
  texts("help.json", "src/texts/help/text.ts", "HELP"),
  bundled("src/people.ts").then((script) => ["people.js", script]),
  bundled("src/reasons.ts").then((script) => ["reasons.js", script]),
  bundled("src/calls.ts").then((script) => ["calls.js", script]),
  bundled("src/model/mat.ts").then((script) => ["mat.js", script]),
  bundled("src/evaluator/worker.ts").then((script) => ["evaluator.js", script]),
]);
await Promise.all(files.map(([name, text]) => writeFile(`${folder}/${name}`, text)));
