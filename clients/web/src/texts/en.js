/** What the page says, in English. A key has the same parameters in every language. */

/** @param {number} count @param {string} one */
const some = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
const KINDS = ["", "single game", "gammon", "backgammon"];
const YOU = "You";
/** @type {Record<string, string>} */
const ENDINGS = {
  borne_off: "",
  drop: ": the double was dropped",
  resignation: " by resignation",
  forfeit: " by forfeit",
  time: " on time",
  abandoned: ": the other player left",
  left: "",
  aborted: "",
};

export const en = {
  title: "Tavla",
  tagline: "Backgammon, live. No account, nothing to install.",
  playComputer: "Play the computer",
  playSomeone: "Play someone",
  playFriend: "Play a friend",
  level: "Level",
  levels: { beginner: "Beginner", intermediate: "Intermediate", house: "Strong" },
  length: "Match",
  /** @param {number} length */
  points: (length) => (length ? some(length, "point") : "Money game"),
  clock: "Clock",
  clockNames: { none: "No clock", fast: "Fast clock", normal: "Normal clock", default: "Usual clock", slow: "Slow clock" },
  clocks: { none: "No clock", fast: "Fast", normal: "Normal", slow: "Slow" },
  moreOptions: "More options…",
  newMatch: "A new match",
  /** @param {string} name */
  challengeOf: (name) => `Challenge ${name}`,
  against: "Against",
  anyone: "Whoever sits down at my table",
  theComputer: "The computer",
  quickMatch: "Whoever looks for the same",
  tableName: "Name of the table",
  nameShape: "2 or more of A-Z, a-z, 0-9, _ and -",
  optional: "optional",
  rules: "Rules",
  presets: {
    tournament: "Tournament", money: "Money game", tavla: "Tavla, as in Turkey", portes: "Portes, as in Greece",
    club: "Plain rules", mpgn: "Game network", seats: "By seats",
  },
  variant: "Start",
  variants: { standard: "Backgammon", nackgammon: "Nackgammon", hypergammon: "Hypergammon", longgammon: "Long gammon" },
  side: "Your side",
  sides: { either: "By lot", white: "White", black: "Black" },
  withCube: "Doubling cube",
  noCube: "no cube",
  rated: "Rated",
  privateTable: "Private: by link only",
  mayBeWatched: "Others may watch",
  openTable: "Open the table",
  play: "Play",
  seek: "Look for an opponent",
  seekers: "Looking for a match",
  paused: "paused",
  seeking: "Looking for an opponent…",
  cancel: "Cancel",
  lobby: "Lobby",
  tables: "Open tables",
  matches: "Watch",
  people: "People here",
  nobody: "Nobody yet.",
  noTables: "No open tables.",
  noMatches: "No matches are being played.",
  sitDown: "Sit down",
  watch: "Watch",
  challenge: "Challenge",
  yourMatches: "Your matches",
  resume: "Go on",
  /** @param {string} by @param {string} rules */
  challengedBy: (by, rules) => `${by} challenges you: ${rules}`,
  /** @param {string} name @param {string} rules */
  youChallenge: (name, rules) => `Waiting for ${name} to answer: ${rules}`,
  withdraw: "Take it back",
  /** @param {string} name */
  declined: (name) => `${name} does not want to play now.`,
  seatedNews: "Somebody has sat down at your table.",
  endedNews: "A match of yours has ended.",
  see: "Look at it",
  accept: "Accept",
  decline: "Decline",
  noComputer: "No computer player is free just now. Try again in a moment, or play someone.",
  cannotReveal: "Your seed for the dice is not on this device: the match may be void. Play it where you began it.",
  noSeedShown: "The server does not show its seed: nobody can check the dice.",
  otherServerSeed: "The server's seed is not the one it committed to.",
  faultNoCommitment: "The server has committed to no seed for the dice.",
  faultCommitment: "A commitment has changed after it was shown.",
  faultOwn: "The server shows another commitment as yours than the one that this page sent: your seed is not in the dice.",
  faultOwnMissing: "The server does not show the commitment that this page sent: your seed is not in the dice.",
  /** @param {string} name */
  faultSeed: (name) => `The seed shown as that of ${name} is not the one committed to, or it has changed.`,
  /** @param {string} name */
  faultNoSeed: (name) => `Dice were rolled before the seed of ${name} was revealed.`,
  /** @param {number} number */
  faultOtherDice: (number) => `Roll ${number} was shown before with other dice, or as the other player's.`,
  /** @param {number} number */
  faultOtherPlay: (number) => `The play of roll ${number} was shown before as another one.`,
  /** @param {number} number */
  faultOwnPlay: (number) => `The server shows another play of roll ${number} than the one that you made.`,
  /** @param {number} number */
  faultJump: (number) => `Up to roll ${number}, numbers of the dice were skipped, or a play was left out.`,
  /** @param {number} most @param {number} rolls */
  faultCount: (most, rolls) => `${most} rolls were counted before, ${rolls} are counted now.`,
  /** @param {number} number */
  faultSide: (number) => `Roll ${number} is not by the player whose turn it is.`,
  /** @param {number} number */
  faultIllegal: (number) => `The dice of roll ${number} do not allow the play that was made with them.`,
  /** @param {number} number */
  faultBoard: (number) => `After roll ${number} the checkers do not stand where the plays lead.`,
  /** @param {string} field */
  faultAbsurd: (field) => `The server has sent something that cannot be (${field}).`,
  /** @param {number} number */
  faultDice: (number) => `Roll ${number} does not follow from the seeds.`,
  /** @param {number} number */
  faultOrder: (number) => `What the record tells after roll ${number} cannot follow: a roll without its play, out of turn, or too many.`,
  /** @param {number} number */
  faultCube: (number) => `The cube was offered or taken after roll ${number} by a player who may not.`,
  /** @param {number} number */
  faultScore: (number) => `The result after roll ${number} does not follow from the game.`,
  /** @param {number} made @param {number} told */
  faultTold: (made, told) => `${made} rolls were made, ${told} are told.`,
  /** @param {number} number */
  faultDiffers: (number) => `The record tells of roll ${number} otherwise than it was shown.`,
  faultEnd: "The record does not lead to what is shown as the end.",
  /** @param {string} fault */
  wrong: (fault) => `Something is wrong with this match. ${fault}`,
  stopped: "Play is stopped",
  stoppedHelp: "This cannot come from an honest server. Nothing is sent until you say so; a clock runs on.",
  goOn: "Go on in spite of it",
  /** @param {number} rolls @param {string[]} without */
  soundRolls: (rolls, without) =>
    `All ${rolls} rolls follow from the seeds committed to before the match, in order, and every play is legal${without.length ? ` (${without.join(" and ")} added no seed)` : ""}.`,
  /** @param {number} rolls */
  soundForServer: (rolls) => `All ${rolls} rolls follow from the server's seed. No player committed to one: the server alone has chosen the dice.`,
  laterRules: "This match has rules or events that this page does not know: it cannot be checked here.",
  notOver: "The dice can be checked when the match is over: then the seeds are shown.",
  /** @param {string} why */
  notVerified: (why) => `NOT VERIFIED. ${why}`,
  notRevealed: "Your seed for the dice was not revealed from this device.",
  revealLost: "Your seed was sent, but the connection was lost before the server had it.",
  blamed: "The server says that you did not reveal your seed. You did: this page has sent it in time. What proves it is kept in this browser.",
  saveProof: "Save the proof",
  seekAgain: "Look for another opponent",
  /** @param {number} missing @param {number} due */
  unrevealed: (missing, due) => `did not reveal ${missing} of ${due}`,
  /** @param {number} voids @param {number} all */
  voids: (voids, all) => `Void matches on this server: ${voids} of ${all.toLocaleString("en")}.`,
  checking: "Checking the dice…",
  notChecked: "The dice could not be checked:",
  notKept:
    "This browser keeps nothing for this page. You can play, but leave the page open: after a reload you are somebody else, your seat is lost, and a match that waits for your seed is void. To change that, allow site data for this page.",
  offline: "Connection lost. Coming back…",
  loading: "Connecting…",
  replaced: "You play this match in another window.",
  takeBack: "Take it back",
  sendLink: "Send this link to your opponent. The match begins when they sit down.",
  copy: "Copy link",
  copied: "Copied",
  waiting: "Waiting for an opponent…",
  closeTable: "Close the table",
  freeSeat: "This seat is free.",
  white: "White",
  black: "Black",
  you: "you",
  You: YOU, // as the name in what is told of oneself
  someone: "?", // a seat without a name
  online: "online",
  offlineNow: "offline",
  watching: "You are watching.",
  /** @param {number} count */
  watchers: (count) => `${count} watching`,
  pips: "pips",
  score: "Score",
  /** @param {number} length */
  raceTo: (length) => (length ? `to ${length}` : "money"),
  crawford: "Crawford game",
  roll: "Roll",
  double: "Double",
  done: "Done",
  undo: "Undo",
  undoAll: "Undo all",
  swapDice: "Swap the dice",
  noPlay: "No legal move. The turn passes.",
  /** @param {number} value */
  askDouble: (value) => `Double? The game would be worth ${some(value, "point")}.`,
  yesDouble: "Yes, double",
  /** @param {number} value */
  takeFor: (value) => `Take: play for ${value}`,
  /** @param {number} value */
  dropFor: (value) => `Drop: lose ${some(value, "point")}`,
  /** @param {number} value */
  askDrop: (value) => `Drop and lose ${some(value, "point")}?`,
  yesDrop: "Yes, drop",
  beaver: "Beaver",
  /** @param {string} name @param {number} value */
  doubles: (name, value) => `${name} ${name === YOU ? "double" : "doubles"} to ${value}.`,
  resign: "Resign",
  resignAs: "Resign how much?",
  /** @param {number} kind @param {number} value */
  resignKind: (kind, value) => `${KINDS[kind]}: ${some(value, "point")}`,
  /** @param {number} kind @param {number} value */
  askResign: (kind, value) => `Offer to lose a ${KINDS[kind]}, ${some(value, "point")}?`,
  yesResign: "Yes, resign",
  /** @param {string} name @param {number} kind @param {number} value */
  offersResign: (name, kind, value) => `${name} ${name === YOU ? "offer" : "offers"} to resign a ${KINDS[kind]}: ${some(value, "point")}.`,
  refuse: "Play on",
  back: "No, go back",
  nextGame: "Next game",
  leaveMoney: "Stop here",
  claim: "Claim the match",
  /** @param {string} name @param {string} time */
  away: (name, time) => `${name} is away. You may claim the match in ${time}.`,
  /** @param {number} count */
  hours: (count) => some(count, "hour"),
  /** @param {number} count */
  days: (count) => some(count, "day"),
  /** @param {string} name */
  awayNow: (name) => `${name} is away.`,
  /** @param {string} name */
  theirTurn: (name) => `${name} to play`,
  yourTurn: "Your turn",
  yourRoll: "Roll, or double first",
  yourMove: "Your move",
  finishTurn: "Press Done to end your turn",
  revealing: "Drawing seeds for the dice…",
  /** @param {string[]} names */
  voided: (names) => `The match is void and counts for nobody${names.length ? `: ${names.join(" and ")} did not reveal a seed for the dice` : ""}.`,
  cancelled: "The table was closed.",
  /** @param {string} name @param {number} points @param {number} kind @param {string} ending */
  gameWon: (name, points, kind, ending) =>
    `${name} ${name === YOU ? "win" : "wins"} ${some(points, "point")}${ending === "borne_off" && kind > 1 ? ` (${KINDS[kind]})` : ""}${ENDINGS[ending] ?? ""}.`,
  /** How a match ended that nobody has the points for. */
  endings: ENDINGS,
  /** @param {string} name */
  matchWon: (name) => `${name} ${name === YOU ? "win" : "wins"} the match`,
  level_: "The match ends level",
  rematch: "Rematch",
  rematchAsked: "Asked for a rematch…",
  toLobby: "Lobby",
  exportMat: "Save .mat",
  typeMove: "Type a move, such as 8/5 6/5",
  badMove: "This move is not allowed.",
  help: "Keys",
  close: "Close",
  abort: "Abort",
  askAbort: "Ask to end the match without a winner? Your opponent has to agree.",
  yesAbort: "Yes, ask",
  abortAsked: "You have asked to end the match without a winner.",
  takeAbortBack: "Go on after all",
  /** @param {string} name */
  wantsAbort: (name) => `${name} would like to end the match without a winner.`,
  agree: "Agree",
  aborted: "The match ended without a winner, as both wished.",
  replay: "Replay",
  gameBegins: "The game begins.",
  /** @param {number} game @param {number} white @param {number} black */
  gameHeading: (game, white, black) => `Game ${game}, ${white} – ${black}`,
  /** @param {number} die */
  rolledTie: (die) => `Both rolled ${die}: again.`,
  playOn: "Play",
  pause: "Pause",
  allTurns: "All turns",
  firstStep: "To the start",
  stepBack: "One step back",
  stepOn: "One step on",
  lastStep: "To the end",
  chat: "Chat",
  lobbyChat: "Chat of the lobby",
  chatClosed: "Talk to whoever is here.",
  openChat: "Open the chat",
  phrasesOpen: "Phrases",
  phrases: {
    hello: "Hello!", gl: "Good luck!", nice: "Nice one!", oops: "Oops!", thanks: "Thank you!", sorry: "Sorry!", gg: "Good game!", bye: "Goodbye!",
  },
  report: "Report",
  /** @param {string} name */
  reportName: (name) => `Report ${name}`,
  reportWhy: "What has happened?",
  reported: "The moderators have been told. Thank you.",
  ignore: "Ignore",
  hearAgain: "No longer ignore",
  /** @param {string} name */
  muteName: (name) => `Mute ${name}`,
  /** @param {string} name */
  hearAgainName: (name) => `Hear ${name} again`,
  muteWatchers: "Mute the watchers",
  hearWatchers: "Hear the watchers again",
  sayHere: "Say something",
  send: "Send",
  settings: "Settings",
  speed: "Animation",
  language: "Language",
  automatic: "As the browser",
  speeds: { off: "Off", fast: "Fast", normal: "Normal", slow: "Slow" },
  direction: "Home board",
  right: "Right",
  left: "Left",
  theme: "Theme",
  themes: { auto: "As the system", light: "Light", dark: "Dark" },
  menu: "Menu",
  notFound: "There is no such match. Perhaps it is over.",
  comeIn: "Log in",
  account: "Your account",
  logIn: "Log in",
  newName: "New here",
  name: "Name",
  password: "Password",
  passwordOptional: "Password (optional)",
  whyPassword: "With a password the name is yours for good, and your matches may be rated. Without one you play as a guest.",
  register: "Make the account",
  beGuest: "Play as a guest",
  logOut: "Log out",
  logOutEverywhere: "Log out on all devices",
  /** @param {string} name */
  loggedInAs: (name) => `You are logged in as ${name}.`,
  /** @param {string} name */
  youAreGuest: (name) => `Now you are the guest ${name}. Matches that you play as a guest stay with that name.`,
  profile: "Profile",
  kinds: { guest: "Guest", account: "Player", bot: "Computer" },
  playedMatches: "Matches played",
  nothingPlayed: "No match was played to its end yet.",
  more: "Show more",
  won: "Won",
  lost: "Lost",
  /** @param {number} first @param {number} last */
  ratingWent: (first, last) => `The rating went from ${first} to ${last}.`,
  leaders: "Leaderboard",
  noLeaders: "Nobody has played a rated match yet.",
  place: "Place",
  rating: "Rating",
  experience: "Experience",
  board: "Board",
  /** @param {number} point @param {number} mine @param {number} theirs */
  point: (point, mine, theirs) =>
    `${point} point, ${mine ? `${mine} yours` : theirs ? `${theirs} theirs` : "empty"}`,
  /** @param {number} mine @param {number} theirs */
  bar: (mine, theirs) => `Bar, ${mine} yours, ${theirs} theirs`,
  /** @param {number} mine @param {number} theirs */
  off: (mine, theirs) => `Off, ${mine} yours, ${theirs} theirs`,
  canMove: "can move",
  target: "target",
  chosen: "chosen",
  /** @param {string} name @param {number[]} dice */
  rolled: (name, dice) => `${name} rolled ${dice.join(" and ")}.`,
  /** @param {string} name @param {string} moves */
  played: (name, moves) => `${name} played ${moves}.`,
  /** @param {string} name */
  passed: (name) => `${name} could not move.`,
  /** @param {number} mine @param {number} theirs */
  sayPips: (mine, theirs) => `Pips: you ${mine}, opponent ${theirs}.`,
  /** @param {number} mine @param {number} theirs */
  sayScore: (mine, theirs) => `Score: you ${mine}, opponent ${theirs}.`,
  /** @param {number[]} dice */
  sayDice: (dice) => (dice.length ? `Dice left: ${dice.join(", ")}.` : "No dice to play."),
  sayNoClock: "No clock.",
  /** @param {string} mine @param {string} theirs */
  sayClock: (mine, theirs) => `Clock: you ${mine}, opponent ${theirs}.`,
  /** @param {string} name @param {number} value */
  taken: (name, value) => `${name} ${name === YOU ? "take" : "takes"}: the cube is at ${value}.`,
  /** @param {string} name @param {number} value */
  beavered: (name, value) => `${name} ${name === YOU ? "beaver" : "beavers"} to ${value}.`,
  /** @param {string} name */
  refusedResignation: (name) => `${name} ${name === YOU ? "play" : "plays"} on.`,
  /** @param {number} game */
  game: (game) => `Game ${game}.`,
  missed: "More has happened. The board shows how it stands now.",
  /** @param {string} mine @param {string} theirs @param {string} luck @param {string} theirLuck @param {string} by */
  judged: (mine, theirs, luck, theirLuck, by) => `PR ${mine} / ${theirs} · luck ${luck} / ${theirLuck} · judged by ${by}`,
  judgedHelp: "PR: what was lost by mistakes, the less the better. Luck: what the dice have brought, in games won.",
  /** @param {string} why */
  notJudged: (why) => `not judged: ${why}`,
  forgotten: "The server has lost what happened last: this is how the match stands now.",
  boardStyle: "Board design",
  boards: { walnut: "Walnut", felt: "Felt", slate: "Slate" },
  colour: "Your checkers",
  colours: { seat: "As seated", light: "Light", dark: "Dark" },
  tap: "A tap on a checker",
  taps: { choose: "Chooses it", move: "Moves it by the left die" },
  sound: "Sounds",
  sounds: { on: "On", off: "Off" },
  hints: "Hints",
  copyPosition: "Copy position ID",
  /** @param {number} value @param {string} owner */
  cube: (value, owner) => `Cube at ${value}, ${owner}.`,
  cubeOwners: { mine: "yours", theirs: "the opponent's", middle: "in the middle", offered: "offered" },
  /** @param {string} name */
  toAct: (name) => `${name} to act`,
  /** What a server refuses with a code, in place of its own sentence, which is English. @type {Record<string, string>} */
  refusals: {},
  /** What holds for oneself. until: a date, "" = for good. @type {Record<"ban" | "mute", (until: string, why: string, contact: string) => string>} */
  sanctions: {
    ban: (until, why, contact) => `You are banned ${until ? `until ${until}` : "for good"}: ${why} (${contact})`,
    mute: (until, why, contact) => `You may not talk ${until ? `until ${until}` : "any more"}: ${why} (${contact})`,
  },
  askOperator: "ask whoever runs this server",
  keys: [
    ["Arrows", "go from point to point"],
    ["Enter or Space", "pick a checker up, put it down"],
    ["8/5 6/5", "type a move: begin with a number or b for the bar"],
    ["R or Enter", "roll"],
    ["D", "done; before the roll: double"],
    ["U", "undo"],
    ["X", "swap the dice"],
    ["H", "show or hide hints, where the table has them"],
    ["I, P, C, S", "read dice, pips, clock, score and cube"],
    ["Esc", "skip what is being shown"],
    ["?", "this list"],
  ],
};
