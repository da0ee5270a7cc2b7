"""Two players who know of each other, and challenges between them."""

from functools import partial

from tavla_protocol import messages as m

from tests.support.patience import ask_until
from tests.support.players.plain import Player

Two = tuple[Player, Player]
RULES: dict[str, bool | int | str] = {"length": 1}


async def verdict(player: Player) -> str:
    """The reason why a challenge is gone."""
    return (await player.next(m.Unchallenged)).why


async def know_each_other(*players: Player) -> None:
    """Each one's node knows that all of them are here."""
    names = {player.name for player in players}
    for player in players:
        await ask_until(partial(player.get, m.Listing, m.List, what="people"), lambda found: names <= found.rows.keys())


async def challenged(by: Player, to: Player, **fields: object) -> m.Challenged:
    """A challenge that has arrived."""
    answer = await by.get(m.Challenged, m.Challenge, player=to.name, **{"rules": RULES, **fields})
    heard = await to.next(m.Challenged)
    assert (heard.challenge, heard.by, heard.to, heard.id) == (answer.challenge, by.name, to.name, None)
    return heard


async def accepted(by: Player, to: Player, challenge: str) -> str:
    """Both are at the match of a challenge."""
    snapshot = await to.get(m.Snapshot, m.Answer, challenge=challenge, accept=True)
    assert (await by.next(m.Matched)).match == snapshot.match == challenge
    while challenge not in by.matches:
        await by.receive()
    return challenge
