// Makes the one document that the server gives to browsers: node build.mjs [FILE]. Without a FILE it is written to its place.
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
    target: ["es2023", "chrome120", "firefox121", "safari17"],
    legalComments: "none",
    charset: "utf8",
  });
  return made.outputFiles[0].text.trim();
};
const [template, style, script] = await Promise.all([
  readFile(here("src/page.html"), "utf8"),
  bundled("src/style.css"),
  bundled("src/app.ts"),
]);
if (/<\/(script|style)/i.test(script + style)) throw new Error("the script would end its own element");
const document = template.replace("/*style*/", () => style).replace("/*script*/", () => `${NOTICE}\n${script}`);
await writeFile(process.argv[2] ?? here("tavla_web/page.html"), document);
