"""A match in the middle of a game, from what a position ID (GNU Backgammon's, eXtreme Gammon's) says of it.

What the ID does not say is as in the presets `tournament` and `money`.
"""

from msgspec.structs import replace

from tavla_engine.actions import Seat
from tavla_engine.dice import Dice
from tavla_engine.match import Cube, Match, Offer, Phase, new_match
from tavla_engine.position import Position
from tavla_engine.rules import Rules, Variant, preset


def game_in_progress(
    rules: Rules, position: Position, turn: Seat, score: tuple[int, int], cube: Cube, crawford: bool, dice: Dice | None
) -> Match:
    """A match in the middle of a game: without dice in phase ROLL, with dice in phase MOVE."""
    near = rules.crawford and max(score) == rules.length - 1
    return replace(
        new_match(rules),
        phase=Phase.MOVE if dice else Phase.ROLL,
        score=score,
        game=1,
        crawford=crawford,
        crawford_done=crawford or near,  # the first game at this score would be the Crawford game
        board=(position.mine, position.theirs) if turn == 0 else (position.theirs, position.mine),
        turn=turn,
        dice=dice and (max(dice), min(dice)),
        cube=cube._replace(turned=cube.owner is not None),
    )


def with_offer(match: Match, beavers: int) -> Match:
    """The same match after a double of the player on roll. beavers: how many immediate redoubles followed it."""
    seat = match.turn if beavers % 2 == 0 else 1 - match.turn
    rules = match.rules._replace(beavers=max(beavers, match.rules.beavers))
    return replace(match, rules=rules, phase=Phase.CUBE, offer=Offer(seat, 1 - match.turn, beavers))


def rules_of(length: int, jacoby: bool, variant: Variant) -> Rules:
    """The preset `tournament` or `money`, with what a Match ID says."""
    if length:
        return preset("tournament", {"length": length, "variant": variant})
    return preset("money", {"jacoby": jacoby, "variant": variant})
