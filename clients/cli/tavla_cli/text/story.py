"""Story of a match between two views, in sentences. Pure; `you` is the reader's seat, None for a watcher."""

from collections.abc import Iterator

from tavla_engine.notation import format_play
from tavla_engine.position import Position, rows_after
from tavla_protocol.view import View

from tavla_cli.text import phrases
from tavla_cli.text.cleaning import clean


def story(before: View, after: View, you: int | None) -> Iterator[str]:
    """Events between a view and the next one, one sentence each, in order."""
    if before.phase == "open" and None in before.players and None not in after.players:
        yield f"{phrases.says(after, before.players.index(None), you, 'sit')} down"
    if before.offer is not None and after.offer is None and after.cube > before.cube:
        yield f"{phrases.says(after, 1 - before.offer, you, 'take')} the cube at {after.cube}"
    if before.resignation and not after.resignation and after.outcome is None:
        yield f"{phrases.says(after, 1 - before.resignation[0], you, 'refuse')} the resignation"
    if after.game == before.game:
        yield from _turns(before, after, you)
    else:
        yield start_text(after, you)
    if after.offer is not None and after.offer != before.offer:
        verb = "double" if before.offer is None else "beaver"
        yield f"{phrases.says(after, after.offer, you, verb)} to {2 * after.cube}"
    for seat in (0, 1):
        if after.aborts[seat] != before.aborts[seat] and after.game == before.game and after.phase != "over":
            yield _abort_asked(after, seat, you)
    if after.resignation is not None and after.resignation != before.resignation:
        seat, value = after.resignation
        yield f"{phrases.says(after, seat, you, 'offer')} to resign {phrases.KINDS[value]}"
    if after.outcome is not None and after.outcome != before.outcome and after.outcome[1]:
        yield _game_ended(after, you)
    if None not in before.players and after.ratings != before.ratings:
        yield f"ratings: {_moved(before, after, 0)}, {_moved(before, after, 1)}"


def _abort_asked(view: View, seat: int, you: int | None) -> str:
    """A player would end the match without a winner, or would no longer."""
    if not view.asks_abort(seat):
        return f"{phrases.says(view, seat, you, 'play')} on: nobody is asked to abort the match any more"
    answer = "; abort agrees, to play on declines" if you == 1 - seat else ""
    return f"{phrases.says(view, seat, you, 'ask')} to abort the match, so that nobody wins it{answer}"


def last_turns(view: View, you: int | None) -> Iterator[str]:
    """The last turns of a view that came without the one before it; hits are not marked."""
    for turn in view.last:
        yield _turn(view, turn, Position(bytes(26), bytes(26)), you)


def start_text(view: View, you: int | None) -> str:
    """Beginning of a game."""
    text = f"game {view.game} begins"
    if view.crawford:
        text += " (the Crawford game: nobody may double)"
    if view.dice:
        text += f": {phrases.says(view, view.turn, you, 'start')} with {phrases.dice_text(view.dice)}"
    if view.cube > 1:
        text += f", the cube is at {view.cube} after ties in the opening roll"
    return text


def rolled_for_first(view: View, you: int) -> str:
    """The opening roll, a die each; the dice of a view are those of the player who starts."""
    own, other = view.dice if view.turn == you else view.dice[::-1]
    return f"{phrases.says(view, you, you, 'roll')} {own}, {phrases.says(view, 1 - you, you, 'roll')} {other}"


def result(view: View, you: int | None) -> str:
    """Result of a match, in one sentence."""
    if view.outcome is None and view.unrevealed:
        return f"the match is void, and nobody loses anything: {_late(view, you)}"
    if view.outcome is None:
        return "the table was closed before a match began"
    winner, points, _, ending = view.outcome
    points_of = view.score if ending == "left" else phrases.told_score(view.score, view.rules)
    high, low = max(points_of), min(points_of)
    if ending == "left":
        verdict = "level" if winner is None else f"{phrases.says(view, winner, you, 'lead')}"
        return f"the session is over, {verdict} at {high} to {low}"
    if ending == "aborted":
        return f"both wanted to abort the match, at {phrases.score(view)}: nobody wins it"
    if ending in _NO_RESULT:
        return _NO_RESULT[ending]
    if view.used is not None and winner is not None:
        return f"the time of the round is over, at {phrases.score(view)}: {_in_time(view, winner, you)}"
    if ending == "adjudicated" and winner is not None:
        return f"decided by a ruling, at {phrases.score(view)}: {phrases.says(view, winner, you, 'win')}"
    if winner is None:  # an ending of a later version; or a file written by hand
        return f"the match is over, at {phrases.score(view)}: nobody wins it"
    if not points:
        verb, _, rest = _GIVEN_UP.get(ending, "lose").partition(" ")
        how = f"{phrases.says(view, 1 - winner, you, verb)} {rest}".strip()
        return f"{how} at {phrases.score(view)}: {phrases.says(view, winner, you, 'win')}"
    return f"{phrases.says(view, winner, you, 'win')} the match {high} to {low}"


def _in_time(view: View, winner: int, you: int | None) -> str:
    """`you win, with 3:20 used against 4:01`; in tenths of seconds, if the times would look alike."""
    used = view.used or (0, 0)
    shown = [f"{ms // 60_000}:{ms // 1000 % 60:02}" for ms in used]
    if shown[0] == shown[1]:
        shown = [f"{ms / 1000:.1f} s" for ms in used]
    return f"{phrases.says(view, winner, you, 'win')}, with {shown[winner]} used against {shown[1 - winner]}"


_NO_RESULT = {
    "voided": "by a ruling this match does not count",
    "put_back": "the server was brought back from a backup older than the first roll: this match does not count",
}
_GIVEN_UP = {"forfeit": "forfeit the match", "time": "run out of time", "abandoned": "stay away"}  # by ending


def void_while_seeking(view: View, you: int | None, doubt: str) -> str:
    """Why a match that was found came to nothing; and that one waits on. doubt: what that may mean."""
    text = f"an opponent was found, but the match is void: {_late(view, you)}"
    if you in view.unrevealed:
        return text
    return f"{text}; nobody loses anything, and you wait on in your place{f'. {clean(doubt)}' if doubt else ''}"


def _late(view: View, you: int | None) -> str:
    """The player whose seed did not come. The program says of its own one whether it was sent."""
    late = " and ".join("you" if seat == you else phrases.name(view, seat) for seat in view.unrevealed)
    said = "the server says that " if you in view.unrevealed else ""
    return f"{said}no seed for the dice came from {late}"


def _turns(before: View, after: View, you: int | None) -> Iterator[str]:
    """The turns that were played since, on a board that goes along with them: only so are hits known."""
    count = _played(after) - _played(before)
    if count <= 0 or (after.outcome and after.outcome[3] != "borne_off"):
        return  # the dice of a game that was given up were not played
    rows = before.row(0), before.row(1)
    for turn in after.last[-count:]:
        board = Position(rows[turn[0]], rows[1 - turn[0]])
        yield _turn(after, turn, board, you)
        try:
            mine, theirs = rows_after(board, _pairs(turn[3:]))
        except ValueError:  # no checker is there: a file, or a server, that shows what cannot be
            return
        rows = (mine, theirs) if turn[0] == 0 else (theirs, mine)


def _turn(view: View, turn: tuple[int, ...], board: Position, you: int | None) -> str:
    seat, dice, points = turn[0], phrases.dice_text(turn[1:3]), turn[3:]
    if points:
        return f"{phrases.says(view, seat, you, 'play')} {dice}: {format_play(board, _pairs(points))}"
    return f"{phrases.says(view, seat, you, 'roll')} {dice} and cannot move"


def _moved(before: View, after: View, seat: int) -> str:
    rating = after.ratings[seat] or 0
    return f"{phrases.name(after, seat)} {rating} ({rating - (before.ratings[seat] or 0):+})"


def _played(view: View) -> int:
    """Number of finished rolls: all that were drawn but the one to be played."""
    return view.rolls - bool(view.dice)


def _pairs(points: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(points[::2], points[1::2], strict=True))


def _game_ended(view: View, you: int | None) -> str:
    """Result of a game: its winner, and the price."""
    assert view.outcome is not None, "asked only of a game that has ended"
    winner, points, kind, ending = view.outcome
    assert winner is not None, "a game always has a winner"
    wins = phrases.says(view, winner, you, "win")
    match ending:
        case "borne_off":
            return f"{wins} {phrases.KINDS.get(kind, 'the game')}: {phrases.plural(points, 'point')}"
        case "drop":
            how = f"{phrases.says(view, 1 - winner, you, 'drop')} the cube"
        case "resignation":
            how = f"{phrases.says(view, 1 - winner, you, 'resign')} {phrases.KINDS.get(kind, 'the game')}"
        case _:
            how = f"{phrases.says(view, 1 - winner, you, 'forfeit')} the game"
    return f"{how}: {wins} {phrases.plural(points, 'point')}"
