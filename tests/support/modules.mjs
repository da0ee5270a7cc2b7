// Asks the page's modules what the tests want to know: node modules.mjs WHAT < questions (JSON), answers (JSON) to stdout.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const web = new URL("../../clients/web/", import.meta.url);
const require = createRequire(new URL("package.json", web));
const { decode } = require("@msgpack/msgpack");

// The sources are TypeScript: esbuild makes one module of them, with each of these as a name of its own.
const MODULES = {
  plays: "model/plays.ts",
  views: "model/view.ts",
  hashes: "model/sha256.ts",
  dice: "model/dice.ts",
  verdicts: "model/verdict.ts",
  witnesses: "model/witness.ts",
  turns: "model/turn.ts",
  scenes: "model/scenes.ts",
  mats: "model/mat.ts",
  gnuid: "model/gnuid.ts",
  pledges: "net/pledges.ts",
  stores: "device/store.ts",
  profiles: "screens/profile.ts",
  texts: "texts/text.ts",
};
const entry = Object.entries(MODULES).map(([name, path]) => `export * as ${name} from "./${path}";`).join("");
const made = require("esbuild").buildSync({
  stdin: { contents: entry, resolveDir: fileURLToPath(new URL("src", web)) },
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
});
const modules = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`);
const { legalPlays, diceOf } = modules.plays;
const { EMPTY, checksum, fromFields, patch, unreadable } = modules.views;
const { fromHex, hmac, sha256, toHex } = modules.hashes;
const { rollOf } = modules.dice;
const { judged: judgedBy } = modules.verdicts;
const { Witness } = modules.witnesses;
const { Pledges } = modules.pledges;
const { Store } = modules.stores;
const { mat } = modules.mats;
const { positionId } = modules.gnuid;
const { judged } = modules.profiles;
const { turns, scenes, texts } = modules;

const bytes = (hex) => decode(fromHex(hex));
const spoken = (language) => texts.LANGUAGES[language].texts;
// Two values of each parameter, by its name; what is said with one must differ from what is said with the other.
const SAMPLES = { kind: [2, 3], ending: ["borne_off", "time"], dice: [[1, 2], [3, 4]], without: [["ada"], ["bob"]], names: [["ada"], ["bob"]], length: [3, 5], mine: [0, 3] };
const usual = (name, index) => [71 + 2 * index, 72 + 2 * index];
// esbuild numbers a name that another module has, too.
const parameters = (said) => /^\(([^)]*)\)/.exec(String(said))[1].split(", ").map((name) => name.replace(/\d$/, ""));
const shape = (value) =>
  typeof value === "function" ? parameters(value).join(", ")
    : Array.isArray(value) ? value.map(shape)
      : typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)]))
        : typeof value;
const isUnsaid = (said) => {
  const samples = parameters(said).map((name, index) => SAMPLES[name] ?? usual(name, index));
  return samples.some((pair, index) => {
    const [one, other] = pair.map((value) => said(...samples.map(([first], at) => (at === index ? value : first))));
    return one === other || /undefined|NaN/.test(one + other);
  });
};
const NOBODY = { seat: null, sent: "", server: "", other: "" };
// views: msgpack in hex; null = one is missed, "forget" = the store had lost some. own: ours, by the number of the view from which on.
const witnessOf = ({ views, own = [] }) => {
  const witness = new Witness();
  let [known, isNext] = [NOBODY, true];
  views.forEach((view, index) => {
    known = own.findLast(([from]) => from <= index)?.[1] ?? known;
    if (view === "forget") witness.forget();
    else if (view !== null) witness.see(fromFields(bytes(view)), known, isNext);
    isNext = view !== null;
  });
  return witness;
};
const ask = {
  judged: (finished) => judged(bytes(finished)),
  positionId: ({ mine, theirs }) => positionId(mine, theirs),
  mat: ({ match, view, events }) => mat(match, fromFields(bytes(view)), events),
  story: (views) => {
    let told = scenes.begin(fromFields(bytes(views[0])));
    return views.slice(1).map((view) => {
      const news = scenes.tell(told, fromFields(bytes(view)));
      told = news.told;
      return news.scenes.map(({ what, seat, dice, last, rows }) => ({ what, seat, dice, last, rows }));
    });
  },
  texts: (language) => ({ ...shape(spoken(language)), refusals: null }),
  unsaid: (language) =>
    Object.entries(spoken(language)).filter(([, said]) => typeof said === "function" && isUnsaid(said)).map(([key]) => key),
  refusals: (language) => Object.keys(spoken(language).refusals),
  said: ({ language, message }) => (texts.speak(language, []), texts.said(message)),
  language: ({ wanted, browsers }) => (texts.speak(wanted, browsers), texts.language),
  fields: () => Object.keys(EMPTY),
  plays: ({ mine, theirs, held, dice }) =>
    [...legalPlays({ mine, theirs, held }, dice).values()].map(({ after, steps }) => [after.mine, after.theirs, steps.length]),
  patched: ({ before, diff }) => checksum(patch(fromFields(bytes(before)), bytes(diff))),
  sha256: (hex) => toHex(sha256(fromHex(hex))),
  hmac: ([key, message]) => toHex(hmac(fromHex(key), fromHex(message))),
  roll: ({ match, seed, seeds, k }) => rollOf(match, { seed, seeds }, k),
  unreadable: (view) => unreadable(fromFields(bytes(view))).join(),
  witness: (question) => witnessOf(question).faults,
  verdict: ({ match, view, events, views }) => {
    const { verdict, events: sound } = judgedBy(match, fromFields(bytes(view)), bytes(events), views ? witnessOf({ views }) : null);
    return { ...verdict, events: sound.length };
  },
  pledges: (steps) => {
    const pledges = new Pledges(new Store(() => { throw new Error("blocked"); }), () => 0);
    const [committed, other] = [pledges.make(), pledges.make()];
    const names = { committed, other };
    return steps.map(([what, ...given]) => {
      const [first, ...rest] = given.map((one) => names[one] ?? one);
      if (what === "sentFor") return Object.keys(names).find((name) => names[name] === pledges.sentFor(first)) ?? "";
      if (what !== "reveal") return pledges[what](first, ...rest) ?? null;
      const view = fromFields({ commitment: rest[0], commitments: [rest[1], rest[2]] });
      return pledges.reveal(first, view, 0) === (pledges.all()[rest[1]]?.seed ?? "");
    });
  },
  typed: ({ mine, theirs, dice, text }) => {
    const turn = turns.typed({ key: "", base: { mine, theirs }, dice: diceOf(dice), steps: [] }, text);
    return turn && { done: turns.isDone(turn), moves: turns.movesOf(turn) };
  },
  goals: ({ mine, theirs, dice }) => {
    const turn = { key: "", base: { mine, theirs }, dice: diceOf(dice), steps: [] };
    const found = [...turns.sources(turn)].flatMap((from) => [...turns.goals(turn, from)].map(([to, way]) => [from, to, way]));
    return found.map(([from, to, way]) => {
      let made = turns.play(turn, way);
      while (!turns.isDone(made)) {
        const next = [...turns.sources(made)][0];
        made = turns.play(made, [...turns.goals(made, next).values()].find((one) => one.length === 1));
      }
      return [from, to, turns.position(made)];
    });
  },
};
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(ask[process.argv[2]])));
