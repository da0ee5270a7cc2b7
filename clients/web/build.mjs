// Makes what the server gives to browsers: node build.mjs [FOLDER]. Without a FOLDER all is written to its place.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const NOTICE = `/*! Tavla, MIT. With preact, MIT, (c) Jason Miller. */`;
/** The page, and what it fetches when it is wanted. */
const ENTRIES = [
  "calls.ts",
  "files.tsx",
  "learn.tsx",
  "ledger.ts",
  "people.tsx",
  "puzzles.tsx",
  "reasons.ts",
  "review.tsx",
  "together.tsx",
  "tournaments.tsx",
  "texts/tr.ts",
  "model/mat.ts",
  "model/judged.ts",
];

const bundled = async (entry, options = {}) => {
  const made = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2023", "chrome123", "firefox121", "safari17.5"],
    legalComments: "none", // NOTICE says it
    charset: "utf8",
    ...options,
  });
  return options.splitting ? made : made.outputFiles[0].text.trim();
};
/** Styles of a screen are a text in its script; a script of the page needs what all of them share. */
const parts = {
  name: "parts",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await bundled(path), loader: "text" }));
    onLoad({ filter: new RegExp(`src/(${ENTRIES.join("|")})$`) }, async ({ path }) => ({
      contents: `import "${here("src/app.tsx")}";${await readFile(path, "utf8")}`,
      loader: "tsx",
    }));
  },
};
/** The scripts of the page: `app.js` with all that they share, one for each entry, and what only some of these share. */
const scripts = async () => {
  const { outputFiles, metafile } = await bundled("src/app.tsx", {
    entryPoints: [here("src/app.tsx"), ...ENTRIES.map((name) => here(`src/${name}`))],
    entryNames: "[name]",
    chunkNames: "[hash]",
    plugins: [parts],
    splitting: true,
    metafile: true,
    outdir: here("."),
  });
  const outputs = Object.entries(metafile.outputs);
  const isShared = ([, { inputs, entryPoint }]) => !entryPoint && !("src/app.tsx" in inputs);
  const named = outputs.map(([path, about]) => [path, "src/app.tsx" in about.inputs ? "app.js" : path]);
  const shared = outputs.filter(isShared).sort(([, one], [, other]) => other.bytes - one.bytes);
  for (const [at, [path]] of shared.entries()) named.find(([old]) => old === path)[1] = `shared${at + 1}.js`;
  const names = new Map(named.filter(([path, name]) => path !== name));
  return outputFiles.flatMap(({ path, text }) => {
    const file = path.split("/").at(-1);
    if (file === "app.js") return []; // it only asks for what all share
    const renamed = [...names].reduce((script, [old, name]) => script.replaceAll(`./${old}`, `./${name}`), text.trim());
    const name = names.get(file) ?? file;
    return [[name, name === "app.js" ? `${NOTICE}\n${renamed}` : renamed]];
  });
};
/** Texts alone, for a page that asks for them when it needs them. */
const texts = async (name, entry, what) => {
  const module = await import(`data:text/javascript;base64,${Buffer.from(await bundled(entry)).toString("base64")}`);
  return [name, JSON.stringify(module[what])];
};
const page = async () => {
  const [template, style] = await Promise.all([readFile(here("src/page.html"), "utf8"), bundled("src/style.css")]);
  return template.replace("/*style*/", () => style);
};
const folder = process.argv[2] ?? here("tavla_web");
const files = [
  ...(await scripts()),
  ["page.html", await page()],
  await texts("help.json", "src/texts/help/text.ts", "HELP"),
  ["evaluator.js", await bundled("src/evaluator/worker.ts")],
];
await Promise.all(files.map(([name, text]) => writeFile(`${folder}/${name}`, text)));
