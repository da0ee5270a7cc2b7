/** Why a play is not allowed, in English. */

export const en = {
  cannotRead: "That is no play. Write it as 13/8 or bar/22, several with a space between them.",
  why: {
    bar: "You have a checker on the bar. It has to come in before any other may move.",
    theirs: "Those are your opponent's checkers.",
    empty: "No checker of yours is there. Choose one first, then where it goes.",
    back: "Checkers never go back: yours always move to lower numbers.",
    higher: "A die that is too large takes off a checker of your highest point, and you have higher ones.",
    home: "A checker may leave the board when all of yours are home, on points 1 to 6.",
    stay: "A checker that has hit on your points 1 to 6 stays there for this turn: this game has no hit-and-run.",
    larger: "Only one of the dice can be played, and then it has to be the larger one.",
    both: "Then the other die could not be played. As many dice as possible have to be.",
    done: "All dice are played. Press Done, or Undo to try another way.",
  },
  whyClosed: (point: number) => `The ${point} point is closed: your opponent has two checkers or more there.`,
  whyStuck: (point: number) => `From the ${point} point every die leads to a closed point.`,
  whyWay: (point: number) => `On the way to the ${point} point there are only closed points to step on.`,
  whyFar: (steps: number, dice: string) => `That is ${steps} away, and your dice have ${dice}.`,
  whyOff: (dice: string) => `No die is right for that: yours have ${dice}.`,
};
