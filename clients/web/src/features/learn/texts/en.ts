/** Texts of the lesson, the rules and the glossary, in English. [words](key) is a link to an entry of the glossary. */

type StepText = { title: string; text: string; good?: string; bad?: string };
type GameText = { name: string; about: string; points: string[]; how: string };

/** bad: what is said of a turn that the rules allow, and that is not what the step is about. */
const steps: Record<string, StepText> = {
  board: {
    title: "The way home",
    text: "You are White. Your fifteen [checkers](checker) go the way of the arrows: from the 24 point down to your [home](home), points 1 to 6, and then off the board. Black goes the other way round. Whoever is off first has won.",
  },
  roll: {
    title: "Two dice, two moves",
    text: "Roll. Each die moves one checker by so many points; one checker may also take both. Tap a checker, then one of the marked points, or drag it there. Done ends your turn. With keys: arrows and Enter, or type a play such as 24/18 13/8.",
    good: "That was a whole turn: two dice, eleven points. Now it would be Black's turn.",
  },
  closed: {
    title: "Closed points, and doubles",
    text: "Two equal dice are a [double](doubles): you play a 5 four times. Where Black has two checkers or more, the point is closed. Your two on the 24 point cannot move: five on is the 19 point, and it is Black's.",
    good: "Four fives. Only [points](point) with two or more of Black's checkers stop you: all others are open.",
  },
  hit: {
    title: "Hit a blot",
    text: "One checker alone is a [blot](blot). Land on it, and it is [hit](hit): it goes to the [bar](bar) and has its whole way before it again. Black has left a blot on your 5 point. You rolled 3 and 2.",
    good: "Hit! Black's checker is on the bar, and begins again from there.",
    bad: "The rules allow that, but no blot was hit. Which of your checkers is 3 points away from Black's blot on your 5 point?",
  },
  twice: {
    title: "Two at once",
    text: "Two blots, on your 7 and your 11 point, and you rolled 6 and 2. Hit both.",
    good: "Two checkers on the bar. Black can do nothing else until both have come in.",
    bad: "There is more in it: hit both. From the 13 point they are 6 and 2 away.",
  },
  enter: {
    title: "Back from the bar",
    text: "Now one of yours was hit. It has to [enter](enter) before anything else moves. You come in where the die says, counted from 24 down: a 3 is the 22 point, a 6 the 19 point, and that one is closed.",
    good: "You are in again. With the other die you could move what you liked.",
  },
  dance: {
    title: "No way in",
    text: "You rolled 6 and 4, and both points are closed, 19 and 21. Try it. If no checker can move, the turn is over: press Done.",
    good: "That happens. The more points Black holds at home, the longer you wait.",
  },
  make: {
    title: "Make a point",
    text: "Two checkers side by side cannot be hit, and they stand in Black's way. You begin with 3 and 1, the best roll for that: [make](made) your 5 point.",
    good: "That is the play of every strong player. Black's two checkers behind it have a harder way now.",
    bad: "The rules allow that, but it makes no 5 point. Bring one checker there from the 8 point, and one from the 6 point.",
  },
  safe: {
    title: "Leave nothing to hit",
    text: "You rolled 6 and 1. Find the play after which none of your checkers stands alone, and you hold one point more.",
    good: "Nothing to hit, and three points in a row: 6, 7 and 8.",
    bad: "That can be done better. Let both dice end on the same point: then nothing stands alone, and you hold one point more.",
  },
  prime: {
    title: "A wall",
    text: "Six points in a row are a [prime](prime). No die is larger than 6, so nothing gets over it. You lack the 3 point, and you rolled 6 and 5. Close the gap.",
    good: "A full prime, from 3 to 8. Black's two checkers behind it wait until you open it.",
    bad: "There is still a gap in the wall. Bring two checkers to your 3 point: they are 6 and 5 away.",
  },
  anchor: {
    title: "A place of your own over there",
    text: "A point that you hold in Black's home is an [anchor](anchor): you can always come in there, and are never shut out. You rolled 4 and 4, so four fours. Make the 20 point.",
    good: "An anchor. From here you may play more boldly elsewhere.",
    bad: "The rules allow that, but there is no anchor yet. Move both checkers from the 24 point by 4.",
  },
  home: {
    title: "First all come home",
    text: "Checkers may leave the board when all fifteen are home, on points 1 to 6. One is still on the 8 point. Bring it in with one die, and take a checker off with the other.",
    good: "All home, and the first one is off.",
    bad: "All are home now, but none is off. Let one die bring in the last checker, and take one off with the other.",
  },
  off: {
    title: "Bear off",
    text: "Each die takes a checker off the point of its number: that is [bearing off](bearoff). Tap a checker, then the tray, or the tray at once. You rolled 6 and 4. Take two.",
    good: "Two off with one roll. A double would have taken four.",
    bad: "The rules allow that, but here every die can take one off. Moving inside your home costs time.",
  },
  high: {
    title: "A die that is too large",
    text: "You rolled 6 and 5, and your highest checkers are on the 4 point. A larger die takes one from the highest point that you have.",
    good: "So large dice are never lost at the end.",
  },
  win: {
    title: "The last two",
    text: "Two checkers left, and you rolled 6 and 1. Take both off, and the game is yours.",
    good: "Won! And since Black has none off yet, it is a [gammon](gammon): it counts twice.",
    bad: "One is left. Look again: a 1 for the checker on the 1 point, a 6 for the other one.",
  },
  double: {
    title: "The cube",
    text: "The [cube](cube) says what the game counts; at first that is 1. Before you roll, you may [double](double) it. You are ahead in the race, 66 [pips](pip) to Black's 73, and it is your roll. Roll, or double?",
    good: "Right. Black takes: the game counts 2 now, and the cube is Black's. Only Black may turn it next.",
    bad: "You may roll. But you win three games of four from here: this is the moment at which doubling pays.",
  },
  take: {
    title: "Take, or drop?",
    text: "Now Black doubles. If you [take](take), you play on for 2 and own the cube. If you [drop](drop), you lose 1 at once. Take if you would win about one game of four. You have 73 pips to go, Black 66.",
    good: "Right. You win about one game of four from here, and the next to turn the cube is you.",
    bad: "That gives up too much: you still win about one game of four, and then taking loses less than dropping.",
  },
  drop: {
    title: "Some doubles are dropped",
    text: "Black doubles again. One of yours is on the bar, and all six points of Black's home are closed: you wait until Black has nearly finished. Take, or drop?",
    good: "Right. You lose 1 here, before it becomes 2.",
    bad: "From here you win one game of twenty-five, and the others cost 2 each. Dropping costs 1.",
  },
};

const games: Record<string, GameText> = {
  standard: {
    name: "Backgammon",
    about: "The game that the world plays, and what all others are measured by.",
    points: [
      "Two players, fifteen checkers each, two dice. You move from your 24 point to your 1 point, the other player the other way.",
      "Both throw one die: the higher one begins, with both dice. If they are equal, both throw again.",
      "Each die moves one checker. A double is played four times.",
      "A point with two or more of the other's checkers is closed to you.",
      "A single checker, a [blot](blot), is [hit](hit) when one lands on it. It goes to the [bar](bar), and has to [enter](enter) before its owner moves anything else.",
      "Both dice have to be played if it is possible, all four of a double. If only one of either can be played, it is the higher one.",
      "When all fifteen are home you [bear off](bearoff). With a die larger than your highest point you take one from the highest.",
      "Who is off first wins one game; a [gammon](gammon), twice as much, if the other has none off; a [backgammon](backgammon), three times, if one of them is also on the bar or in the winner's home.",
      "Before rolling you may [double](double). The other one [takes](take) and then owns the cube, or [drops](drop).",
      "A match goes to a number of points. When a player is one point from winning, one game is played without the cube: the [Crawford](crawford) game.",
    ],
    how: "Rules: Tournament, or Money game. Start: Backgammon.",
  },
  tavla: {
    name: "Tavla",
    about: "As it is played in Turkey, in every coffee house.",
    points: [
      "To five points, without the cube.",
      "A [mars](gammon) counts 2. Nothing counts 3.",
      "No hit-and-run: a checker that has hit on your own points 1 to 6 stays there for that turn.",
      "The first game starts as in backgammon. After that the winner of a game starts the next one, with both dice.",
      "All else is as in backgammon.",
    ],
    how: "Rules: Tavla, as in Turkey.",
  },
  portes: {
    name: "Portes",
    about: "The first of the three games of Greek tavli.",
    points: [
      "To seven points, without the cube.",
      "A diplo, the [gammon](gammon), counts 2. Nothing counts 3.",
      "Hit-and-run is allowed.",
      "The first game starts as in backgammon. After that the winner of a game starts the next one, with both dice.",
      "All else is as in backgammon.",
    ],
    how: "Rules: Portes, as in Greece.",
  },
  nackgammon: {
    name: "Nackgammon",
    about: "Nack Ballard's game: longer, with more checkers at the back, and openings that nobody knows by heart.",
    points: [
      "It begins with two checkers on 24, two on 23, four on 13, three on 8 and four on 6.",
      "All else is as in backgammon.",
    ],
    how: "Start: Nackgammon.",
  },
  hypergammon: {
    name: "Hypergammon",
    about: "Three checkers each: short and wild.",
    points: [
      "It begins with one checker each on 24, 23 and 22.",
      "All else is as in backgammon, gammons and the cube too.",
    ],
    how: "Start: Hypergammon.",
  },
  longgammon: {
    name: "Long gammon",
    about: "All the way for everyone: a long fight.",
    points: ["It begins with all fifteen checkers on the 24 point.", "All else is as in backgammon."],
    how: "Start: Long gammon.",
  },
};

/** By their keys, which are in addresses: what it is called, and what it is. */
const glossary: Record<string, [string, string]> = {
  anchor: ["Anchor", "A [made point](made) in the other's home. You can always [enter](enter) there."],
  automatic: ["Automatic double", "A tie of the opening roll turns the cube to 2, where the table has agreed on it."],
  backgammon: [
    "Backgammon",
    "A win that counts three times: the loser has borne none off, and still has a checker on the bar or in the winner's home.",
  ],
  bar: ["Bar", "The strip in the middle. Checkers that were [hit](hit) wait there until they [enter](enter)."],
  barpoint: ["Bar point", "Your 7 point, beside the bar."],
  bearoff: ["Bearing off", "Taking checkers off the board, once all of yours are [home](home)."],
  beaver: [
    "Beaver",
    "The answer to a double by a player who believes to be ahead: doubling again at once, and keeping the cube. In [money games](money) alone.",
  ],
  blitz: ["Blitz", "An attack on the blots in your home, to close it before the other has a foothold."],
  blot: ["Blot", "A checker that stands alone on a point, and can be [hit](hit)."],
  board: [
    "Home, outer board",
    "Points 1 to 6 are your [home](home), 7 to 12 your outer board. 13 to 24 are the other's.",
  ],
  checker: ["Checker", "One of the fifteen pieces of a player."],
  clock: [
    "Clock",
    "Some seconds of each turn are free. What a turn takes beyond them comes off a reserve, so many seconds for each point of the match; a money game has as much as three points. Who has used it up loses the match.",
  ],
  closedboard: ["Closed board", "All six points of a home made: whoever is on the bar waits."],
  crawford: [
    "Crawford",
    "When a player comes to within one point of winning the match, the next game is played without the cube. After it the cube is back. It is called after John Crawford, and usual in all matches.",
  ],
  cube: [
    "Doubling cube",
    "It says by how much the game counts: 1, 2, 4, 8 ... In the middle both players may turn it, later only its owner.",
  ],
  dance: ["Dancing", "Being on the bar and unable to [enter](enter): the turn is lost."],
  dicenames: [
    "Names of the dice",
    "In Turkey and around it the dice are called in old Persian: yek 1, dü 2, se 3, cihar 4, penç 5, şeş 6. Some doubles have names of their own: düşeş is 6-6, dubara 2-2, hep yek 1-1.",
  ],
  double: [
    "Double (the cube)",
    "Offering to play on for twice as much. It is done before the roll, by a player who may turn the [cube](cube).",
  ],
  doubles: ["Double (of dice)", "Two equal dice: the number is played four times."],
  drop: ["Drop, pass", "Refusing a double: the game is lost, for what it counted before."],
  enter: [
    "Entering",
    "Coming in from the [bar](bar) to the other's home, to the point that a die names, counted from 24 down.",
  ],
  equity: ["Equity", "What a position is worth on average, in points: +0.5 wins half a point."],
  fullprime: ["Full prime", "A [prime](prime) of six points. Nothing gets over it."],
  gammon: ["Gammon", "A win that counts twice: the loser has borne none off. In Turkish, mars."],
  hit: ["Hitting", "Landing on a [blot](blot). It goes to the bar."],
  hitandrun: [
    "Hit and run",
    "Hitting in your own home and moving on with the same checker in the same turn. In [tavla](rules-tavla) it is not allowed.",
  ],
  home: ["Home", "Your points 1 to 6, where all checkers have to be before you bear off."],
  jacoby: [
    "Jacoby rule",
    "Gammons and backgammons count only if the cube was turned. In [money games](money): it ends dull games sooner.",
  ],
  made: ["Made point", "A point on which a player has two checkers or more. It is closed to the other."],
  market: [
    "Losing one's market",
    "Waiting so long with the double that it is dropped, when it would have been taken before.",
  ],
  match: ["Match", "Games until a player has a number of points, such as 7."],
  midpoint: ["Midpoint", "Your 13 point, where five checkers stand at first."],
  money: [
    "Money game",
    "Games one by one, each for what the cube and the kind of win come to. There is no last score.",
  ],
  opening: ["Opening roll", "Each throws one die. The higher one starts, and plays both dice."],
  pip: ["Pip", "One point of way for one checker. At the start each player has 167 pips to go."],
  point: ["Point", "One of the 24 triangles. Each player counts them from the own home: 1 to 24."],
  pr: ["PR", "How well somebody played: 500 times what an average decision has lost. The less, the better."],
  prime: ["Prime", "Four or more [made points](made) in a row: a wall."],
  raccoon: ["Raccoon", "The answer to a [beaver](beaver): doubling once more."],
  race: ["Race", "No checkers have to pass each other any more: only the [pips](pip) count."],
  rating: [
    "Rating",
    "A number that rises with wins and falls with losses, the more the stronger the other is. It begins at 1500.",
  ],
  redouble: ["Redouble", "A double by the owner of the cube."],
  resign: ["Resigning", "Offering to lose the game as a single one, a gammon or a backgammon. The other may refuse."],
  slot: ["Slot", "Putting a blot where one wants to make a point with the next roll."],
  stack: ["Stack", "Many checkers on one point, more than are of use there."],
  take: [
    "Take",
    "Accepting a double: the game counts twice as much, and the cube is yours. It is right if you win about one game of four.",
  ],
};

export const en = {
  title: "Learn backgammon",
  views: { lesson: "Lesson", rules: "Rules", glossary: "Glossary", options: "Options" },
  view: "Parts of this page",
  chapters: { move: "Move", hit: "Hit", enter: "Enter", points: "Points", off: "Bear off", cube: "Cube" },
  chaptersOf: "Chapters",
  count: (step: number, all: number) => `Step ${step} of ${all}`,
  steps,
  back: "Back",
  next: "Next",
  finish: "Finish",
  showMe: "Show me",
  showPlay: (play: string) => `One way: ${play}.`,
  rolled: (dice: string) => `You rolled ${dice}.`,
  tryAgain: "Try once more.",
  takenBack: "The checkers are back where they stood.",
  doneFirst: "First play all dice that can be played.",
  end: "You know the game",
  endText:
    "Moving, hitting, entering, points, bearing off and the cube: nothing more is in the rules. The rest comes with playing. The computer at its first level makes mistakes, too.",
  again: "From the start",
  toRules: "Read the rules again",
  rulesTitle: "The games here, and their rules",
  startOf: (name: string) => `Opening position of ${name}`,
  howHere: "Here:",
  games,
  glossaryTitle: "Words of the game",
  glossary,
  linkTo: (term: string) => `Link to ${term}`,
  optionsTitle: "What a table can be set to",
  optionsText: "Behind “More options…” on the first page, and at a challenge.",
};
