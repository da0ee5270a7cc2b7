"""Chat at a match: its senders, its hearers, and the watchers."""

from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.chat.chat import TALK
from tavla_server.gateway.text_filter import clean, clean_title
from tavla_server.limits import Limits
from tavla_server.match import talk
from tavla_server.match.spectators import NAMES_SHOWN
from tavla_server.timings import Timings
from tavla_server.token_bucket import Rate

from tests.support.patience import NEVER_AGAIN
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, Received, refused
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey

TEXTS = [  # what is sent, what is shown, why this row is here
    ("Grüß dich, 你好 🎲", "Grüß dich, 你好 🎲", "what people write"),
    ("  two \t words \r\n", "two words", "white space"),
    ("one\u2028two\u2029three\x85four", "one two three four", "other ends of lines"),
    ("a\x00b\x07c\x08d\x7fe", "abcde", "C0"),
    ("a\x84b\x8dc", "abc", "C1"),
    ("\x1b[31mred\x1b[0m", "red", "colours"),
    ("\x9b2Jgone", "gone", "8-bit CSI"),
    ("a\x1b[?1049hb\x1b[10;20Hc", "abc", "another screen, the cursor"),
    ("\x1b]0;title\x07text", "text", "a window's title"),
    ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link", "a link"),
    ("\x9d52;c;cm0gLXJm\x9ctext", "text", "the clipboard, 8 bit"),
    ("\x1bPq#0\x1b\\text", "text", "a picture"),
    ("a\x1b(0b\x1bMc\x1bcd", "abcd", "character sets, scrolling, reset"),
    ("text\x1b]0;for ever", "text", "a string without an end"),
    ("text\x1b", "text", "a lone ESC"),
    ("\x1b\x1b[[31mred", "31mred", "one in another leaves no third"),
    ("user\u202egnp.exe", "usergnp.exe", "bidi override"),
    ("a\u2066b\u2069c\u200ed", "abcd", "bidi isolates and marks"),
    ("a\u200bb\u200cc\u200dd\ufeffe\u2060f\u00adg", "abcdefg", "zero width"),
    ("\u2800\u3164\ufe0f\u034f", "", "what looks like nothing"),
    ("\ue000\U000f0000\ud800", "", "private, and half a character"),
    (" \x1b[0m\u200b ", "", "nothing but that"),
]


@pytest.mark.parametrize(("sent", "shown", "why"), TEXTS, ids=[why for _, _, why in TEXTS])
def test_only_what_can_be_shown_is_left(sent: str, shown: str, why: str) -> None:
    assert clean(sent) == shown


TITLES = [  # a name as it came, as it is shown
    ("  Winter \u202eCup ", "Winter Cup"),
    ("Y\u0131lbas\u0327\u0131", "Yılbaşı"),
    ("e\u0301" * 40, "é" * 40),
    ("x" + 20 * "\u0336" + "y", "x\u0336\u0336y"),
    ("\u0301x", "x"),
]


@pytest.mark.parametrize(("sent", "shown"), TITLES)
def test_a_title_is_composed_and_reaches_into_no_other_line(sent: str, shown: str) -> None:
    assert clean_title(sent) == shown


@given(st.text(st.characters() | st.sampled_from("\x1b\x9b\x9d[]()\\;m \u202e\u200b")))
def test_any_text_becomes_one_line_that_can_be_printed(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.isprintable()
    assert cleaned == cleaned.strip() == clean(cleaned)


async def say(player: Player, match: str, to: str, text: str = "", **fields: object) -> Received:
    """Say something; the answer."""
    return await player.ask(m.Say, match=match, to=to, text=text, **fields)


async def heard(*players: Player) -> list[list[str]]:
    """Chat that each player has heard and not been asked about yet."""
    return [[message.text for message in await player.sync() if isinstance(message, m.Said)] for player in players]


async def test_players_are_heard_by_all_and_watchers_by_who_wants_to(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match), Player(server.url) as watcher:
        await watcher.ask(m.Attach, table=match)
        await black.ask(m.Attach, table=match, hush=True)
        assert isinstance(await say(white, match, "players", " \x1b[1mgood  luck"), m.Ok)
        said = m.Said(match=match, name=white.name or "", seat=0, to="players", text="good luck")
        for player in (white, black, watcher):
            assert await player.next(m.Said) == said
        await say(watcher, match, "watchers", "he should have run")
        assert await heard(white, black, watcher) == [["he should have run"], [], ["he should have run"]]
        await black.ask(m.Attach, table=match)
        await say(watcher, match, "watchers", "or stayed")
        assert await heard(white, black) == [["or stayed"], ["or stayed"]]


async def test_a_crowd_hears_a_line_in_slices(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "SLICE", 1)
    async with at_match(node) as (white, black, match), Player(node) as watcher:
        await watcher.ask(m.Attach, table=match)
        for text in ("good luck", "and fun"):
            await say(white, match, "players", text)
            assert {(await player.next(m.Said)).text for player in (white, black, watcher)} == {text}


async def test_a_phrase_has_a_name_and_a_sentence(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        await say(white, match, "players", "and not this", phrase="gg")
        said = await black.next(m.Said)
        assert (said.phrase, said.text) == ("gg", "Good game!")


async def test_what_cannot_be_said_is_refused_and_nobody_hears_it(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match), Player(server.url) as watcher:
        assert refused(await say(watcher, match, "watchers", "hello")) == ErrorCode.NOT_ATTACHED
        await watcher.ask(m.Attach, table=match)
        assert refused(await say(watcher, match, "players", "play 8/5")) == ErrorCode.NOT_SEATED
        assert refused(await say(white, match, "players", "\x1b[2J\u200b")) == ErrorCode.NOTHING_SAID
        assert refused(await say(white, match, "players")) == ErrorCode.NOTHING_SAID
        assert await heard(white, black, watcher) == [[], [], []]


async def test_one_can_talk_when_the_match_is_over(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        await black.act(m.Forfeit, match)
        assert isinstance(await say(white, match, "players", phrase="gg"), m.Ok)
        assert (await black.next(m.Said)).text == "Good game!"
        async with Player(server.url, token=black.token) as again:
            await again.ask(m.Attach, table=match)
            assert isinstance(await say(again, match, "players", "another one?"), m.Ok), "also who comes back"
            assert (await white.find(lambda message: isinstance(message, m.Said) and message.seat == 1)) is not None


async def test_a_flood_is_stopped_and_says_for_how_long(valkey: Valkey) -> None:
    limits = Limits(rates={"say": Rate(NEVER_AGAIN, TALK.burst)})
    async with inside(valkey.url, limits=limits) as node, at_match(node) as (white, black, match):
        answers = [await say(white, match, "players", str(number)) for number in range(40)]
        errors = [answer for answer in answers if isinstance(answer, m.Error)]
        assert len(errors) == 40 - TALK.burst
        assert {error.code for error in errors} == {ErrorCode.TOO_MANY}
        assert all("wait" in error.text and error.text.endswith(" s") for error in errors)
        assert len((await heard(black))[0]) == 40 - len(errors)
        assert isinstance(await say(black, match, "players", "quiet!"), m.Ok), "the other one may talk"


async def test_who_is_ignored_is_not_heard_on_any_connection(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        async with Player(server.url, token=black.token) as again:
            await black.ask(m.Ignore, player=white.name)
            await again.ask(m.Attach, table=match)
            assert isinstance(await say(white, match, "players", "fool"), m.Ok), "and does not learn of it"
            assert await heard(white, black, again) == [["fool"], [], []]
        async with Player(server.url, token=black.token) as later:
            await later.ask(m.Attach, table=match)
            await say(white, match, "players", "fool again")
            assert await heard(later) == [[]]
            await later.ask(m.Ignore, player=white.name, on=False)
            await say(white, match, "players", "sorry")
            assert await heard(later) == [["sorry"]]


@pytest.mark.parametrize("timings", [Timings(spectators_s=0.01)], ids=["impatient"])
async def test_those_who_follow_see_who_watches(node: str) -> None:
    async with at_match(node) as (white, black, match), Player(node, "eve") as eve:
        await eve.ask(m.Attach, table=match)
        async with Player(node, token=eve.token) as again:
            await again.ask(m.Attach, table=match)
            for player in (white, black, eve, again):
                assert await player.next(m.Watchers) == m.Watchers(match=match, names=["eve"], count=1)
            async with Player(node, token=black.token) as back:
                await back.ask(m.Attach, table=match)
                assert await back.next(m.Watchers) == m.Watchers(match=match, names=["eve"], count=1)
        await eve.ask(m.Attach, table=match, sits=False)  # as a lobby that shows it in passing
        await white.find(lambda message: message == m.Watchers(match=match, count=0))
        await eve.ask(m.Attach, table=match)
        await white.find(lambda message: message == m.Watchers(match=match, names=["eve"], count=1))
        await eve.ask(m.Detach, match=match)
        await white.find(lambda message: message == m.Watchers(match=match, count=0))


@pytest.mark.parametrize("timings", [Timings(spectators_s=0.01)], ids=["impatient"])
async def test_many_watchers_are_a_number_beside_some_names(node: str) -> None:
    async with at_match(node) as (white, black, match):
        watchers = [Player(node) for _ in range(NAMES_SHOWN + 2)]
        for watcher in watchers:
            await watcher.open()
            await watcher.ask(m.Attach, table=match)
        shown = await white.find(lambda message: isinstance(message, m.Watchers) and message.count == len(watchers))
        assert isinstance(shown, m.Watchers)
        assert shown.names == sorted((watcher.name or "" for watcher in watchers), key=str.lower)[:NAMES_SHOWN]
        for watcher in watchers:
            await watcher.sync()  # who does not read does not see the connection close either
            await watcher.close()
        await black.find(lambda message: isinstance(message, m.Watchers) and message.count == 0)


async def test_all_who_watch_a_match_share_an_allowance_and_its_players_do_not(valkey: Valkey) -> None:
    limits = Limits(rates={"watchers_say": Rate(NEVER_AGAIN, 2.0)})
    async with inside(valkey.url, limits=limits) as url, AsyncExitStack() as stack:
        white, black, *watchers = [await stack.enter_async_context(Player(url)) for _ in range(5)]
        match, other = await new_match(white, black), await new_match(black, white)
        for watcher in watchers:
            for watched in (match, other):
                assert isinstance(await watcher.ask(m.Attach, table=watched), m.Snapshot)
        said = [await watcher.ask(m.Say, match=match, to="watchers", text="hi") for watcher in watchers]
        assert [isinstance(answer, m.Ok) for answer in said] == [True, True, False]
        assert refused(said[-1]) == ErrorCode.TOO_MANY
        assert isinstance(await watchers[-1].ask(m.Say, match=other, to="watchers", text="hi"), m.Ok), "another match"
        assert isinstance(await white.ask(m.Say, match=match, to="players", text="hi"), m.Ok)
