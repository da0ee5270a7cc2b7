"""The view of a match that is at hand as the engine has it, as in a replay; a server makes its own, of more."""

from itertools import chain

from tavla_engine.match import Match

from tavla_protocol.view import View


def view_of(match: Match) -> View:
    """A view as far as the engine knows the match, without the rules in the words of the wire."""
    offer, resignation, outcome = match.offer, match.resignation, match.outcome
    return View(
        phase=match.phase.value,
        turn=match.turn,
        dice=match.dice or (),
        points=match.board[0] + match.board[1],
        last=tuple([(turn.seat, *turn.dice, *chain.from_iterable(turn.moves)) for turn in match.last]),
        rolls=match.rolls,
        cube=match.cube.value,
        owner=match.cube.owner,
        offer=offer and offer.seat,
        resignation=resignation and resignation[:2],
        score=match.score,
        game=match.game,
        crawford=match.crawford,
        ready=match.ready,
        auto_roll=match.auto_roll,
        auto_play=match.auto_play,
        outcome=outcome and (*outcome[:3], outcome.ending.value),
    )
