"""Players with accounts, and what the server says of their results."""

import threading
from typing import Any, Literal

from argon2 import PasswordHasher
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.plain import Player

SECRET = "correct horse"


async def registered(*players: Player, password: str = SECRET) -> Player:
    """The first of these players, who all have accounts now."""
    for player in players:
        assert isinstance(await player.ask(m.Register, password=password), m.Ok)
    return players[0]


async def said_hello(url: str, headers: dict[str, str] | None = None, **hello: Any) -> m.Welcome | m.Error:
    """The answer of the server to a hello."""
    stranger = Player(url, headers=headers)
    await stranger.connect()
    answer = await stranger.ask(m.Hello, **hello)
    await stranger.close()
    assert isinstance(answer, m.Welcome | m.Error)
    return answer


async def career(asker: Player, player: Player) -> m.Career:
    """The career of a player, from the server."""
    return await asker.get(m.Career, m.Profile, name=player.name)


async def until_played(asker: Player, player: Player, experience: int) -> m.Career:
    """A player's career, when it has come so far."""
    return await ask_until(lambda: career(asker, player), lambda found: found.experience >= experience)


async def until_led_by(asker: Player, *players: Player) -> list[m.Leader]:
    """The leaderboard, when it has just these. It is written after the players' own ratings."""
    names = {player.name for player in players}
    board = await ask_until(
        lambda: asker.get(m.Leaders, m.Top), lambda found: {leader.name for leader in found.leaders} == names
    )
    return board.leaders


class Held(PasswordHasher):
    """Takes until the gate is open."""

    def __init__(self, gate: threading.Event) -> None:
        super().__init__(time_cost=1, memory_cost=1024, parallelism=1)
        self._gate = gate

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - its parent's word
        """Wait, and compare."""
        assert self._gate.wait(PATIENCE_S)
        return super().verify(hash, password)
