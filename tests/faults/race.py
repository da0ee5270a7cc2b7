"""Two players, each with a connection to each of two nodes, who do everything twice at the same instant.

Of the two connections of a player, the first one holds the seat.
"""

import asyncio
import contextlib
import random
import time
from collections import Counter
from typing import Any, NamedTuple

from tavla_protocol import messages as m

from tests.faults.checker import check
from tests.faults.club import stored
from tests.faults.history import Answered, History, Saw, Sent
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.players.turns import choose, waits_for

APART_S = 0.003  # at most, between the two; a round trip to the store takes a third of it
LOSES = ("stale", "not_seated", "wrong_phase", "not_your_turn")
RULES: dict[str, bool | int | str] = {"preset": "money"}


class Raced(NamedTuple):
    """Result of a race. rounds: by how many of the two actions were accepted. codes: of those that were refused."""

    faults: list[str]
    rounds: Counter[int]
    codes: Counter[str]


async def race(urls: list[str], store_url: str, rounds: int, rng: random.Random) -> Raced:
    """So many rounds of money play: in each, one player acts on both nodes, and both players change a setting."""
    async with contextlib.AsyncExitStack() as stack:
        white, black = [await stack.enter_async_context(Player(url)) for url in urls]
        match = await new_match(white, black, RULES)
        history, raced = History(match), Raced([], Counter(), Counter())
        seats = [[Player(urls[1], token=white.token), white], [Player(urls[0], token=black.token), black]]
        for newest, _ in seats:
            await stack.enter_async_context(newest)
            await newest.ask(m.Attach, table=match)
        while sum(raced.rounds.values()) < rounds and white.matches[match].view.phase != "over":
            await _round(history, raced, seats, rng)
        for player in (*seats[0], *seats[1]):
            seen = player.matches[match]
            name = f"{player.name} at {player.url}"
            history.saw += [Saw(0.0, name, seen.epoch, seq, view) for seq, view in seen.views.items()]
    strange = [f"refused with {code}" for code in raced.codes if code not in LOSES]
    return raced._replace(faults=raced.faults + strange + check(history, stored(store_url, match)).faults)


async def _round(history: History, raced: Raced, seats: list[list[Player]], rng: random.Random) -> None:
    seen = seats[0][0].matches[history.match]
    phase = seen.view.phase
    pair = seats[next(seat for seat in (0, 1) if waits_for(seen.view, seat))]
    pair.reverse()  # the one that had the seat is the second now: it acts while the first one takes the seat and acts
    answers = await asyncio.gather(
        _act(history, pair[0], seen.seq, rng, take=True),
        _act(history, pair[1], seen.seq, rng, apart_s=rng.uniform(0, APART_S)),
    )
    won = [answer for answer in answers if isinstance(answer, m.Ok)]
    raced.rounds[len(won)] += 1
    raced.codes.update(answer.code for answer in answers if isinstance(answer, m.Error))
    if len(won) != 1 and phase != "ready":  # to be ready twice changes nothing, and is no error
        raced.faults.append(f"{len(won)} of two actions at one version were accepted: {answers}")
    settings = await asyncio.gather(*(_set(history, both[0], rng) for both in seats))
    # Which connection is the newest, two nodes know to within some milliseconds: the seat may go back to the other one.
    raced.codes.update(answer.code for answer in settings if isinstance(answer, m.Error))
    last = max(answer.seq or 0 for answer in (*won, *settings) if isinstance(answer, m.Ok))
    for player in (*seats[0], *seats[1]):
        await player.reach(history.match, last)
        player.inbox.clear()


async def _act(
    history: History, player: Player, seq: int, rng: random.Random, take: bool = False, apart_s: float = 0.0
) -> m.Ok | m.Error:
    """Act at a version. take: take the seat first. apart_s: wait so long before."""
    seen = player.matches[history.match]
    seat = next(seat for seat in (0, 1) if waits_for(seen.view, seat))
    request, fields = choose(seen.view, seat, rng)
    if take:
        await player.ask(m.Attach, table=history.match)
    await asyncio.sleep(apart_s)
    return await _ask(history, player, request, seq=seq, **fields)


async def _set(history: History, player: Player, rng: random.Random) -> m.Ok | m.Error:
    what, on = rng.choice(("play", "roll")), rng.random() < 0.5
    return await _ask(history, player, m.Auto, seq=player.matches[history.match].seq, what=what, on=on)


async def _ask(history: History, player: Player, request: type[m.MatchAction], **fields: Any) -> m.Ok | m.Error:
    asked = {"id": player.new_id(), "match": history.match, **fields}
    history.sent.append(Sent(player.id, request(**asked)))
    answer = await player.ask(request, **asked)
    assert isinstance(answer, m.Ok | m.Error), answer
    seq, code = (answer.seq, "") if isinstance(answer, m.Ok) else (None, answer.code)
    history.answered.append(Answered(time.monotonic(), player.id, asked["id"], seq, code))
    return answer
