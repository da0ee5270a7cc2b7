// Asks the page's modules what the tests want to know. A line of stdin, [what, questions] as JSON, is answered by one of
// stdout, { answers } or { fault }. The modules are read once; the page's language is English again before each line.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const web = new URL("../../../clients/web/", import.meta.url);
const require = createRequire(new URL("package.json", web));

// The sources are TypeScript: esbuild makes one module of them, with each of these as a name of its own.
const MODULES = {
  plays: "core/model/plays.ts",
  views: "core/model/view.ts",
  msgpack: "core/model/msgpack.ts",
  hashes: "core/model/sha256.ts",
  dice: "core/model/dice.ts",
  chains: "core/model/chain.ts",
  terms: "core/model/terms.ts",
  verdicts: "core/model/judged.ts",
  acts: "features/ledger/model/acts.ts",
  witnesses: "core/model/witness.ts",
  turns: "core/model/turn.ts",
  scenes: "core/model/scenes.ts",
  notations: "core/model/notation.ts",
  mats: "core/model/mat.ts",
  records: "core/model/record.ts",
  rules: "core/model/rules.ts",
  gnuid: "core/model/gnuid.ts",
  own: "features/review/model/json.ts",
  foreign: "features/review/model/foreign.ts",
  shared: "features/review/model/shared.ts",
  known: "core/evaluator/known.ts",
  networks: "core/evaluator/network.ts",
  outlooks: "core/evaluator/outlook.ts",
  cubes: "core/evaluator/cube.ts",
  decisions: "core/model/decisions.ts",
  findings: "core/model/findings.ts",
  judgements: "core/model/judgement.ts",
  plans: "core/board/plan.ts",
  setups: "features/review/model/setup.ts",
  classics: "features/puzzles/model/classics.ts",
  streaks: "features/puzzles/model/streak.ts",
  lessons: "features/learn/model/lesson.ts",
  refusals: "features/match/model/refused.ts",
  fairness: "features/review/model/fairness.ts",
  reasons: "features/match/reasons.ts",
  trials: "features/review/trying.ts",
  refused: "features/match/texts/text.ts",
  reviews: "features/review/texts/text.ts",
  learning: "features/learn/texts/text.ts",
  hints: "core/texts/hint/text.ts",
  recorded: "core/texts/record/text.ts",
  help: "core/texts/help/text.ts",
  remembered: "features/ledger/texts/text.ts",
  people: "features/people/texts/text.ts",
  called: "features/calls/texts/text.ts",
  opened: "features/review/texts/files/text.ts",
  collection: "features/review/texts/collection/text.ts",
  together: "features/review/together/texts/text.ts",
  tournaments: "features/tournaments/texts/text.ts",
  ranks: "features/tournaments/model/ranks.ts",
  rounds: "features/tournaments/model/rounds.ts",
  judges: "core/evaluator/judge.ts",
  advice: "core/evaluator/hint.ts",
  figures: "core/evaluator/figures.ts",
  clients: "core/net/client.ts",
  connections: "core/net/connection.ts",
  matches: "core/net/matches.ts",
  pairings: "core/net/pairing.ts",
  players: "core/net/players.ts",
  pledges: "core/net/pledges.ts",
  verdictsOf: "core/net/verdicts.ts",
  ledgers: "features/ledger/ledger.ts",
  ledger: "features/ledger/entry.ts",
  calls: "core/net/ledgers.ts",
  stores: "core/device/store.ts",
  told: "core/look/story.ts",
  profiles: "features/people/played.ts",
  texts: "core/texts/text.ts",
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
const { decode, encode } = modules.msgpack;
const { judged: judgedBy } = modules.verdicts;
const { Witness } = modules.witnesses;
const { Pledges } = modules.pledges;
const { Store } = modules.stores;
const matOf = (match, view, events) => modules.mats.mat(match, view, modules.records.fold(events, view.rules));
const { mirrored, notation } = modules.notations;
const { positionId } = modules.gnuid;
const { judged } = modules.profiles;
const { turns, scenes, texts } = modules;
for (const code of Object.keys(texts.LANGUAGES)) await texts.speak(code, []);
await texts.speak("en", []);
modules.calls.ledgerIs(async () => modules.ledger);

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
const catalogues = (language) => [spoken(language), modules.reviews.REVIEW[language], modules.learning.LEARN[language], modules.help.HELP[language], modules.hints.HINT[language], modules.recorded.RECORD[language], modules.people.PEOPLE[language], modules.called.CALLS[language], modules.opened.FILES[language], modules.collection.COLLECTION[language], modules.together.TOGETHER[language], modules.tournaments.TOURNAMENTS[language], modules.refused.REFUSED[language], modules.remembered.LEDGER[language]];
const isUnsaid = (said) => {
  const samples = parameters(said).map((name, index) => SAMPLES[name] ?? usual(name, index));
  return samples.some((pair, index) => {
    const [one, other] = pair.map((value) => said(...samples.map(([first], at) => (at === index ? value : first))));
    return one === other || /undefined|NaN/.test(one + other);
  });
};
/** A sentence in which each number is 1; "" = it has none. */
const ofOne = (said) => {
  const samples = parameters(said).map((name, index) => SAMPLES[name] ?? usual(name, index));
  return String(said(...samples.map(([first]) => (typeof first === "number" ? 1 : first))));
};
const readMatch = async (file) => modules.own.readOwn(file) ?? modules.foreign.readForeign(file);
const toldOf = ({ steps, view, analysis, findings, cut, hasMore = false }) => {
  const told = steps.map(({ what, facts, now }) => [what, facts, now.rows.map((row) => [...row])]);
  return { told, players: view.players, rules: view.rules, score: view.score, analysis, findings, cut, hasMore };
};
const NOBODY = { seat: null, sent: "", server: "", other: "" };
// views: msgpack in hex; null = one is missed, "forget" = the store had lost some. own: ours, by the number of the view from which on.
const witnessOf = ({ match, views, own = [] }) => {
  const witness = new Witness(match ?? "k3v7q2xa");
  let [known, isNext] = [NOBODY, true];
  views.forEach((view, index) => {
    known = own.findLast(([from]) => from <= index)?.[1] ?? known;
    if (view === "forget") witness.forget();
    else if (view !== null) witness.recordView(fromFields(bytes(view)), known, isNext);
    isNext = view !== null;
  });
  return witness;
};
// Storage of a browser: what is kept is a property, as it is there.
const shelfOf = (kept) =>
  Object.assign(Object.create({
    getItem(key) { return this[key] ?? null; },
    setItem(key, value) { this[key] = value; },
    removeItem(key) { delete this[key]; },
  }), kept);
// A browser whose clock goes on by hand. What is done with it, and by the client on it, is written down with its time.
const handBrowser = (log) => {
  const timers = new Set();
  const signals = {};
  const self = { now: 0, isHidden: false, isOffline: false, socket: null };
  const note = (...what) => log.push([self.now, ...what]);
  const browser = {
    connect: () => {
      const socket = { send: (bytes) => note("send", decode(bytes)), close: () => note("close") };
      self.socket = socket;
      note("connect");
      return socket;
    },
    now: () => self.now,
    later: (does, ms) => {
      if (!(ms < 2 ** 31)) throw new RangeError("a browser would not wait");
      const timer = { at: self.now + ms, does };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    isHidden: () => self.isHidden,
    isOffline: () => self.isOffline,
    onOnline: (does) => (signals.online = does),
    onShown: (does) => (signals.shown = does),
    onStored: (does) => (signals.stored = does),
  };
  const pass = async (ms) => {
    const end = self.now + ms;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve)); // what waits for a promise goes first
      const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      timers.delete(next);
      self.now = next.at;
      next.does();
    }
    self.now = end;
  };
  // The page stood still: what has become due is late.
  const stand = (ms) => {
    self.now += ms;
    for (const timer of [...timers].filter(({ at }) => at <= self.now)) if (timers.delete(timer)) timer.does();
  };
  return { self, note, browser, signals, pass, stand };
};
// The house networks, each read once. row: of a position's checkers.
const houses = new Map();
const network = (row) => {
  const file = modules.known.networkFile(row);
  const { buffer, byteOffset, byteLength } = readFileSync(new URL(`../../../clients/bots/tavla_bots${file}`, import.meta.url));
  if (!houses.has(file)) houses.set(file, modules.networks.readNetwork(buffer.slice(byteOffset, byteOffset + byteLength)));
  return houses.get(file);
};
const MONEY = { away: null, cube: 1, holder: 0, cap: 2 ** 32, crawfordDone: true, jacoby: false, backgammons: true, variant: "standard" };
const ask = {
  plays_ranked: (question) => modules.judges.rankPlays(network(question.position.mine), question).plays,
  plays_judged: (question) => modules.judges.judgePlays(network(question.position.mine), question).plays,
  hint: ({ view, seat, language }) => {
    const whole = { ...EMPTY, ...view, points: Uint8Array.from(view.points) };
    return modules.advice.hintOf(network(whole.points.subarray(26)), { view: whole, seat, language });
  },
  cube_window: ({ outlook, stakes }) => [modules.cubes.windowOf(outlook, stakes), modules.cubes.cubeEquities((one) => modules.cubes.holding(outlook, one), stakes)],
  // The choices of a new match, and what is asked for where nothing else is changed.
  form: (language) => {
    const { presets, variants } = spoken(language);
    const { rulesOf, usual, wholeRules } = modules.rules;
    const asked = Object.keys(presets).map((one) => rulesOf(usual(one)));
    return { presets, variants, asked, whole: asked.map(wholeRules) };
  },
  // Where a target is marked, and where the checker will lie that goes there. own: counts of who plays, from the top if not isMine.
  mark: ({ isMine, own, point }) => {
    const { across, markOf, planOf, spot } = modules.plans;
    const plan = planOf(false, false);
    return [markOf(plan, isMine, own, isMine ? point : across(point)), spot(plan, isMine, point, own[point], own[point] + 1)];
  },
  carried: ([text, from, to]) => {
    const { carried, readSetup, xgidOf } = modules.setups;
    return xgidOf(carried(readSetup(text), from, to));
  },
  setupFault: (text) => modules.reviews.REVIEW.en.faults[modules.setups.faultOf(text)],
  setup: (text) => {
    const found = modules.setups.readSetup(text);
    return found && { ...found, xgid: modules.setups.xgidOf(found) };
  },
  // The decisions of a match, as its review numbers them.
  decisions: ({ rules, events }) => {
    const cube = { double: ["no double", "double"], take: ["drop", "take"] };
    return modules.decisions
      .decisionsOf(modules.records.fold(events, rules), rules)
      .map(({ number, at, turn, what, seat, done, words }) => [number, at.game, turn, what, seat, cube[what]?.[Number(done)] ?? words]);
  },
  doubles: (answer) => modules.findings.bestOf({ what: "double" }, answer).done,
  // found: by the server's judge. best: what is best, as one does it.
  reviewed: ({ rules, events, analysis, findings }) => {
    const decisions = modules.decisions.decisionsOf(modules.records.fold(events, rules), rules);
    const judgement = modules.judgements.judgementOf(decisions, { analysis, findings });
    return decisions.map((one, place) => {
      const { judgePlays, weighCube } = modules.judges;
      const answer = (one.what === "play" ? judgePlays : weighCube)(network(one.question.position.mine), one.question);
      const { loss, counts } = modules.findings.costOf(one, answer, one);
      const [best, found] = [modules.findings.bestOf(one, answer), judgement?.found.get(place) ?? null];
      return { ...one, loss, counts, mark: modules.findings.markOf({ loss, counts }), best, found, rest: judgement?.rest };
    });
  },
  // Of a match that is over, all that was told of it in turn.
  figures: ({ rules, events, analysis }) => {
    const view = { ...EMPTY, rules, players: ["ada", "bob"] };
    const asked = { view, steps: modules.records.fold(events, rules), analysis, seat: 0, language: "en" };
    const there = modules.figures.figuresThere(asked);
    const told = there ? [there] : [];
    if (!there) modules.figures.figuresHere(network(asked.steps.at(-1).now.rows[0]), asked, (one) => told.push(one));
    return told;
  },
  luck: (question) => modules.judges.luckOf(network(question.position.mine), question),
  outlook_ahead: (position) => modules.judges.outlookAhead(network(position.mine), position, MONEY),
  // Programs that may be asked for a match by these rules, and why there is none.
  programs: ({ people, rules, level }) => {
    const { suitable, whyNone } = modules.pairings;
    return { names: suitable(people, rules, level), none: whyNone({ lists: { people } }, rules) };
  },
  in_order: (people) => modules.pairings.peopleFirst(people).map(([name]) => name),
  outlook: ([mine, theirs]) => modules.outlooks.outlookOf(network(mine), mine, theirs),
  // Steps, each a list: what happens, and with what. A message's id may be a type, and stands for that of the last one sent.
  reconnecting: async ({ kept = {}, steps }) => {
    const log = [];
    const { self, note, browser, signals, pass, stand } = handBrowser(log);
    const shelf = shelfOf(kept);
    const storage = new Store(() => shelf);
    const client = new modules.clients.Client("ws://here/", storage, browser, () => {});
    client.pledges.now = () => self.now;
    const lastSent = (type) => log.findLast(([, what, sent]) => what === "send" && sent.type === type)[2];
    const does = {
      open: () => self.socket.onopen(),
      receive: (message) => {
        const named = (id) => (typeof id === "string" ? lastSent(id).id : id);
        const { id, seek, view } = message;
        // "ours": the commitment of the last quick match that was sought.
        const own = view?.commitments && { commitments: view.commitments.map((one) => (one === "ours" ? lastSent("seek").commitment : one)) };
        const whole = { ...message, id: named(id), ...(seek && { seek: named(seek) }), ...(view && { view: { ...view, ...own } }) };
        if (whole.view?.points) whole.view.points = fromHex(whole.view.points);
        // What is a text in a diff here is bytes there: the points.
        const step = (diff) => diff.map((one, place) => (place % 2 && diff[place - 1] === 6 ? fromHex(one) : one));
        const bytes = encode(Array.isArray(message) ? [...message.slice(0, 2), step(message[2])] : whole);
        self.socket.onmessage({ data: bytes.buffer });
      },
      refuse: (type, code, seq = null) => {
        self.socket.onmessage({ data: encode({ type: "error", id: lastSent(type).id, code, text: code, seq }).buffer });
      },
      drop: (code) => self.socket.onclose?.({ code }),
      pass,
      stand,
      hide: (isHidden) => {
        self.isHidden = isHidden;
        signals.shown();
      },
      offline: () => (self.isOffline = true),
      online: () => {
        self.isOffline = false;
        signals.online();
      },
      stored: (key, value) => signals.stored(key, value),
      ask: (type, fields, again) =>
        client.connection.ask(type, fields, again).then(() => note("answered"), ({ message }) => note("refused", message)),
      fault: (match) => client.matches.get(match).witness.add("a fault"),
      leave: (match, wanted) => modules.matches.leaveToServer(client, client.matches.get(match), wanted),
      follow: (table) => void modules.matches.followMatch(client, table),
      act: (match, type, fields) => void modules.matches.act(client, client.matches.get(match), type, fields),
      sit: () => modules.players.ensurePlayer(client).then(() => note("seated", client.name)),
      go_on: (match) => modules.verdictsOf.goOn(client, client.matches.get(match)),
      board: (match) => void (client.board = match),
      // Another tab changes an entry of the ledger.
      keep: (committed, change) => client.pledges.note(committed, change),
      seek: (rules) => void modules.pairings.seekMatch(client, rules),
      // What is said of a match, whether it is stopped, and what the ledger has of it.
      told: (match) => {
        const { verdict, isStopped } = client.matches.get(match) ?? {};
        const kept = client.pledges.all().map((one) => client.pledges.get(one)).find((one) => one.match === match);
        note("told", verdict?.text ?? "", isStopped ?? false, kept ?? {});
      },
      read: (...names) => note("read", names.map((name) => client[name])),
    };
    for (const [what, ...given] of steps) {
      await (what === "ask" || what === "sit" ? void does[what](...given) : does[what](...given));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return log;
  },
  judged: (finished) => judged(bytes(finished)),
  positionId: ({ mine, theirs }) => positionId(mine, theirs),
  mat: ({ match, view, events }) => matOf(match, fromFields(bytes(view)), events),
  story: (views) => {
    let told = scenes.begin(fromFields(bytes(views[0])));
    return views.slice(1).map((view) => {
      const news = scenes.narrate(told, fromFields(bytes(view)));
      told = news.told;
      return news.scenes.map(({ what, seat, dice, last, rows }) => ({ what, seat, dice, last, rows }));
    });
  },
  outcomes: (view) => modules.told.outcome(fromFields(bytes(view)), (seat) => ["ada", "bob"][seat]),
  bracket: ([pairings, bracket, rounds]) =>
    modules.rounds.bracketOf(pairings, bracket, rounds).map((slots) => slots.map(({ players, winner }) => [players, winner ?? ""])),
  standings: (rows) => modules.ranks.ranked(rows).map(({ name, place }) => [place, name]),
  boards: (rows) => modules.ranks.pairsOf(modules.ranks.ranked(rows)).map(([match, one, other]) => [match, one.name, other.name]),
  texts: (language) => shape(catalogues(language).map((all) => ({ ...all, refusals: "" }))),
  unsaid: (language) =>
    catalogues(language).flatMap(Object.entries).filter(([, said]) => typeof said === "function" && isUnsaid(said)).map(([key]) => key),
  ofOne: (language) => catalogues(language).flatMap(Object.values).filter((said) => typeof said === "function").map(ofOne),
  learning: (language) => ({ ...modules.learning.LEARN[language], options: modules.help.HELP[language].options }),
  lesson: (key) => {
    const { STEPS, answerOf, isReached, positionOf } = modules.lessons;
    if (!key) return STEPS;
    const step = STEPS.find((one) => one.key === key);
    const before = positionOf(step);
    const plays = step.what === "play" ? [...legalPlays(before, step.dice).values()] : [];
    const ends = plays.map(({ after }) => ({ mine: after.mine, theirs: after.theirs, isReached: isReached(step, before, after) }));
    return { before, ends, answer: step.what === "play" ? answerOf(step) : [] };
  },
  refused: ({ mine, theirs, held, dice, from, to, typed }) => {
    const turn = { key: "", base: { mine, theirs, held }, dice: diceOf(dice), steps: [] };
    return typed === undefined ? modules.refusals.whyNot(turn, from, to) : modules.refusals.firstRefused(turn, typed);
  },
  fairness: (counts) => {
    const { bounds, faceBounds, faces, sum, tablesPerAlarm } = modules.fairness;
    const rolls = sum(counts);
    return [faces(counts), ...[bounds(rolls), faceBounds(rolls)].flatMap(({ low, high }) => [low, high]), tablesPerAlarm(rolls)];
  },
  refusedTap: ({ mine, theirs, held, dice, chosen, point }) => {
    const trial = { turn: { key: "", base: { mine, theirs, held }, dice: diceOf(dice), steps: [] }, chosen, answer: null };
    return modules.trials.tapped(trial, point).refused;
  },
  mayBeaver: (hex) => modules.views.mayBeaver(fromFields(bytes(hex))),
  resignable: ({ hex, seat }) => modules.views.resignable(fromFields(bytes(hex)), seat),
  // Of each move of one checker that is not allowed, [from, to, why]; from null: that it was to be chosen.
  reasons: ({ mine, theirs, held, dice }) => {
    const turn = { key: "", base: { mine, theirs, held }, dice: diceOf(dice), steps: [] };
    const points = [...mine.keys()];
    const from = points.filter((point) => point && mine[point]);
    const moves = from.flatMap((start) => points.slice(0, 25).map((to) => [start, to, turns.goals(turn, start).has(to)]));
    const chosen = points.map((point) => [null, point, turns.sources(turn).has(point)]);
    return [...moves, ...chosen].filter(([, , isAllowed]) => !isAllowed).map(([start, to]) => [start, to, modules.refusals.whyNot(turn, start, to).why]);
  },
  refusals: (language) => Object.keys(modules.help.HELP[language].refusals),
  said: ({ language, message }) => {
    texts.speak(language, []);
    Object.assign(texts.text.refusals, modules.help.HELP[language].refusals);
    return texts.said(message);
  },
  language: ({ wanted, browsers }) => (texts.speak(wanted, browsers), texts.language),
  recoded: (hex) => toHex(encode(decode(fromHex(hex)))),
  cut: (hex) =>
    Array.from({ length: hex.length / 2 }, (_, length) => {
      try {
        return decode(fromHex(hex.slice(0, 2 * length))) !== undefined;
      } catch (error) {
        return !(error instanceof RangeError);
      }
    }).some(Boolean),
  fields: () => Object.keys(EMPTY),
  file: async (hex) => toldOf(await readMatch(fromHex(hex).buffer)),
  // The same after its way through a shared review, and the bytes of its pieces.
  shared: async (hex) => {
    const pieces = await modules.shared.piecesOf(await readMatch(fromHex(hex).buffer));
    const whole = new Uint8Array(await new Blob(pieces).arrayBuffer());
    return { pieces: pieces.map(({ length }) => length), ...toldOf(await modules.shared.readShared(whole)) };
  },
  // Whether the bytes that somebody has shared are a match, and its texts.
  received: async (hex) => {
    const found = await modules.shared.readShared(fromHex(hex)).catch(() => null);
    return found && [...found.view.players, found.analysis?.by];
  },
  // Of changed files, one after the other: whether it is a match, the fault of looking at it, and the ms it has taken.
  changed: async (files) => {
    const told = [];
    for (const hex of files) {
      const begun = performance.now();
      const found = await readMatch(fromHex(hex).buffer).catch(() => null);
      let fault = "";
      try {
        if (found) {
          modules.decisions.unplayedOf(found.steps, found.view.rules);
          modules.told.outcome(found.view, String);
          modules.rules.rulesText(found.view.rules);
        }
      } catch (error) {
        fault = String(error.stack);
      }
      told.push([found !== null, fault, performance.now() - begun]);
    }
    return told;
  },
  classics: () => modules.classics.CLASSICS,
  streaks: (answers) => answers.reduce((now, answer) => modules.streaks.after(now, ...answer), modules.streaks.NONE),
  plays: ({ mine, theirs, held, dice }) =>
    [...legalPlays({ mine, theirs, held }, dice).values()].map(({ after, steps }) => [after.mine, after.theirs, steps.length]),
  patched: ({ before, diff }) => checksum(patch(fromFields(bytes(before)), bytes(diff))),
  sha256: (hex) => toHex(sha256(fromHex(hex))),
  hmac: ([key, message]) => toHex(hmac(fromHex(key), fromHex(message))),
  roll: ({ match, view, asked }) => {
    const shown = fromFields(bytes(view));
    const roll = modules.chains.provenDice(shown, modules.terms.binding(modules.terms.termsOf(match, shown)));
    return asked.map(([game, k]) => roll(game, k));
  },
  links: ({ last, links, committed }) => {
    const seeds = links.map((link) => modules.chains.earlier(last, modules.chains.LINKS - link));
    return [seeds, seeds.map((seed) => modules.chains.linkNumber(seed, committed))];
  },
  linkRoll: ({ last, binding, seeds, link, k }) => {
    const { earlier, LINKS, rollOfLink } = modules.chains;
    return rollOfLink(earlier(last, LINKS - link), [binding, ...seeds].join(":"), link, k);
  },
  agreed: ({ match, rules, players, commitments }) => {
    const hashes = players.map(({ salt, kind, name }) => modules.terms.playerHash(salt, kind, name));
    const text = modules.terms.termsText(match, rules, hashes, commitments);
    return [hashes, text, modules.terms.binding(text)];
  },
  unreadable: (view) => unreadable(fromFields(bytes(view))).join(),
  // What has led from each view to the next, and the player for whom the server has decided what it may not.
  acts: (views) => {
    const all = views.map((view) => fromFields(bytes(view)));
    return all.slice(1).map((now, place) => {
      const act = modules.acts.actOf(all[place], now);
      return [act && [act.what, act.seat], modules.acts.decidedFor(all[place], now, act)];
    });
  },
  // Of requests [seat, type, fields], those that the rules allow where a view is shown.
  allows: ([view, asked]) =>
    asked.map(([seat, type, fields]) => modules.acts.allows(fromFields(bytes(view)), seat, { type, fields })),
  witness: (question) => witnessOf(question).faults,
  verdict: ({ match, view, events, views }) => {
    const { verdict, steps } = judgedBy(match, fromFields(bytes(view)), bytes(events), views ? witnessOf({ match, views }) : null);
    return { ...verdict, events: steps.length };
  },
  asked: ({ asked, offered }) => modules.rules.isOther(modules.rules.askedOptions(asked), offered),
  // Seeds are revealed for a match, terms and a commitment: whether each may be.
  revealed: (steps) => {
    const pledges = new Pledges(new Store(() => { throw new Error("blocked"); }), () => 0);
    const names = { committed: pledges.make(), other: pledges.make() };
    return steps.map(([match, terms, name]) => {
      return pledges.reveal(match, { terms, seat: 0, epoch: 1, seq: 1 }, names[name]) !== null;
    });
  },
  // Two tabs on one storage, and what each does: what is remembered then.
  remembered: (steps) => {
    const shelf = shelfOf({});
    let now = 0;
    const tabs = [0, 1].map(() => new Pledges(new Store(() => shelf), () => now));
    const { countsText, fold, forget } = modules.ledgers;
    const does = {
      entry: (pledges, name, entry) => pledges.keep(name, { seed: "", made: now, match: name, ...entry }),
      day: (_, number) => (now = number * 24 * 3600 * 1000),
      fold,
      forget,
      read: (pledges) => [countsText(pledges), pledges.all().length],
    };
    return steps.map(([tab, what, ...given]) => does[what](tabs[tab], ...given) ?? null);
  },
  patience: async (waits) => {
    const slept = [];
    const client = { waiters: { sleep: async (ms) => slept.push(ms) } };
    const asked = async () => {
      if (waits.length) throw new modules.connections.Refused("too_many", "", waits.shift());
      return "answered";
    };
    return [await modules.verdictsOf.askPatiently(client, asked).catch(({ code }) => code), slept];
  },
  notation: ({ moves, theirs }) => [notation(moves, theirs), mirrored(mirrored(notation(moves, theirs)))],
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
const answer = async (line) => {
  const [what, questions] = JSON.parse(line);
  texts.speak("en", []);
  try {
    return { answers: await Promise.all(questions.map(ask[what])) };
  } catch (error) {
    return { fault: String(error.stack ?? error) };
  }
};
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
}
