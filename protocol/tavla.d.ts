// Types of tavla.v1. Made by protocol/generate.py from the same source as schema.json: do not edit.
// A msgpack bin is a Uint8Array. What is optional has the default that its comment says. Later servers add fields,
// types and values: pass over what you do not know.

export type Incoming = Reply | Update;

export type Request = Hello | Ping | Register | Rename | Password | Logout | CloseAccount | Profile | History | Record | Top | Dice | Daily | Solve | LookDeeper | Create | Join | Attach | Detach | List | Subscribe | Unsubscribe | Available | Cancel | Seek | Unseek | Challenge | Rematch | Answer | Withdraw | Ignore | Follow | Friends | Followers | CreateTournament | EnterTournament | LeaveTournament | DirectTournament | TournamentRecord | PastTournaments | Say | Chat | StartReview | JoinReview | LeaveReview | ShowReview | ShareFile | ReadFile | LeadReview | Collect | Collection | ReadCollected | Discard | Report | Reports | Resolve | Inspect | FairPlay | Sanction | Pardon | Adjudicate | Reveal | Ready | Roll | Double | Take | Drop | Beaver | Move | Resign | Accept | Refuse | Forfeit | Leave | Claim | Abort | Auto;

export type Reply = Welcome | Ok | Error | Snapshot | Plays | Presence | Seated | Ended | Replaced | Heartbeat | Listing | Changes | Matched | Seeking | Challenged | Unchallenged | Rematched | Said | Watchers | Review | Organised | Unpaired | Called | TournamentRecorded | Held | Career | Leaders | Played | Recorded | Puzzle | DeeperLook | Rolls | Following | Friend | Notice | SharedFile | Collected | CollectedFile | Reported | Inspected | Figures | Closing;

/**
 * Log in: with a new guest's `name`, an account's `name` and `password`, or the `token` from an earlier welcome.
 * Answer: welcome.
 *
 * bot: I am a program; from then on everyone sees that. watch: nobody as yet, who looks at lists and watches matches;
 * a second hello on the same connection says who you are after all. guest: with a `password`, the token of the guest
 * that you have been here: its places in tournaments go to the account.
 */
export interface Hello {
  type: "hello";
  id: number;
  name?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
  password?: string | null; // 1-128 characters; default null
  token?: string | null; // 1-64 characters; default null
  bot?: boolean; // default false
  watch?: boolean; // default false
  guest?: string | null; // 1-64 characters; default null
}

/**
 * Check that the connection lives, for programs that cannot send the WebSocket's own pings. Answer: ok.
 */
export interface Ping {
  type: "ping";
  id: number;
}

/**
 * Turn the guest that you are into an account, with the same name, id and matches.
 */
export interface Register {
  type: "register";
  id: number;
  password: string; // 8-128 characters
}

/**
 * Be called otherwise, as the guest that you are, with the same id, matches and places in tournaments. Answer: ok.
 *
 * Matches and tables keep the name with which you sat down.
 */
export interface Rename {
  type: "rename";
  id: number;
  name: string; // ^[A-Za-z0-9_-]{2,20}$
}

/**
 * Change your account's password. All its tokens but this connection's are revoked.
 */
export interface Password {
  type: "password";
  id: number;
  old: string; // 1-128 characters
  new: string; // 8-128 characters
}

/**
 * Revoke this connection's token, or all of yours; a guest is forgotten. Connections that used one are closed.
 */
export interface Logout {
  type: "logout";
  id: number;
  everywhere?: boolean; // default false
}

/**
 * Close your account for good: rating, results and tokens go, and in others' matches you become `someone`.
 */
export interface CloseAccount {
  type: "close_account";
  id: number;
  password: string; // 1-128 characters
}

/**
 * Ask for a player's career. Answer: career.
 */
export interface Profile {
  type: "profile";
  id: number;
  name: string; // ^[A-Za-z0-9_-]{2,20}$
}

/**
 * The matches that someone has played to their end, newest first. Answer: played.
 *
 * name: None = your own. after: `next` of the page before; "" = the first page.
 */
export interface History {
  type: "history";
  id: number;
  name?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
  after?: string; // ^([0-9]{1,16}[.][a-z0-9]{1,16})?$; default ""
}

/**
 * Ask for the record of a match, finished or not. Answer: recorded.
 *
 * after: `next` of the page before, or the last seq that one has; 0 = from the start. code: a private table's.
 */
export interface Record {
  type: "record";
  id: number;
  match: string; // 1-16 characters
  after?: number; // default 0
  code?: string; // ^[a-z2-7]{0,8}$; default ""
}

/**
 * The players with the highest ratings. Answer: leaders.
 */
export interface Top {
  type: "top";
  id: number;
}

/**
 * Ask how the dice have fallen in all matches of this server's archive. Answer: rolls.
 */
export interface Dice {
  type: "dice";
  id: number;
}

/**
 * Ask for the position of the day, or say what one would do there. Answer: puzzle.
 *
 * choice: a play as it is written, or `double`, `no double`, `take`, `drop`; "" = only look.
 */
export interface Daily {
  type: "daily";
  id: number;
  choice?: string; // 0-100 characters; default ""
}

/**
 * Ask for a puzzle, or answer one. Answer: puzzle.
 *
 * theme, level: of the one that is asked for; "" = of any. puzzle: the one that is answered; choice: as of `daily`.
 */
export interface Solve {
  type: "solve";
  id: number;
  theme?: "bear-off" | "cube" | "hit" | "middle game" | "opening" | "prime" | "race" | ""; // default ""
  level?: "easy" | "hard" | "medium" | ""; // default ""
  puzzle?: string; // 0-16 characters; default ""
  choice?: string; // 0-100 characters; default ""
}

/**
 * Ask the server's judge to look deeper at one decision of a match that is over, with an account. Answer:
 * deeper_look, some seconds later.
 *
 * game, turn, seat, done: as in a finding. code: a private table's.
 */
export interface LookDeeper {
  type: "look_deeper";
  id: number;
  match: string; // 1-16 characters
  game: number;
  turn: number;
  seat: number; // 0-1
  done: string; // 0-100 characters
  code?: string; // ^[a-z2-7]{0,8}$; default ""
}

/**
 * Open a table and sit down. Answer: snapshot.
 *
 * name: of the table; the player's own, or `ada-2`, if left out. rules: `preset` and the options that differ from it.
 * commitment: the SHA-256, in hex, of a fresh seed for the dice, 32 random bytes, that the client will `reveal`.
 * opponent: who may join. private: not listed, and only those who have the code of its view may join or
 * watch. spectators: others may watch. side: `white` is seat 0, `either` is drawn by lot.
 */
export interface Create {
  type: "create";
  id: number;
  name?: string | null; // ^.{1,120}$; default null
  rules?: AskedRules; // default {}
  side?: "black" | "either" | "white"; // default "either"
  commitment: string; // ^[0-9a-f]{64}$
  opponent?: "computer" | "person"; // default "person"
  private?: boolean; // default false
  spectators?: boolean; // default true
}

/**
 * Take the free seat of a table, named by its match id or its name. Answer: snapshot. code: a private table's.
 */
export interface Join {
  type: "join";
  id: number;
  table: string; // ^.{1,120}$
  commitment: string; // ^[0-9a-f]{64}$
  code?: string; // ^[a-z2-7]{0,8}$; default ""
}

/**
 * Follow a match, as a player of it or as a watcher.
 *
 * match: its id. table: the same, or its table's name, in place of `match`; every server knows this.
 * epoch, seq, checksum: of the view that the client has. Answer: ok, then every later update; or a snapshot. Without
 * the checksum, a store that lost changes and is as far again by others may be taken for the one that the client saw.
 * plays: send me the legal plays with each of my turns (if the rules allow hints). hush: do not send me what the
 * watchers say. code: a private table's; its players need none. sits: take my seat, from another connection of mine if
 * need be; without it, I have it only while no other connection of mine has, and who does not play is not among those
 * who watch. seed, seeds: the server's newest seed,
 * and both players', that a player's client was shown, "" = none: a server that has lost them goes on from these.
 */
export interface Attach {
  type: "attach";
  id: number;
  match?: string | null; // 1-16 characters; default null
  table?: string | null; // ^.{1,120}$; default null
  epoch?: number; // default 0
  seq?: number; // default 0
  checksum?: number | null; // 0-4294967295; default null
  plays?: boolean; // default false
  hush?: boolean; // default false
  code?: string; // ^[a-z2-7]{0,8}$; default ""
  sits?: boolean; // default true
  seed?: string; // ^([0-9a-f]{64})?$; default ""
  seeds?: [string, string]; // default ["", ""]
}

/**
 * Follow a match no longer. A player's seat stays taken; the match goes on when both are back.
 */
export interface Detach {
  type: "detach";
  id: number;
  match: string; // 1-16 characters
}

/**
 * A list as it is now. `mine`: the matches in which one has a seat, and those that ended meanwhile. Answer:
 * listing. tournament: of `standings` and `pairings`, whose they are.
 */
export interface List {
  type: "list";
  id: number;
  what?: "chat" | "matches" | "pairings" | "people" | "seekers" | "standings" | "tables" | "tournament" | "tournaments" | "mine"; // default "tables"
  tournament?: string; // 0-16 characters; default ""
}

/**
 * Follow a list. Answer: listing, then changes. tournament: as in `list`.
 */
export interface Subscribe {
  type: "subscribe";
  id: number;
  what: "chat" | "matches" | "pairings" | "people" | "seekers" | "standings" | "tables" | "tournament" | "tournaments";
  tournament?: string; // 0-16 characters; default ""
}

/**
 * Follow a list no longer. tournament: as in `list`.
 */
export interface Unsubscribe {
  type: "unsubscribe";
  id: number;
  what: "chat" | "matches" | "pairings" | "people" | "seekers" | "standings" | "tables" | "tournament" | "tournaments";
  tournament?: string; // 0-16 characters; default ""
}

/**
 * I am a program and play those who ask, by a challenge or with a table against the computer. Answer: ok.
 *
 * places: how many more matches at once; 0 = none any more. level: how well, in a word. rules: the options that must
 * have one of these values. Said anew when something of it changes, and on each new connection.
 */
export interface Available {
  type: "available";
  id: number;
  places: number; // 0-1000
  level?: string; // ^[a-z0-9-]{0,20}$; default ""
  rules?: { [key: string]: (boolean | number | string)[] }; // default {}
}

/**
 * Close one's own table before anyone joined it.
 */
export interface Cancel {
  type: "cancel";
  id: number;
  match: string; // 1-16 characters
}

/**
 * Quick match: wait for an opponent who wants the same. Answer: ok; then, in time, matched.
 *
 * rules: `preset`, and of the options variant, length, cube, clock (or delay_s and reserve_s) and rated. commitment:
 * as in `create`. Whoever seeks the same again waits on; several kinds of match may be sought at a time. seeker: the
 * key of a row of `seekers`: play that one, however far apart the ratings are, if it still waits for the same.
 */
export interface Seek {
  type: "seek";
  id: number;
  rules?: AskedRules; // default {}
  commitment: string; // ^[0-9a-f]{64}$
  seeker?: string; // 0-20 characters; default ""
}

/**
 * Seek no longer, nothing of it. Answer: ok; no matched comes after it.
 */
export interface Unseek {
  type: "unseek";
  id: number;
}

/**
 * Ask someone who is online for a match. Answer: challenged, and in time `matched` or `unchallenged`; or the
 * snapshot of the match, if the other player has asked for the same.
 *
 * rules, side, commitment: as in `create`.
 */
export interface Challenge {
  type: "challenge";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
  rules?: AskedRules; // default {}
  side?: "black" | "either" | "white"; // default "either"
  commitment: string; // ^[0-9a-f]{64}$
}

/**
 * Ask the opponent of a match that is over for another one, on the same seats; or accept that. Answer: challenged,
 * or the snapshot of the new match.
 */
export interface Rematch {
  type: "rematch";
  id: number;
  match: string; // 1-16 characters
  commitment: string; // ^[0-9a-f]{64}$
}

/**
 * Accept a challenge, with a `commitment` as in `create`, or not. Answer: the snapshot of the match, or ok.
 */
export interface Answer {
  type: "answer";
  id: number;
  challenge: string; // 1-16 characters
  accept: boolean;
  commitment?: string | null; // ^[0-9a-f]{64}$; default null
}

/**
 * Take one's own challenge back.
 */
export interface Withdraw {
  type: "withdraw";
  id: number;
  challenge: string; // 1-16 characters
}

/**
 * Hear nothing more of someone: challenges decline themselves, chat is not shown. on: false takes it back.
 */
export interface Ignore {
  type: "ignore";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
  on?: boolean; // default true
}

/**
 * Follow a player who has an account, as one yourself; nobody is told. on: false takes it back. Answer: ok.
 */
export interface Follow {
  type: "follow";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
  on?: boolean; // default true
}

/**
 * The players whom you follow. Answer: following. notices: tell this connection by `friend` what they do from now
 * on, or no longer.
 */
export interface Friends {
  type: "friends";
  id: number;
  notices?: boolean; // default false
}

/**
 * Let others follow you, as they may at first, or nobody. Answer: ok.
 */
export interface Followers {
  type: "followers";
  id: number;
  on: boolean;
}

/**
 * Make a tournament. Answer: organised.
 *
 * rules: as in `create`, of each match: to points, with a clock. starts: in so many seconds. minutes: how long it
 * lasts; matches that run then count. format: an `arena` has no rounds, and pairs those who wait every few seconds;
 * in the others `minutes` are those of a round. rounds: of a `swiss`; 0 = as many as give one player all wins.
 * private: it is in no list; who is told its id may enter, follow, and watch. min_rating, max_rating: with which one
 * may enter; 0 = any.
 */
export interface CreateTournament {
  type: "create_tournament";
  id: number;
  name: string; // ^.{1,120}$
  rules?: AskedRules; // default {}
  starts?: number; // 0-604800; default 0
  minutes?: number; // 1-720; default 60
  format?: "arena" | "knock-out" | "round-robin" | "swiss"; // default "arena"
  rounds?: number; // 0-20; default 0
  private?: boolean; // default false
  min_rating?: number; // 0-9999; default 0
  max_rating?: number; // 0-9999; default 0
}

/**
 * Wait for a match of a tournament: to come, to come back, and after each match. Answer: ok; in time, matched.
 *
 * commitment: as in `create`.
 */
export interface EnterTournament {
  type: "enter_tournament";
  id: number;
  tournament: string; // 0-16 characters
  commitment: string; // ^[0-9a-f]{64}$
}

/**
 * Wait for a match no longer. Points stay, and one may come back. Answer: ok.
 *
 * returns: wait for none just now, and be `called` to the next round; else one gives up the coming rounds.
 */
export interface LeaveTournament {
  type: "leave_tournament";
  id: number;
  tournament: string; // 0-16 characters
  returns?: boolean; // default false
}

/**
 * Of who made a tournament, or a moderator: decide something of it, which is written down. Answer: ok.
 *
 * what: `begin` it now; `halt` the pairing, or `resume` it; `extend` it, or its round, by so many `minutes`, or end it
 * now, with none: the matches that run count; `remove` the `player`, who leaves the standings and does not come back;
 * `add` one, who may enter then whatever the rating, and after a removal; `rename` it: its `name`; `cancel` it before
 * its first match. `adjudicate` ends its matches.
 */
export interface DirectTournament {
  type: "direct_tournament";
  id: number;
  tournament: string; // 0-16 characters
  what: "add" | "begin" | "cancel" | "extend" | "halt" | "remove" | "rename" | "resume";
  reason: string; // 1-200 characters
  minutes?: number; // 0-720; default 0
  player?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
  name?: string | null; // ^.{1,120}$; default null
}

/**
 * Ask what was played in a tournament, one of long ago, too, or so far. Answer: tournament_recorded.
 *
 * after: `next` of the page before.
 */
export interface TournamentRecord {
  type: "tournament_record";
  id: number;
  tournament: string; // 0-16 characters
  after?: number; // default 0
}

/**
 * List the tournaments that are over, newest first. Answer: held. after: `next` of the page before.
 */
export interface PastTournaments {
  type: "past_tournaments";
  id: number;
  after?: string; // ^([0-9]{1,16}[.][a-z0-9]{1,16})?$; default ""
}

/**
 * Say something to those who follow a match. Only its players may talk to `players`; watchers may read that.
 *
 * match: or the id of the shared review in which you are, whose people are its `watchers`. text: shown as one line,
 * without control characters. phrase: instead of a text. Kept nowhere; sent again, it is said again.
 */
export interface Say {
  type: "say";
  id: number;
  match: string; // 1-16 characters
  to: "players" | "watchers";
  text?: string; // 0-200 characters; default ""
  phrase?: "bye" | "gg" | "gl" | "hello" | "nice" | "oops" | "sorry" | "thanks" | null; // default null
}

/**
 * Say something in the lobby, to those who follow the list `chat`; to talk there follows it, too.
 *
 * text, phrase: as in `say`.
 */
export interface Chat {
  type: "chat";
  id: number;
  text?: string; // 0-200 characters; default ""
  phrase?: "bye" | "gg" | "gl" | "hello" | "nice" | "oops" | "sorry" | "thanks" | null; // default null
}

/**
 * Begin to share a review, as its leader. Answer: review. Who has its id may join.
 */
export interface StartReview {
  type: "start_review";
  id: number;
  scene: ReviewScene;
}

/**
 * Join a shared review; done again, it says how all is now. Answer: review. A connection is in one at a time.
 */
export interface JoinReview {
  type: "join_review";
  id: number;
  review: string; // ^[a-z2-7]{16}$
}

/**
 * Leave the shared review in which this connection is. Answer: ok.
 */
export interface LeaveReview {
  type: "leave_review";
  id: number;
}

/**
 * Show something to all in the review that you lead. Answer: ok.
 */
export interface ShowReview {
  type: "show_review";
  id: number;
  scene: ReviewScene;
}

/**
 * Add a piece of a match in a file to the review that you lead. Answer: ok.
 *
 * piece: its place, from 0. data: 1 to 3072 bytes; those of all pieces are compressed JSON. A review has one file.
 */
export interface ShareFile {
  type: "share_file";
  id: number;
  piece: number; // 0-10
  data: Bytes;
}

/**
 * Read the file of the shared review in which this connection is. Answer: shared_file.
 */
export interface ReadFile {
  type: "read_file";
  id: number;
}

/**
 * Hand the lead to a player, or take it. Answer: ok.
 *
 * player: one who is there; None = take it: so may its maker; or, if neither maker nor leader is there, whoever has
 * been there for longest.
 */
export interface LeadReview {
  type: "lead_review";
  id: number;
  player?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
}

/**
 * Add a match in a file to one's own collection, with an account: piece by piece, in order. Answer: ok; to the
 * last piece, when the match is decided by the rules, collected, with that match.
 *
 * piece: its place, from 0, of so many pieces. data: 1 to 3072 bytes, as of `share_file`. name: of the file. seat:
 * which player one is; None = neither. The same match again takes the place of the one before.
 */
export interface Collect {
  type: "collect";
  id: number;
  piece: number; // 0-10
  pieces: number; // 1-11
  data: Bytes;
  name?: string; // 0-100 characters; default ""
  seat?: number | null; // 0-1; default null
}

/**
 * Ask for one's own collection, newest first. Answer: collected. after: `next` of the page before.
 */
export interface Collection {
  type: "collection";
  id: number;
  after?: string; // ^([0-9]{1,16}[.][a-z0-9]{1,16})?$; default ""
}

/**
 * Read a match of one's collection. Answer: collected_file.
 */
export interface ReadCollected {
  type: "read_collected";
  id: number;
  match: string; // 1-16 characters
}

/**
 * Take a match out of one's collection, for good. Answer: ok.
 */
export interface Discard {
  type: "discard";
  id: number;
  match: string; // 1-16 characters
}

/**
 * Tell the moderators of someone. Answer: ok.
 *
 * reason: in your own words. match: where it happened, a match or a shared review; "" = elsewhere. The server adds
 * what was said there at last, or by that player in the lobby, as far as it still knows.
 */
export interface Report {
  type: "report";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
  reason: string; // 1-200 characters
  match?: string; // 0-16 characters; default ""
}

/**
 * Of a moderator: what players have reported. Answer: reported.
 *
 * about, by: only those about, or by, this player; None = all. closed: those that are closed. after: `next` of the
 * page before; None = the first page.
 */
export interface Reports {
  type: "reports";
  id: number;
  about?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
  by?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
  closed?: boolean; // default false
  after?: string | null; // ^[0-9]{1,16}-[0-9]{1,10}$; default null
}

/**
 * Of a moderator: close an open report. It is kept, with who has closed it and why. Answer: ok.
 */
export interface Resolve {
  type: "resolve";
  id: number;
  report: string; // ^[0-9]{1,16}-[0-9]{1,10}$
  reason?: string; // 0-200 characters; default ""
}

/**
 * Of a moderator: what there is to know of someone before one decides. Answer: inspected.
 */
export interface Inspect {
  type: "inspect";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
}

/**
 * Ask how an account plays by the server's judge: one's own without a name; another's, of a moderator. Answer:
 * figures.
 */
export interface FairPlay {
  type: "fair_play";
  id: number;
  name?: string | null; // ^[A-Za-z0-9_-]{2,20}$; default null
}

/**
 * Of a moderator: `kick` someone (who may come back at once), `mute` or `ban`. Answer: ok.
 *
 * minutes: for how long; of no meaning for a kick. addresses: it holds for the addresses from which the player is
 * connected now, too.
 */
export interface Sanction {
  type: "sanction";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
  what: "ban" | "kick" | "mute";
  reason: string; // 1-200 characters
  minutes?: number; // 1-43200; default 60
  addresses?: boolean; // default false
}

/**
 * Of a moderator: end a mute or a ban before its time, and that of the addresses that came with it. Answer: ok.
 */
export interface Pardon {
  type: "pardon";
  id: number;
  player: string; // ^[A-Za-z0-9_-]{2,20}$
  what: "ban" | "mute";
  reason: string; // 1-200 characters
}

/**
 * Of a moderator, or of who made the tournament: end a match, named by its id or its table, for the one on a side;
 * or `void` it, over or not.
 *
 * Answer: ok.
 */
export interface Adjudicate {
  type: "adjudicate";
  id: number;
  match: string; // ^.{1,120}$
  verdict: "black" | "void" | "white";
  reason: string; // 1-200 characters
}

/**
 * Before the first game, show the seed that one has committed to, on any connection that follows the match.
 *
 * binding: the SHA-256, in hex, of the terms that the player has seen.
 */
export interface Reveal {
  type: "reveal";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
  seed: string; // ^[0-9a-f]{64}$
  binding: string; // ^[0-9a-f]{64}$
}

/**
 * Start the next game, as soon as the opponent is ready too.
 */
export interface Ready {
  type: "ready";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Roll the dice instead of doubling.
 */
export interface Roll {
  type: "roll";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Offer the cube.
 */
export interface Double {
  type: "double";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Accept the offered cube.
 */
export interface Take {
  type: "take";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Refuse the offered cube and lose the game.
 */
export interface Drop {
  type: "drop";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Accept the offered cube and redouble at once, keeping it.
 */
export interface Beaver {
  type: "beaver";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Play the whole turn. moves: [from, to] pairs in the mover's own numbering, 25 = bar, 0 = off, in any order.
 */
export interface Move {
  type: "move";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
  moves: ([number, number])[];
}

/**
 * Offer to lose this game as a single (1), a gammon (2) or a backgammon (3).
 */
export interface Resign {
  type: "resign";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
  value: number; // 1-3
}

/**
 * Accept the opponent's resignation.
 */
export interface Accept {
  type: "accept";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Refuse the opponent's resignation.
 */
export interface Refuse {
  type: "refuse";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Give up at the price that the rules state.
 */
export interface Forfeit {
  type: "forfeit";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * End money play between two games.
 */
export interface Leave {
  type: "leave";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Win a match that waits for the other player, who has been away for too long, see `presence`.
 */
export interface Claim {
  type: "claim";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
}

/**
 * Ask that the match end without a winner, or agree to that. on: false takes it back.
 */
export interface Abort {
  type: "abort";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
  on?: boolean; // default true
}

/**
 * Leave something to the server: `roll` (never ask me about the cube in this game) or `play` (forced turns).
 *
 * on: false takes it back.
 */
export interface Auto {
  type: "auto";
  id: number;
  match: string; // 1-16 characters
  seq: number;
  epoch?: number; // default 1
  what: "play" | "roll";
  on: boolean;
}

/**
 * The answer to hello. token: keep it secret, it is you. matches: ids of those you play that are not over. ended:
 * of those that ended while you were away, each until you attach to it.
 *
 * player, name, token: "" for one who only looks on. server: its version, for people.
 * role: `moderator`, or "" for everybody else. voids: how many matches here are void, since a seed did not come or a
 * moderator said so, and of how many. gone: from when to when matches are gone, in ms since 1970, since a backup was
 * brought back; null = none.
 */
export interface Welcome {
  type: "welcome";
  id: number;
  player: string;
  name: string;
  kind?: string; // default "guest"
  rating?: number | null; // default null
  token: string;
  matches?: string[]; // default []
  server?: string; // default ""
  ended?: string[]; // default []
  role?: string; // default ""
  voids?: [number, number]; // default [0, 0]
  gone?: [number, number] | null; // default null
}

/**
 * Done. seq: for an action, the version of the match that it made. elapsed, seat: of `attach`, as in a snapshot.
 */
export interface Ok {
  type: "ok";
  id: number;
  seq?: number | null; // default null
  elapsed?: number; // default 0
  seat?: number | null; // 0-1; default null
}

/**
 * Refused; nothing has changed. seq: the current version, for an action. id: None, if it could not be read.
 *
 * retry_after: seconds until the same may be asked again, where a limit says so. sanction: for `banned` and `muted`.
 */
export interface Error {
  type: "error";
  id?: number | null; // default null
  code: ErrorCode;
  text: string;
  seq?: number | null; // default null
  retry_after?: number; // default 0.0
  sanction?: Sanctioned | null; // default null
}

/**
 * A whole match. view: every field that differs from the empty view, by name.
 *
 * id: of the request that it answers; None when the server sends it unasked, since updates were dropped.
 * seat: the one this connection plays, None for a watcher. online: which seats have a living connection.
 * elapsed: how long the time of the one who is to act has been running, in milliseconds, in a match with a clock.
 * absence: for how many seconds each player may be away; after that the other one may `claim`. claim_after: how many
 * of them are left, as in `presence`; None = the player is here, or there is none.
 */
export interface Snapshot {
  type: "snapshot";
  id?: number | null; // default null
  match: string;
  epoch: number;
  seq: number;
  seat?: number | null; // 0-1; default null
  online: [boolean, boolean];
  elapsed?: number; // default 0
  absence?: [number, number]; // default [0, 0]
  claim_after?: [number | null, number | null]; // default [null, null]
  view: View;
}

/**
 * Every legal play of the turn at `seq`, for the player who asked: one way for each resulting position.
 */
export interface Plays {
  type: "plays";
  match: string;
  seq: number;
  plays: (([number, number])[])[];
}

/**
 * A player's connection was lost, or is back.
 *
 * claim_after: seconds until the other player may `claim` the match, while it waits for this one, who stays away; None
 * = the player is here. since: when the player went, in seconds since 1970; 0 = the player is here.
 */
export interface Presence {
  type: "presence";
  match: string;
  seat: number; // 0-1
  online: boolean;
  claim_after?: number | null; // default null
  since?: number; // default 0
}

/**
 * A player, `name`, has sat down at the table that you have opened: the match can be attached to. Told on all your
 * connections. tournament: that calls you to its board, and the number of the pairing there; None = it is of none.
 */
export interface Seated {
  type: "seated";
  match: string;
  table: string;
  name: string;
  tournament?: [string, number] | null; // default null
}

/**
 * A match of yours is over, which none of your connections to this server follows: attach to see how it ended.
 */
export interface Ended {
  type: "ended";
  match: string;
}

/**
 * Another connection of yours plays this match; this one watches, until that one goes. seat: which of them.
 */
export interface Replaced {
  type: "replaced";
  match: string;
  seat?: number | null; // 0-1; default null
}

/**
 * The state of quiet matches: [match, epoch, seq, checksum of the view]. Differs from yours? Attach again.
 */
export interface Heartbeat {
  type: "heartbeat";
  matches: ([string, number, number, number])[];
}

/**
 * A list as it is at version `seq`. total: how many rows there are; of a very long list the first are shown.
 *
 * id: of the request that it answers; None when the server sends it unasked, since changes were dropped.
 * tournament: of `standings` and `pairings`.
 */
export interface Listing {
  type: "listing";
  id?: number | null; // default null
  what: string;
  tournament?: string; // default ""
  seq?: number; // default 0
  total: number;
  rows: { [key: string]: Table | Person | Line | Seeker | Tournament | Standing | Pairing };
}

/**
 * Changes of a list since version `seq` - 1: rows that are new or different, and keys that have gone.
 *
 * tournament: of `standings` and `pairings`.
 */
export interface Changes {
  type: "changes";
  what: string;
  tournament?: string; // default ""
  seq: number;
  total: number;
  set?: { [key: string]: Table | Person | Line | Seeker | Tournament | Standing | Pairing }; // default {}
  gone?: string[]; // default []
}

/**
 * An opponent was found, or a challenge was accepted: the match's snapshot follows.
 *
 * seek: the id of the request that led to it, a `seek`, and then you seek nothing any more, or an `enter_tournament`.
 * None: a challenge, with the match's id.
 */
export interface Matched {
  type: "matched";
  match: string;
  seek?: number | null; // default null
}

/**
 * Your seek has begun or ended, and not by your asking. seek: the id of the request that it is about.
 *
 * on: true, when nobody came to `match`: it is void, and you wait again, in front. False, when another connection of
 * yours seeks now, or was matched.
 */
export interface Seeking {
  type: "seeking";
  seek: number;
  on: boolean;
  match?: string | null; // default null
}

/**
 * `by` challenges `to`. Both players are told, on all their connections.
 *
 * id: of the request that it answers. rules: the options that differ from the default. seat: of `by`.
 * rematch: the match that it follows. expires: in so many seconds.
 */
export interface Challenged {
  type: "challenged";
  id?: number | null; // default null
  challenge: string;
  by: string;
  to: string;
  rules?: Rules; // default {}
  seat: number; // 0-1
  rematch?: string | null; // default null
  expires: number;
}

/**
 * A challenge is over: `accepted`, `declined`, `withdrawn` or `expired`. Accepted, it is a match of the same id.
 */
export interface Unchallenged {
  type: "unchallenged";
  challenge: string;
  why: string;
}

/**
 * The players of a match that you watched play another one, `next`: attach to it. code: of a private one.
 */
export interface Rematched {
  type: "rematched";
  match: string;
  next: string;
  code?: string; // default ""
}

/**
 * A player or a watcher has said something at a match that you follow. seat: of a player, None for a watcher.
 *
 * phrase: what `text` says in English, if it is one of the fixed phrases.
 */
export interface Said {
  type: "said";
  match: string;
  name: string;
  seat?: number | null; // 0-1; default null
  to: string;
  text: string;
  phrase?: string | null; // default null
}

/**
 * Watchers of a match that you follow: up to 20 names, and how many there are in all.
 */
export interface Watchers {
  type: "watchers";
  match: string;
  names?: string[]; // default []
  count: number;
}

/**
 * A shared review as it is now, to all who are there: whenever anything of it changes.
 *
 * people: the names of those who are there, in order of their coming; none = it has ended. maker, leader: "" = not
 * there.
 */
export interface Review {
  type: "review";
  id?: number | null; // default null
  review: string;
  people?: string[]; // default []
  maker?: string; // default ""
  leader?: string; // default ""
  scene?: ReviewScene; // default {}
}

/**
 * A tournament was made, and this is its id.
 */
export interface Organised {
  type: "organised";
  id: number;
  tournament: string;
}

/**
 * You wait for a match of a tournament no longer, and not by your asking. enter: the id of the request that waited.
 *
 * over: no more matches are made. text: why else.
 */
export interface Unpaired {
  type: "unpaired";
  tournament: string;
  enter: number;
  over?: boolean; // default false
  text: string;
}

/**
 * A tournament calls you, on all your connections, wherever you are.
 *
 * what: `come`: `round` begins without you in `left` seconds, unless you send `enter_tournament`; `came`: you are
 * called no longer; `won` or `lost`: `round` was decided without a match, since `opponent` or you did not come; `bye`:
 * you have no opponent in `round`, which counts as a win.
 * name: of the tournament, which has so many `rounds`; 0 = that is not known yet.
 */
export interface Called {
  type: "called";
  tournament: string;
  name: string;
  what: string;
  left?: number; // default 0
  round?: number; // default 0
  rounds?: number; // default 0
  opponent?: string; // default ""
}

/**
 * Record of a tournament. The later pages have pairings alone.
 *
 * about: its row. closed: when the table became final, in ms since 1970; 0 = it is not. players: the table, the first
 * first: each name with its standing; a removed player is not in it. pairings: in the order of their making.
 * rulings: of its director and of moderators. next: ask for what comes after; None = that was all so far.
 */
export interface TournamentRecorded {
  type: "tournament_recorded";
  id: number;
  tournament: string;
  about?: Tournament | null; // default null
  closed?: number; // default 0
  players?: ([string, Standing])[]; // default []
  pairings?: Pairing[]; // default []
  rulings?: TournamentRuling[]; // default []
  next?: number | null; // default null
}

/**
 * A page of tournaments that are over, by their ids, newest first. next: where the next page begins; None = that
 * was all.
 */
export interface Held {
  type: "held";
  id: number;
  tournaments?: { [key: string]: Tournament }; // default {}
  next?: string | null; // default null
}

/**
 * A player's profile. rating: None for those without an account. results: rated ones, newest first.
 *
 * unrevealed: how many matches are void since no seed came from this player, and of how many for which one was due.
 * left: how many matches this player has left, or lost on time, and of how many that have begun. puzzles: the
 * rating at puzzles, None = none was answered.
 */
export interface Career {
  type: "career";
  id: number;
  name: string;
  kind: string;
  rating?: number | null; // default null
  experience?: number; // default 0
  results?: Result[]; // default []
  unrevealed?: [number, number]; // default [0, 0]
  left?: [number, number]; // default [0, 0]
  puzzles?: number | null; // default null
}

/**
 * Players with a rating, the highest first.
 */
export interface Leaders {
  type: "leaders";
  id: number;
  leaders: Leader[];
}

/**
 * A page of someone's finished matches, newest first. next: where the next page begins; None = that was all.
 */
export interface Played {
  type: "played";
  id: number;
  matches?: Finished[]; // default []
  next?: string | null; // default null
}

/**
 * Record of a match, in order; each event is an array [seq, time in ms since 1970, type, ...].
 *
 * seq: of the last event here. view: the match as everyone may see it now, as in a snapshot; {} on later pages.
 * next: ask for what comes after this seq; None = that was all so far. unrevealed: by seat, as in `career` today.
 * analysis: where the server has judged the match; judging: it has not yet, and will. findings: the decisions that
 * have cost something, in order, the costliest 4 KB of them.
 */
export interface Recorded {
  type: "recorded";
  id: number;
  match: string;
  epoch: number;
  seq: number;
  view?: View; // default {}
  events?: Event[]; // default []
  next?: number | null; // default null
  unrevealed?: [[number, number], [number, number]]; // default [[0, 0], [0, 0]]
  analysis?: Analysis | null; // default null
  judging?: boolean; // default false
  findings?: Finding[]; // default []
}

/**
 * The position of the day, or a puzzle: a costly decision of a public match.
 *
 * day: the date, UTC. xgid: the position, as in eXtreme Gammon; "" = there is none. To a `choice` also, choices: what
 * was chosen that day, each with how often, the most frequent first; none of a puzzle. match: where it comes from.
 * finding: what was done there, and what was best; by: whom that is from.
 *
 * Of a puzzle, puzzle: its key. theme, rating: its own. own: the account's rating at puzzles, and its change by this
 * answer; null for a guest. right: whether the choice was the best.
 */
export interface Puzzle {
  type: "puzzle";
  id: number;
  day: string;
  xgid?: string; // default ""
  choices?: { [key: string]: number }; // default {}
  match?: string; // default ""
  finding?: Finding | null; // default null
  by?: string; // default ""
  puzzle?: string; // default ""
  theme?: "bear-off" | "cube" | "hit" | "middle game" | "opening" | "prime" | "race" | ""; // default ""
  rating?: number | null; // default null
  own?: [number, number] | null; // default null
  right?: boolean | null; // default null
}

/**
 * Choices in a decision, the best first, as a deeper look has found them.
 *
 * by: the judge, with its depth. choices: each with its equity, and its error: the true one is within so much in 95 of
 * 100 cases; null = it is not known. Of the cube `no double`, `double, take` and `double, drop`, by the equity of who
 * may double, or has done it.
 */
export interface DeeperLook {
  type: "deeper_look";
  id: number;
  by: string;
  choices: ([string, number, number | null])[];
}

/**
 * Counts of the dice in all matches of the archive, counted at `time`, in ms since 1970; 0 = not yet.
 *
 * matches: that were counted. proved: those whose rolls all follow from their seeds. white, black: the rolls of either
 * side, 36 numbers: of 1-1, 1-2, ... 6-6, the first die first; opening: opening rolls, the first die white's. judged:
 * matches with a winner and an analysis. luck: equity that the dice brought in them, to all winners and to all losers.
 * luckier: how many of them the luckier player has won.
 */
export interface Rolls {
  type: "rolls";
  id: number;
  time?: number; // default 0
  matches?: number; // default 0
  proved?: number; // default 0
  white?: number[]; // default []
  black?: number[]; // default []
  opening?: number[]; // default []
  judged?: number; // default 0
  luck?: [number, number]; // default [0.0, 0.0]
  luckier?: number; // default 0
}

/**
 * The players whom you follow. followers: others may follow you.
 */
export interface Following {
  type: "following";
  id: number;
  friends?: { [key: string]: Followed }; // default {}
  followers?: boolean; // default true
}

/**
 * A player whom you follow has come, has begun a match that you may watch, or has opened a table.
 *
 * what: `came`, `plays` or `opened`. match: which, of the last two. opponent: of a match.
 */
export interface Friend {
  type: "friend";
  name: string;
  what: string;
  match?: string; // default ""
  opponent?: string | null; // default null
}

/**
 * A notice of the operators, to everybody or to you alone. Show it wherever the user is.
 *
 * sanction: when it is about that.
 */
export interface Notice {
  type: "notice";
  text: string;
  sanction?: Sanctioned | null; // default null
}

/**
 * The file of a shared review, as far as it was added. data: of all pieces, in their order.
 */
export interface SharedFile {
  type: "shared_file";
  id: number;
  data: Bytes;
}

/**
 * Matches of one's collection. next: ask for what comes after; None = that was all. judging: by the server.
 */
export interface Collected {
  type: "collected";
  id: number;
  matches?: CollectedMatch[]; // default []
  next?: string | null; // default null
  judging?: boolean; // default false
}

/**
 * A match of one's collection. data: as all pieces of `share_file`. findings: of the server's judge, as in a
 * record; those of the file's own are in the data.
 */
export interface CollectedFile {
  type: "collected_file";
  id: number;
  match: CollectedMatch;
  data: Bytes;
  findings?: Finding[]; // default []
  judging?: boolean; // default false
}

/**
 * Reports by their ids, the newest first; none about the moderator who asks. next: where the next page begins;
 * None = this is the last.
 */
export interface Reported {
  type: "reported";
  id: number;
  rows?: { [key: string]: Complaint }; // default {}
  next?: string | null; // default null
}

/**
 * A player as moderators see them. matches: those that are not over, by id. tournaments: names, by id, of those
 * that the player has made and that are not over, private ones among them. reports: how many are open.
 *
 * role: `moderator`, or "".
 */
export interface Inspected {
  type: "inspected";
  id: number;
  name: string;
  kind: string;
  rating?: number | null; // default null
  experience?: number; // default 0
  online?: boolean; // default false
  role?: string; // default ""
  matches?: { [key: string]: Table }; // default {}
  penalties?: Penalty[]; // default []
  reports?: number; // default 0
  tournaments?: { [key: string]: string }; // default {}
}

/**
 * Figures of fair play: how an account plays by the server's judge, in its newest rated matches. No verdict.
 *
 * by: the judge; "" = none of them was judged. matches: at most 100; decisions: in all of them. performance: the
 * rating of all together, None = there was nothing to decide; error: the true one is within so much in 95 of 100
 * cases, None = too few matches. hard: plays in which the judge's first look had another best one than its last;
 * right: of them, those played as the judge would. hard_s, others_s: mean seconds from the roll to the play, a minute
 * at most each, in hard plays and in others; None = there were none. opponents: five, with whom most of these matches
 * were played, each with how many. errors: by kind, by phase, then by size; best: the five hard plays that
 * were right by most; of matches that were judged since this is counted.
 */
export interface Figures {
  type: "figures";
  id: number;
  name: string;
  rating?: number | null; // default null
  experience?: number; // default 0
  by?: string; // default ""
  matches?: number; // default 0
  decisions?: number; // default 0
  performance?: number | null; // default null
  error?: number | null; // default null
  hard?: number; // default 0
  right?: number; // default 0
  hard_s?: number | null; // default null
  others_s?: number | null; // default null
  opponents?: ([string, number])[]; // default []
  errors?: Errors[]; // default []
  best?: BestPlay[]; // default []
}

/**
 * The server closes this connection next. text: why. retry_after: seconds to wait before connecting again.
 *
 * sanction: when it is for that.
 */
export interface Closing {
  type: "closing";
  text: string;
  retry_after?: number; // default 0.0
  sanction?: Sanctioned | null; // default null
}

/**
 * A step of a match: [match, seq, [code, value, code, value, ...]]. The hot frame, so an array.
 */
export type Update = [match: string, seq: number, diff: unknown[], ...unknown[]]; // `code` in View

/**
 * A row of the lists `tables`, `matches` and `mine`; its key is the match id.
 *
 * players: None = the seat is free. rules: the options that differ from the default. since: when it was opened, or
 * when the match began, in seconds since 1970. kinds, ratings: as in the view. away: since when a seat's player has
 * been away, in seconds since 1970; 0 = is there. A match from which anybody is away is paused. to_act: the seats that
 * it waits for; code: of a private table; outcome: as in the view, of a match that ended meanwhile; these in `mine`
 * alone.
 */
export interface Table {
  name: string;
  players: [string | null, string | null];
  rules?: Rules; // default {}
  score?: [number, number]; // default [0, 0]
  since?: number; // default 0
  kinds?: [string | null, string | null]; // default [null, null]
  ratings?: [number | null, number | null]; // default [null, null]
  opponent?: string; // default "person"
  spectators?: boolean; // default true
  private?: boolean; // default false
  away?: [number, number]; // default [0, 0]
  to_act?: number[]; // default []
  code?: string; // default ""
  outcome?: [number | null, number, number, string] | null; // default null
}

/**
 * A row of the list `seekers`: someone waits for a quick match. Its key goes into `seeker` of a `seek`.
 *
 * rules: the options that differ from the default. since: when they began to wait, in seconds since 1970.
 */
export interface Seeker {
  name: string;
  kind?: string; // default "guest"
  rating?: number | null; // default null
  rules?: Rules; // default {}
  since?: number; // default 0
}

/**
 * A row of the list `people`; its key is the name. since: when they came, in seconds since 1970.
 *
 * places, level, rules: of a program that plays those who ask, as in `available`.
 */
export interface Person {
  kind?: string; // default "guest"
  rating?: number | null; // default null
  since?: number; // default 0
  places?: number; // default 0
  level?: string; // default ""
  rules?: { [key: string]: (boolean | number | string)[] }; // default {}
}

/**
 * A row of the list `chat`; its key is a number as text, higher for what was said later.
 *
 * phrase: what `text` says in English, if it is one of the fixed phrases. since: when it was said, in seconds since
 * 1970.
 */
export interface Line {
  name: string;
  kind?: string; // default "guest"
  text: string;
  phrase?: string | null; // default null
  since?: number; // default 0
}

/**
 * A row of the list `tournaments`; its key is the tournament's id.
 *
 * by: who made it. rules: the options that differ from the default. starts, ends: in seconds since 1970; what ends
 * before it starts was cancelled. players: how many have entered it. playing: how many matches are under way. halted:
 * nobody is paired now. over: the table is final. format: as it was made. round: that is played, or was the last, from
 * 1, of so many `rounds`, and `ends` is its own end; 0 = none has begun, or there are none. private, min_rating,
 * max_rating: as it was made.
 */
export interface Tournament {
  name: string;
  by: string;
  rules?: Rules; // default {}
  starts: number;
  ends: number;
  players?: number; // default 0
  playing?: number; // default 0
  halted?: boolean; // default false
  over?: boolean; // default false
  format?: string; // default "arena"
  round?: number; // default 0
  rounds?: number; // default 0
  private?: boolean; // default false
  min_rating?: number; // default 0
  max_rating?: number; // default 0
}

/**
 * A row of the list `standings`; its key is the player's name. The first has the most points, then the highest
 * tiebreaks, in their order, then performance.
 *
 * points: in an arena 2 for a win, 4 after two wins in a row; in a knock-out rounds won in the main bracket; else 1
 * for a win. matches: that count, `wins` of them won. streak: the last wins in a row. performance: the rating as which
 * the player has played; None = nothing was played. waiting: for a match. match: that is being played; "" = none is.
 * code: with which others may watch it, in a private tournament.
 * tiebreaks: `swiss` Buchholz, Sonneborn-Berger; `round-robin` wins against those with as many points,
 * Sonneborn-Berger; `knock-out` rounds won in the consolation, in the last chance; `arena` none.
 */
export interface Standing {
  kind?: string; // default "guest"
  rating?: number | null; // default null
  points?: number; // default: 52 zeros
  matches?: number; // default 0
  wins?: number; // default 0
  streak?: number; // default 0
  performance?: number | null; // default null
  waiting?: boolean; // default false
  match?: string; // default ""
  code?: string; // default ""
  tiebreaks?: number[]; // default []
}

/**
 * A row of the list `pairings`, which a tournament with rounds has; its key is a number, as text: they were made in
 * that order.
 *
 * round: from 1; 0 = there are none. players: the names, by seat; no second one = the first has a bye. match: "" =
 * none was opened, as for a bye, or since a player was not there. winner: None = none yet, or none at all, if `over`.
 * bracket: of a knock-out: 0 the main one, 1 the consolation, 2 the last chance; the winners of pairings 2n and 2n + 1
 * of a bracket in one round are in its pairing n of the next. time: when it was made, in ms since 1970. absent: the
 * seats whose players did not come. code: with which others may watch the match, in a private tournament.
 */
export interface Pairing {
  round: number;
  players: string[];
  match?: string; // default ""
  winner?: number | null; // default null
  over?: boolean; // default false
  bracket?: number; // default 0
  time?: number; // default 0
  absent?: number[]; // default []
  code?: string; // default ""
}

/**
 * A ruling in a tournament, at `time`, in ms since 1970.
 *
 * what: as in `direct_tournament`, or the verdict on a `match`. judge: `director`, `moderator`, `operator`, or
 * `server`, which resumes what a director who is gone has halted. by, player: names; "" = nobody is named. reason: ""
 * of somebody who may not talk.
 */
export interface TournamentRuling {
  time: number;
  by: string;
  what: string;
  player?: string; // default ""
  reason?: string; // default ""
  judge?: string; // default ""
  match?: string; // default ""
}

/**
 * A rated match, or a sitting for money, as one player sees it.
 *
 * time: of its last result, in ms since 1970. score: one's own points, then the opponent's. change: of the rating.
 * rating: after it.
 */
export interface Result {
  match: string;
  time: number;
  opponent: string;
  length: number;
  score: [number, number];
  change: number;
  rating: number;
}

/**
 * A line of the leaderboard.
 */
export interface Leader {
  name: string;
  kind: string;
  rating: number;
  experience: number;
}

/**
 * A match that is over, in someone's history. Pairs are by seat.
 *
 * table: its name. seat: whose history it is. players: their names then; `someone`, whose account was closed. rules:
 * the options that differ from the default. winner: None = level. ending: how its last game, or the match, ended.
 * started, ended: in ms since 1970. ratings: when they sat down, None = not rated; changes: what it did to them.
 * private: not shown to others. analysis: where the server judges matches, and has come to this one.
 */
export interface Finished {
  match: string;
  table: string;
  seat: number; // 0-1
  players: [string, string];
  kinds: [string, string];
  rules?: Rules; // default {}
  score?: [number, number]; // default [0, 0]
  winner?: number | null; // 0-1; default null
  ending: Ending;
  started: number;
  ended: number;
  ratings?: [number | null, number | null]; // default [null, null]
  changes?: [number, number]; // default [0.0, 0.0]
  private?: boolean; // default false
  analysis?: Analysis | null; // default null
}

/**
 * Quality of play in a match. Pairs are by seat; equity: 1 is what a win of the game at its cube is worth.
 *
 * by: the judge. error: why it could not be judged; the rest is left out then. ratings: the performance rating, None =
 * there was nothing to decide. lost: equity, in all decisions together. luck: equity that the dice have brought.
 * rough: a better judge has yet to judge the match; seen: the plays that it has judged so far, of how many: (0, 0)
 * before it begins, and in a list.
 */
export interface Analysis {
  by?: string; // default ""
  error?: string; // default ""
  ratings?: [number | null, number | null]; // default [null, null]
  lost?: [number, number]; // default [0.0, 0.0]
  decisions?: [number, number]; // default [0, 0]
  luck?: [number, number]; // default [0.0, 0.0]
  rough?: boolean; // default false
  seen?: [number, number]; // default [0, 0]
}

/**
 * A decision. turn: of the game, from 1, the roll that it is about or that would follow it. loss: equity.
 *
 * done, best: plays as they are written; of the cube `double`, `no double`, `take`, `drop`. mark: the judge's own
 * sign, `?!`, `?` or `??`, "" for a decision that deserves none; null = by the loss.
 */
export type Finding = [number, number, number, string, string, number, string | null, ...unknown[]];

/**
 * Errors in decisions of one kind (`play`, `double`, `take`), in one phase of the game, or of one size.
 *
 * decisions: how many. lost: equity, in all together. match, number: where the costliest one is, by its number in the
 * page's review, from 1; worst: its cost.
 */
export type Errors = [string, number, number, number, string, number, ...unknown[]];

/**
 * A hard play that was right, and where it is: see `errors`. margin: equity ahead of the next best.
 */
export type BestPlay = [string, number, string, number, ...unknown[]];

/**
 * A row of `following`; its key is the name. match: one that this player plays now and that you may watch.
 *
 * table: an open one of this player's. Both "" = none that is listed. shy: this player does not want to be followed
 * any more, and you get no notices.
 */
export interface Followed {
  kind: string;
  rating?: number | null; // default null
  online?: boolean; // default false
  match?: string; // default ""
  table?: string; // default ""
  shy?: boolean; // default false
}

/**
 * The scene of a shared review: what all of them see.
 *
 * match: a match that is over, with the code of a private one; or file: of how many pieces the shared one is, 0 =
 * none; or position: an XGID. decision: its number in the review of the match, from 1. tried: a trial at that
 * decision; steps: of its checkers so far, each from and to a point of who decides; answer: what was said there at
 * last. marks: points that the leader points at, arrows: drawn from one point to another, both in the numbering of
 * white.
 */
export interface ReviewScene {
  match?: string; // 0-16 characters; default ""
  code?: string; // ^[a-z2-7]{0,8}$; default ""
  file?: number; // 0-11; default 0
  position?: string; // 0-100 characters; default ""
  decision?: number; // 0-99999; default 0
  tried?: boolean; // default false
  steps?: ([number, number])[]; // default []
  answer?: "" | "no" | "yes"; // default ""
  marks?: number[]; // default []
  arrows?: ([number, number])[]; // default []
}

/**
 * A match of a collection. players: as the file names them. rules: the options that differ from the default.
 *
 * seat: the collector's; None = neither. winner: None = the file has no end. added: in ms since 1970. analysis: the
 * server's judge's.
 */
export interface CollectedMatch {
  match: string;
  name?: string; // default ""
  players: [string, string];
  seat?: number | null; // default null
  rules?: Rules; // default {}
  score?: [number, number]; // default [0, 0]
  winner?: number | null; // default null
  added: number;
  analysis?: Analysis | null; // default null
}

/**
 * A row of `reported`. by: who has reported `about`. time: in ms since 1970. match: "" = none was named.
 *
 * lines: what was said there at last, or by `about` in the lobby; each [name, text], the oldest first. earlier: the
 * reasons of the same player's reports that this one takes the place of. closed: when it was closed; 0 = it is open.
 * closed_by: a moderator, `server` for want of room, or an operator. closed_why: their words.
 */
export interface Complaint {
  by: string;
  about: string;
  reason: string;
  time: number;
  match?: string; // default ""
  lines?: ([string, string])[]; // default []
  earlier?: string[]; // default []
  closed?: number; // default 0
  closed_by?: string; // default ""
  closed_why?: string; // default ""
}

/**
 * A mute or a ban that holds. until, since: in ms since 1970; until 0 = for good. by: who has decided so.
 */
export interface Penalty {
  what: string;
  reason: string;
  by: string;
  since: number;
  until?: number; // default 0
}

/**
 * A ban or a mute, for whom it holds: the parts of the sentence beside it, to be said in another language.
 *
 * until: in ms since 1970; 0 = for good. reason: a moderator's words. contact: whom to ask; "" = whoever runs this.
 */
export interface Sanctioned {
  what: "ban" | "mute";
  reason: string;
  until?: number; // default 0
  contact?: string; // default ""
}

/**
 * The view of a match. A field's number in this order, from 0, is its code in a diff. Pairs are indexed by seat.
 *
 * A client needs no rules to show it. Seat 0 plays white.
 */
export interface View {
  name?: string; // code 0; default ""
  rules?: Rules; // code 1; default {}
  players?: [string | null, string | null]; // code 2; default [null, null]
  phase?: Phase; // code 3; default "open"
  turn?: 0 | 1; // code 4; default 0
  dice?: number[]; // code 5; default []
  points?: Bytes; // code 6; default: 52 zeros
  last?: number[][]; // code 7; default []
  rolls?: number; // code 8; default 0
  cube?: number; // code 9; default 1
  owner?: 0 | 1 | null; // code 10; default null
  offer?: 0 | 1 | null; // code 11; default null
  resignation?: [number, number] | null; // code 12; default null
  score?: [number, number]; // code 13; default [0, 0]
  game?: number; // code 14; default 0
  crawford?: boolean; // code 15; default false
  ready?: [boolean, boolean]; // code 16; default [false, false]
  auto_roll?: [boolean, boolean]; // code 17; default [false, false]
  auto_play?: [boolean, boolean]; // code 18; default [false, false]
  outcome?: [0 | 1 | null, number, number, Ending, ...unknown[]] | null; // code 19; default null
  commitment?: string; // code 20; default ""
  seeds?: [string, string]; // code 21; default ["", ""]
  seed?: string; // code 22; default ""
  clock?: [number, number, number] | null; // code 23; default null
  kinds?: [string | null, string | null]; // code 24; default [null, null]
  ratings?: [number | null, number | null]; // code 25; default [null, null]
  code?: string; // code 26; default ""
  spectators?: boolean; // code 27; default true
  series?: [number, number]; // code 28; default [0, 0]
  commitments?: [string, string]; // code 29; default ["", ""]
  unrevealed?: number[]; // code 30; default []
  aborts?: [number | null, number | null]; // code 31; default [null, null]
  used?: [number, number] | null; // code 32; default null
  salts?: [string, string]; // code 33; default ["", ""]
  tournament?: [string, number] | null; // code 34; default null
}

/**
 * Options of a table; what is left out is as in the preset `tournament`.
 */
export interface Rules {
  variant?: "standard" | "nackgammon" | "hypergammon" | "longgammon" | (string & {}); // default "standard"
  length?: number; // default 7
  cube?: boolean; // default true
  cube_cap?: number; // default 0
  crawford?: boolean; // default true
  jacoby?: boolean; // default false
  beavers?: number; // default 0
  automatic_doubles?: number; // default 0
  opening?: "roll_off" | "seat_0" | "seat_0_cube" | "winner" | (string & {}); // default "roll_off"
  forfeit_multiplier?: number; // default 0
  resignations?: boolean; // default true
  hints?: boolean; // default false
  delay_s?: number; // default 0
  reserve_s?: number; // default 0
  rated?: boolean; // default false
  backgammons?: boolean; // default true
  cap_kept?: boolean; // default false
  hit_and_run?: boolean; // default true
}

/**
 * A preset, and the options that differ from it. `clock` stands for delay_s and reserve_s.
 */
export interface AskedRules {
  preset?: "tournament" | "money" | "club" | "mpgn" | "seats" | "tavla" | "portes" | (string & {});
  clock?: "none" | "fast" | "normal" | "slow" | (string & {});
  variant?: "standard" | "nackgammon" | "hypergammon" | "longgammon" | (string & {});
  length?: number;
  cube?: boolean;
  cube_cap?: number;
  crawford?: boolean;
  jacoby?: boolean;
  beavers?: number;
  automatic_doubles?: number;
  opening?: "roll_off" | "seat_0" | "seat_0_cube" | "winner" | (string & {});
  forfeit_multiplier?: number;
  resignations?: boolean;
  hints?: boolean;
  delay_s?: number;
  reserve_s?: number;
  rated?: boolean;
  backgammons?: boolean;
  cap_kept?: boolean;
  hit_and_run?: boolean;
}

/**
 * Of which kind the rows of a list are, by its `what`.
 */
export interface Rows {
  tables: Table;
  matches: Table;
  mine: Table;
  people: Person;
  chat: Line;
  seekers: Seeker;
  tournaments: Tournament;
  tournament: Tournament;
  standings: Standing;
  pairings: Pairing;
}

/**
 * An event of a match: seq, ms since 1970, type, and what it has.
 */
export type Event = [number, number, string, ...unknown[]];

export type Bytes = Uint8Array;

export type Phase = "open" | "reveal" | "ready" | "roll" | "cube" | "move" | "resign" | "over" | (string & {});

export type Ending = "borne_off" | "drop" | "resignation" | "forfeit" | "left" | "time" | "abandoned" | "aborted" | "adjudicated" | "voided" | "put_back" | (string & {});

export type ErrorCode = "bad_message" | "hello_first" | "bad_token" | "wrong_password" | "name_taken" | "name_reserved" | "registered" | "account_needed" | "no_such_player" | "not_followed" | "no_such_match" | "table_full" | "private" | "no_spectators" | "bots_only" | "people_only" | "not_online" | "no_such_challenge" | "no_such_tournament" | "tournament_over" | "no_such_review" | "not_leading" | "not_seated" | "not_attached" | "bad_seed" | "bad_commitment" | "other_terms" | "unrevealed" | "left_matches" | "bad_rules" | "stale" | "too_many" | "nothing_said" | "no_claim" | "banned" | "muted" | "not_allowed" | "no_archive" | "unavailable" | "not_your_turn" | "wrong_phase" | "illegal_play" | "no_double" | "no_resignation" | (string & {});

export type CloseCode = 1001 | 1002 | 1003 | 1007 | 1008 | 1009 | 1011 | 1012 | 1013 | 4000 | 4001 | 4002 | 4003 | number;

export type Phrase = "hello" | "gl" | "nice" | "oops" | "thanks" | "sorry" | "gg" | "bye";
