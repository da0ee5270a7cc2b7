"""Floods: each who makes one meets a limit and a clear answer, and others notice nothing."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.features.chat.chat import LOBBY_CHAT, TALK
from tavla_server.gateway.http import RESERVED_FILES
from tavla_server.limits import DEFAULT_LIMITS

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, Received, refused, unique
from tests.support.servers.processes import NewServer, assert_no_fault, page, script
from tests.support.wire import raw

FLOODERS = 20
FLOODS = 20  # at most, one after the other: some meet their limit before five actions can be answered
CREATIONS = 100  # of each
BATCH = 10  # requests in flight: websockets reads 16 ahead, so a pong never waits behind what is still to be done
ADDRESS = {"X-Forwarded-For": "203.0.113.9"}  # where those come from who are not on this machine


async def unnoticed(url: str, flood: Callable[[str], Awaitable[None]]) -> None:
    """Two play while something goes on: their actions are answered, and they see the same all the time."""
    async with Player(url) as white, Player(url) as black:
        match, acts = await new_match(white, black), 0
        for _ in range(FLOODS):
            flooding = asyncio.ensure_future(flood(url))
            while not flooding.done():
                answer = await white.act(m.Auto, match, what="play", on=acts % 2 == 0)
                assert isinstance(answer, m.Ok), answer
                assert await black.reach(match, answer.seq or 0) == await white.reach(match, answer.seq or 0)
                acts += not flooding.done()
            await flooding
            if acts > 4:
                return
    raise AssertionError(f"{acts} actions were answered during {FLOODS} floods")


async def answer_to(player: Player, id_: int) -> Received:
    """The answer of the server to a request."""
    return await player.find(lambda message: getattr(message, "id", None) == id_)


async def answers_to(
    player: Player, request: type[m.RequestBase], count: int, fields: Callable[[], dict[str, object]]
) -> list[Received]:
    """Ask for something again and again, as fast as the server reads."""
    answers: list[Received] = []
    while len(answers) < count:
        ids = [await player.send(request, **fields()) for _ in range(min(BATCH, count - len(answers)))]
        answers += [await answer_to(player, id_) for id_ in ids]
    return answers


def limited(answers: list[Received], *words: str) -> int:
    """The number of accepted requests. The others are refused as too many, with the name of the limit."""
    errors = [answer for answer in answers if isinstance(answer, m.Error)]
    assert {error.code for error in errors} == {ErrorCode.TOO_MANY}
    assert all(word in error.text for error in errors for word in words)
    return len(answers) - len(errors)


@asynccontextmanager
async def stranger(url: str) -> AsyncIterator[Player]:
    """A connection from somewhere else, before hello."""
    player = Player(url, headers=ADDRESS)
    await player.connect()
    yield player
    await player.close()


async def many_tables(url: str) -> None:
    """Two thousand."""

    async def flood(flooder: Player) -> None:
        async with flooder:
            answers = await answers_to(flooder, m.Create, CREATIONS, lambda: {"name": unique("t")})
            assert limited(answers, "table") == DEFAULT_LIMITS.tables

    await asyncio.gather(*(flood(Player(url)) for _ in range(FLOODERS)))


async def many_names(url: str) -> None:
    """A client takes every good name and wants none of them."""
    answers = []
    for _ in range(DEFAULT_LIMITS.new_guests.times + 20):
        async with stranger(url) as squatter:
            answers.append(await squatter.ask(m.Hello, name=unique("p")))
    assert limited(answers, "wait", "min") == DEFAULT_LIMITS.new_guests.times
    async with Player(url) as guest:
        assert guest.id, "others find a name"


async def many_words(url: str) -> None:
    """A player talks without end, at a match and in the lobby."""
    async with at_match(url) as (loud, _, match), Player(url) as quiet:
        for player in (loud, quiet):
            assert isinstance(await player.ask(m.Subscribe, what="chat"), m.Listing)
        began = time.monotonic()
        said = await answers_to(loud, m.Say, 500, lambda: {"match": match, "to": "players", "text": "buy"})
        chatted = await answers_to(loud, m.Chat, 500, lambda: {"text": "buy"})
        took_s = time.monotonic() - began
        for answers, rate in ((said, TALK), (chatted, LOBBY_CHAT)):
            assert rate.burst <= limited(answers, "talk", "wait") <= rate.burst + rate.per_s * took_s + 1
        assert isinstance(await quiet.ask(m.Chat, text="hello"), m.Ok), "others can be heard"


async def many_passwords(url: str) -> None:
    """A client guesses: one account's password, then others'."""
    async with Player(url) as ada:
        assert isinstance(await ada.ask(m.Register, password="correct horse"), m.Ok)
        names = [ada.name] * (DEFAULT_LIMITS.logins_by_name.times + 5) + [
            unique("p") for _ in range(DEFAULT_LIMITS.logins_by_address.times)
        ]
        codes = []
        for name in names:
            async with stranger(url) as guesser:
                codes.append(refused(await guesser.ask(m.Hello, name=name, password="12345678")))
        tries, others = (
            codes[: DEFAULT_LIMITS.logins_by_name.times + 5],
            codes[DEFAULT_LIMITS.logins_by_name.times + 5 :],
        )
        assert tries == [ErrorCode.WRONG_PASSWORD] * DEFAULT_LIMITS.logins_by_name.times + [ErrorCode.TOO_MANY] * 5
        left = DEFAULT_LIMITS.logins_by_address.times - len(tries) + 5
        assert set(others[: left - 5]) == {ErrorCode.WRONG_PASSWORD}
        assert others[-1] == ErrorCode.TOO_MANY
        async with Player(url, token=ada.token) as again:
            assert again.name == ada.name, "the owner is not kept out"


async def a_revoked_token(url: str) -> None:
    """A client has a token that was good once."""
    async with Player(url) as ada, Player(url, token=ada.token) as thief:
        assert isinstance(await ada.ask(m.Register, password="correct horse"), m.Ok)
        assert isinstance(await ada.ask(m.Logout, everywhere=True), m.Ok)
        assert await thief.next(m.Closing)
    for _ in range(3):  # one connection has 10 s to say a good hello
        async with stranger(url) as thief:
            answers = await answers_to(thief, m.Hello, 50, lambda: {"token": ada.token})
            assert {refused(answer) for answer in answers} == {ErrorCode.BAD_TOKEN}
            assert refused(await thief.ask(m.List)) == ErrorCode.HELLO_FIRST
    async with Player(url, hello={"name": ada.name, "password": "correct horse"}) as again:
        assert again.id == ada.id, "the owner comes in by the password"


async def many_control_frames(url: str) -> None:
    """Foreign clients say nothing, without end, before hello and after it."""
    port, line = int(url.rpartition(":")[2]), raw.frame(raw.PING) * 10_000

    def flood(begin: bytes, who: str | None) -> None:
        client = raw.Raw(port, who)
        client.send(begin)
        while not client.closed:
            client.send(line)
            client.drain()
        client.close()
        assert client.close_code == CloseCode.FLOOD

    pings, pieces = b"", raw.frame(raw.BEGUN) + raw.frame(raw.GOES_ON) * 1000
    for begin in (pings, pieces):
        await asyncio.gather(*(asyncio.to_thread(flood, begin, who) for who in (None, unique("p"))))


@pytest.mark.long
@pytest.mark.parametrize(
    "flood", [many_control_frames, many_tables, many_names, many_words, many_passwords, a_revoked_token]
)
async def test_a_flood_meets_its_limit_and_others_notice_nothing(
    new_server: NewServer, flood: Callable[[str], Awaitable[None]]
) -> None:
    server = new_server("--behind-proxy")
    server.start()
    await unnoticed(server.url, flood)


FILES = 150


@pytest.mark.long
async def test_when_descriptors_run_out_who_plays_is_undisturbed_and_who_comes_is_told(
    new_server: NewServer,
) -> None:
    shell = f'ulimit -n {FILES} && exec {" ".join(script("tavla-server"))} "$@"'
    server = new_server(command=["bash", "-c", shell, "tavla-server"])
    server.start()
    async with at_match(server.url) as (white, black, match):
        held, refusals, cut = [], 0, 0
        for number in range(4 * FILES):
            other = socket.create_connection(("127.0.0.1", server.port), PATIENCE_S)
            other.setblocking(False)
            held.append(other)
            if number % 2:
                other.send(raw.handshake())
            if number % 20 == 0:
                answer = await white.act(m.Auto, match, what="play", on=number % 40 == 0)
                assert isinstance(answer, m.Ok)
                await black.reach(match, answer.seq or 0)
        for other in held:
            other.settimeout(PATIENCE_S)
            try:
                answered = await asyncio.to_thread(other.recv, 1000)
            except ConnectionError:
                answered = b""
            refusals += answered.startswith(b"HTTP/1.1 503 ") and b"Retry-After: " in answered
            cut += not answered
            other.close()
        assert refusals > 0
        assert cut > FILES
        assert server.wait_for_event("no_more_connections")["room"] == FILES - RESERVED_FILES
        await ask_until(lambda: asyncio.to_thread(page, server.url, "/readyz"), lambda found: found != (503, "full\n"))
        async with Player(server.url) as late:
            assert late.id, "there is room again"
        assert isinstance(await white.act(m.Auto, match, what="roll", on=True), m.Ok)
    assert_no_fault(server)
