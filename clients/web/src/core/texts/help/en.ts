/** Meanings of options and keys, in English. */

/** options: what each means, and where more stands. keys: what is pressed, and what it does. who: could still cheat. notKept: said where a browser keeps nothing. */
export const en = {
  options: {
    "against.table": ["A table in the lobby, where others can sit down.", ""],
    "against.computer": ["A program of this server plays at once.", ""],
    "against.quick": ["You are brought together with somebody of about your rating.", ""],
    level: ["Beginner makes many mistakes, World class few; each level between makes fewer than the one before.", ""],
    name: ["As you like. Under it the table is found, in the lobby and at /t/NAME.", ""],
    "preset.tournament": ["To a number of points, with the cube and the Crawford game.", "crawford"],
    "preset.money": ["Game after game, until one leaves. Jacoby rule, and beavers.", "jacoby"],
    "preset.tavla": [
      "To 5, no cube, a mars counts 2, no hit-and-run at home. The winner starts the next game.",
      "rules-tavla",
    ],
    "preset.portes": ["To 7, no cube, a gammon counts 2. The winner starts the next game.", "rules-portes"],
    "preset.club": ["Game after game. The cube goes to 64; no Crawford, no Jacoby, no beavers.", "cube"],
    "preset.mpgn": [
      "As on old game networks: a tie at the start turns the cube, at most twice, and there are hints.",
      "automatic",
    ],
    "preset.seats": ["White always starts, with both dice, and may double before. The cube goes to 64.", "cube"],
    "length.0": ["A money game: every game counts by itself.", "money"],
    length: ["Whoever has so many points first wins the match.", "match"],
    "clock.none": ["Nobody has to hurry.", ""],
    "clock.fast": ["8 seconds a turn are free; beyond them you have 20 seconds for each point of the match.", "clock"],
    "clock.normal": [
      "12 seconds a turn are free; beyond them you have 2 minutes for each point of the match.",
      "clock",
    ],
    "clock.slow": ["15 seconds a turn are free; beyond them you have 3 minutes for each point of the match.", "clock"],
    "variant.standard": ["The usual start.", "rules-standard"],
    "variant.nackgammon": ["Four checkers at the back in place of two: longer games.", "rules-nackgammon"],
    "variant.hypergammon": ["Three checkers each: short and wild.", "rules-hypergammon"],
    "variant.longgammon": ["All fifteen begin on the 24 point.", "rules-longgammon"],
    side: ["The colour of your checkers, and your seat.", ""],
    cube: ["Players may double what the game counts.", "cube"],
    hints: ["Both may have their legal moves shown, and the best plays with what each is worth.", ""],
    rated: ["The result changes the ratings of both. For accounts only.", "rating"],
    isPrivate: ["In no list: your opponent needs the link, which holds a code.", ""],
    watched: ["Others may look on, and talk with one another.", ""],
  } as Record<string, [string, string]>,
  keys: [
    ["Arrows", "go from point to point"],
    ["Enter or Space", "pick a checker up, put it down"],
    ["8/5 6/5", "type a move: begin with a number or b for the bar"],
    ["13 8", "shorter: 13 goes by the left die, 8 by the other"],
    ["R or Enter", "roll"],
    ["D", "done; before the roll: double"],
    ["U", "undo"],
    ["X", "swap the dice"],
    ["N", "the next checker that can move, or the next target; Shift: the one before; in a review the next mistake"],
    ["← →, T", "in a review: step, try again"],
    ["H", "show or hide arrows of all moves, where the table has hints"],
    ["E", "the best plays, and what each is worth, where the table has hints"],
    ["I, P, C, S", "read dice, pips, clock, score and cube"],
    ["Esc", "skip what is being shown"],
    ["?", "this list"],
  ] as [string, string][],
  who: "Who could still do what against you",
  notKept:
    "This browser keeps nothing for this page. You can play, but leave the page open: after a reload you are somebody else, your seat is lost, and a match that waits for your seed is void. To change that, allow site data for this page.",
  whyPassword:
    "With a password the name is yours for good, and your matches may be rated. Without one you are a guest.",
  nameShape: "2 or more of A-Z, a-z, 0-9, _ and -",
  refusals: {} as Record<string, string>, // by code, in place of the server's own sentence, which is English
};
