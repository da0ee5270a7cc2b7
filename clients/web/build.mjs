// Makes what the server gives to browsers: node build.mjs [FOLDER]. Without a FOLDER all is written to its place.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const NOTICE = `/*! Tavla, MIT. With preact, MIT, (c) Jason Miller. */`;
/** The page, and what it fetches when it is wanted. */
const ENTRIES = {
  calls: "features/calls/entry.ts",
  collection: "features/review/collection.tsx",
  files: "features/review/files.tsx",
  learn: "features/learn/entry.tsx",
  ledger: "features/ledger/entry.ts",
  people: "features/people/entry.tsx",
  puzzles: "features/puzzles/entry.tsx",
  reasons: "features/match/reasons.ts",
  review: "features/review/entry.tsx",
  together: "features/review/together/entry.tsx",
  tournaments: "features/tournaments/entry.tsx",
  tr: "core/texts/tr.ts",
  mat: "core/net/mat.ts",
  judged: "core/model/judged.ts",
  hint: "features/match/hint.tsx",
};
const APP = "src/app.tsx";

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
    onLoad({ filter: new RegExp(`src/(${Object.values(ENTRIES).join("|")})$`) }, async ({ path }) => ({
      contents: `import "${here(APP)}";${await readFile(path, "utf8")}`,
      loader: "tsx",
    }));
  },
};
/** The scripts of the page: `app.js` with all that they share, one for each entry, and what only some of these share. */
const scripts = async () => {
  const { outputFiles, metafile } = await bundled(APP, {
    entryPoints: [APP, ...Object.values(ENTRIES).map((path) => `src/${path}`)].map((path, at) => ({
      in: here(path),
      out: ["app", ...Object.keys(ENTRIES)][at],
    })),
    entryNames: "[name]",
    chunkNames: "[hash]",
    plugins: [parts],
    splitting: true,
    metafile: true,
    outdir: here("."),
  });
  const outputs = Object.entries(metafile.outputs);
  const isShared = ([, { inputs, entryPoint }]) => !entryPoint && !(APP in inputs);
  const named = outputs.map(([path, about]) => [path, APP in about.inputs ? "app.js" : path]);
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
  const [template, style] = await Promise.all([
    readFile(here("src/page.html"), "utf8"),
    bundled("src/core/look/style.css"),
  ]);
  return template.replace("/*style*/", () => style);
};
const folder = process.argv[2] ?? here("tavla_web");
const files = [
  ...(await scripts()),
  ["page.html", await page()],
  await texts("help.json", "src/core/texts/help/text.ts", "HELP"),
  ["evaluator.js", await bundled("src/core/evaluator/worker.ts")],
  ["reader.js", await bundled("src/features/review/model/foreign.ts", { format: "iife" })],
];
await Promise.all(files.map(([name, text]) => writeFile(`${folder}/${name}`, text)));
