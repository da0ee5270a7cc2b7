"""Players in shared reviews."""

from collections.abc import Callable

from tavla_protocol import messages as m
from tavla_protocol.messages import Review

from tests.support.players.plain import Player

SCENE = m.ReviewScene(match="k3v7q2xa", decision=3)


async def start(player: Player, scene: m.ReviewScene = SCENE) -> Review:
    """A new shared review."""
    return await player.get(Review, m.StartReview, scene=scene)


async def join(player: Player, review: Review) -> Review:
    """The review as one who joins is told of it."""
    return await player.get(Review, m.JoinReview, review=review.review)


async def until(player: Player, wanted: Callable[[Review], bool]) -> Review:
    """The first news of a review, from now on, that is wanted."""
    found = await player.find(lambda message: isinstance(message, Review) and message.id is None and wanted(message))
    assert isinstance(found, Review)
    return found


def here(*players: Player) -> Callable[[Review], bool]:
    """True of a review in which these are, in this order."""
    names = [player.name for player in players]
    return lambda review: review.people == names
