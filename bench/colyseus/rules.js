// Money backgammon without a cube on one flat array, checked as `bench/fast.py` checks it.
//
// A board has two rows of 26 counts, white's first, each in its owner's own numbering: 0 off, 1-24 points, 25 bar.
// `me` and `op` are where a seat's row and its opponent's begin.

const ROW = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0];
export const START = [...ROW, ...ROW];

/** Whether any checker stands on the board's places from `first` to `last`. */
function any(board, first, last) {
  for (let place = first; place <= last; place++) if (board[place]) return true;
  return false;
}

/** Whether any checker of the seat whose row begins at `me` can move by one die. */
export function movable(board, me, op, die) {
  if (board[me + 25]) return board[op + die] < 2;
  for (let source = die + 1; source < 25; source++) {
    if (board[me + source] && board[op + 25 - source + die] < 2) return true;
  }
  if (any(board, me + 7, me + 25)) return false;
  return board[me + die] > 0 || (!any(board, me + die + 1, me + 6) && any(board, me + 1, me + die - 1));
}

/** Which die takes a checker off from `source`: its own, or the highest left if nobody stands behind; 0 if none does. */
function dieOff(board, me, source, left) {
  if (any(board, me + 7, me + 25)) return 0;
  if (left.includes(source)) return source;
  const die = Math.max(0, ...left);
  return die < source || any(board, me + source + 1, me + 6) ? 0 : die;
}

/** The board after a turn; null if a move is illegal or a die is left that could be played. */
export function played(before, seat, dice, moves) {
  const board = before.slice();
  const me = 26 * seat;
  const op = 26 - me;
  const left = dice[0] === dice[1] ? [...dice, ...dice] : [...dice];
  for (const [source, target] of moves) {
    if (!board[me + source] || (board[me + 25] && source !== 25)) return null;
    let die = source - target;
    if (target) {
      if (board[op + 25 - target] > 1) return null;
      if (board[op + 25 - target]) {
        board[op + 25 - target] = 0;
        board[op + 25]++;
      }
    } else {
      die = dieOff(board, me, source, left);
    }
    const at = left.indexOf(die);
    if (at < 0) return null;
    left.splice(at, 1);
    board[me + source]--;
    board[me + target]++;
  }
  return left.some((die) => movable(board, me, op, die)) ? null : board;
}
