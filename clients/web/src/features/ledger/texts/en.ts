/** Texts of the ledger, in English. */

const were = (count: number) => (count === 1 ? "was" : "were");

export const en = {
  notChecked: "The dice could not be checked:",
  silent: (name: string) =>
    `No seed came from ${name}. A line may have failed; ${name} and the server together could do this to choose the dice.`,
  seeksOn: "Looking for another opponent…",
  asks: "That makes two within an hour: the search has stopped.",
  closed: "The server closed the match when it could know your dice, and gives no reason.",
  blamed:
    "The server says that you did not reveal your seed. You did, in time: what proves it is kept in this browser.",
  notRevealed: "Your seed for the dice was not revealed from this device.",
  revealLost: "Your seed was sent, but the connection was lost before the server had it.",
  putBack: "The match is void: the server was put back to an earlier state before the first roll.",
  endTaken:
    "The server was put back, and has taken back an end that you have seen. Somebody may have seen the dice to come.",
  vanished: (name: string) =>
    `The server no longer knows your match against ${name}, which was not over. It may have dropped it because it disliked your dice.`,
  oddFlag: (left: string) => `By your clock ${left} were left when the server ended the match on time.`,
  oddClaim: (seconds: number) =>
    `The server says that you were away. It has answered this page all the time, for ${seconds} s.`,
  oddRefusal:
    "The server has refused what you may do by the rules that this page knows. Perhaps one of the two is older: load the page again.",
  inYourName: (did: string) =>
    `${did} in your name, which this page did not ask for. If you also play elsewhere, it may have been you. If not, somebody with your login or the server did it: change your password, if you have one.`,
  /** By the name of the request. */
  did: {
    roll: "The dice were rolled",
    double: "The cube was offered",
    take: "A double was taken",
    drop: "A double was dropped",
    beaver: "The cube was turned once more",
    move: "A turn was played",
    resign: "A resignation was offered",
    accept: "A resignation was accepted",
    refuse: "A resignation was refused",
    forfeit: "The game was forfeited",
    auto: "Something was left to the server, or taken back from it,",
    abort: "An agreement to abort was asked for, given or taken back",
  } as Record<string, string>,
  otherPlay: (shown: string, sent: string) =>
    `The server took another play than this page sent: it shows ${shown}, and ${sent} was sent. Save the match.`,
  decided: (name: string) => `The server rolled or played for ${name}, who had not left that to it.`,
  gone: (name: string) => `Your match against ${name} is gone: the server was brought back from an older backup.`,
  counts: (matches: number, silent: number, closed: number, back: number) =>
    [
      !matches
        ? "No match yet."
        : `Of ${matches} ${matches === 1 ? "match" : "matches"} here ${silent} ended before the first roll because no seed came from the other player, and ${closed} by the server's doing.`,
      silent ? "Lines fail: some of the first kind are usual." : "",
      closed ? "The second kind is not usual: if there are more of them, play elsewhere." : "",
      back ? `${back} more ${were(back)} void because the server was put back.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  who: "Who could still do what",
  whoCould: [
    "Whoever runs this server knows every roll to come, and could tell one of the players. Programs of the house could know them, too. Nobody can see that.",
    "Whoever runs it also sends this page, and another page could play in your name. On a computer, tavla check compares what is sent, and with tavla page or the terminal nothing of the server's runs.",
    "It pairs the players, counts, and keeps ratings and clocks. It could close a match before its first roll: look how many matches ended so. It could cut a player's line, write in a player's name, and show two players two matches: compare your files.",
    "It could put a match back to an earlier roll: who saw what came then knows it. After a reload, or on another device, you may not notice. A file proves its dice, not that it was played.",
    "A browser can forget its seed, or what it saw. And what your program has noticed convinces you alone.",
    "A player may be somebody else than you think, or ask a program.",
    "Fair dice are not kind dice: in one match, one player may well roll three doubles more than the other. Only over very many rolls does it even out.",
  ],
  remembered: "What this browser remembers",
  remembers:
    "For 90 days after a match this browser keeps what you agreed to, your seed, and how the match ended; after that, numbers alone. So it can tell you when the server shows a match otherwise than before. A browser, or the server's own page, can erase all of it, and it convinces nobody but you.",
  forget: "Forget what this browser remembers of this server",
  askForget:
    "Forget all of it, and the numbers? A match that still waits for your seed would be void, and counted for you. Your name and your settings stay.",
  yesForget: "Yes, forget it",
  forgotten: "It is forgotten.",
};
