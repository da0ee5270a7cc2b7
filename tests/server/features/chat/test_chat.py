"""Chat in the lobby: its hearers on each node, the time that it is kept, and the limit on a client's talk."""

from contextlib import AsyncExitStack

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.chat.chat import LOBBY_CHAT
from tavla_server.limits import Limits
from tavla_server.timings import Timings
from tavla_server.token_bucket import Rate

from tests.support.patience import NEVER_AGAIN
from tests.support.players.lobby import Rows, Watch
from tests.support.players.plain import Player, Received, refused, unique
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey

BURST = int(LOBBY_CHAT.burst)
FEW_LINES = Limits(rates={"chat": Rate(NEVER_AGAIN, BURST)})


def texts(rows: Rows) -> list[str]:
    """Texts of the lobby's chat, in order."""
    return [rows[key]["text"] for key in sorted(rows, key=int)]


async def listening(player: Player) -> Watch:
    """A player who follows the lobby's chat."""
    watch = Watch(player)
    await watch.follow("chat")
    return watch


async def until_said(watch: Watch, *wanted: str) -> None:
    """Wait until the last lines are these."""
    await watch.until("chat", lambda rows: texts(rows)[-len(wanted) :] == [*wanted])


async def chat(player: Player, text: str = "", **fields: object) -> Received:
    """Say something in the lobby; the answer."""
    return await player.ask(m.Chat, text=text, **fields)


async def test_who_follows_the_chat_hears_it_on_every_node_and_nobody_else_does(own_valkey: Valkey) -> None:
    async with (
        inside(own_valkey.url) as here,
        inside(own_valkey.url) as there,
        Player(here) as ada,
        Player(there) as bob,
        Player(here) as eve,
    ):
        near, far = await listening(ada), await listening(bob)
        assert isinstance(await chat(ada, " \x1b[31mwho plays\x07 to 5?"), m.Ok)
        for watch in (near, far):
            await until_said(watch, "who plays to 5?")
            (line,) = watch.rows["chat"].values()
            assert (line["name"], line.get("kind"), line.get("phrase")) == (ada.name, None, None)
        assert isinstance(await chat(bob, phrase="hello"), m.Ok)
        for watch in (near, far):
            await until_said(watch, "who plays to 5?", "Hello!")
        assert await eve.sync() == []
        async with inside(own_valkey.url) as later, Player(later) as new:
            assert texts(await Watch(new).follow("chat")) == ["who plays to 5?", "Hello!"], "it reads what was said"


async def test_who_does_not_listen_cannot_talk(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        assert refused(await chat(ada, "hello")) == ErrorCode.NOT_ATTACHED
        await listening(ada)
        assert refused(await chat(ada, "\x1b[2J")) == ErrorCode.NOTHING_SAID
        await ada.ask(m.Unsubscribe, what="chat")
        assert refused(await chat(ada, "hello")) == ErrorCode.NOT_ATTACHED


async def test_who_is_ignored_is_not_read(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as node, Player(node) as ada, Player(node) as bob, Player(node) as eve:
        await bob.ask(m.Ignore, player=eve.name)
        others, heard = await listening(ada), await listening(bob)
        await listening(eve)
        for player, text in ((eve, "fool"), (ada, "be kind"), (eve, "fools"), (ada, "bye")):
            await chat(player, text)
            await until_said(others, text)
        await heard.player.find(lambda message: isinstance(message, m.Changes) and "bye" in texts(message.set))
        changes = [message for message in bob.log if isinstance(message, m.Changes)]
        assert [text for change in changes for text in texts(change.set)] == ["be kind", "bye"]
        first = changes[0].seq
        assert [change.seq for change in changes] == list(range(first, first + len(changes))), "none is missing"
        async with Player(node, token=bob.token) as again:
            assert texts(await Watch(again).follow("chat")) == ["be kind", "bye"]


async def test_what_was_said_before_is_hidden_and_shown_again_on_every_node(own_valkey: Valkey) -> None:
    async with (
        inside(own_valkey.url) as here,
        inside(own_valkey.url) as there,
        Player(here) as bob,
        Player(there, token=bob.token) as elsewhere,
        Player(here) as eve,
    ):
        heard = [await listening(bob), await listening(elsewhere)]
        await listening(eve)
        await chat(eve, "fool")
        for watch in heard:
            await until_said(watch, "fool")
        for on, wanted in ((True, []), (False, ["fool"])):
            await bob.ask(m.Ignore, player=eve.name, on=on)
            for watch in heard:
                listing = await watch.player.next(m.Listing)
                assert (listing.what, texts(listing.rows), listing.total) == ("chat", wanted, len(wanted))


async def test_the_last_lines_are_kept_and_old_ones_go(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, limits=Limits(chat_lines=3)) as node, Player(node) as ada:
        watch = await listening(ada)
        for number in range(4):
            await chat(ada, str(number))
        await watch.until("chat", lambda rows: texts(rows) == ["1", "2", "3"])
        async with inside(own_valkey.url, Timings(sweep_s=0.05, chat_s=0.0)):  # a node to which all of them are old
            await watch.until("chat", lambda rows: not rows)


async def test_a_flood_is_stopped_and_others_read_on(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, limits=FEW_LINES) as node, Player(node) as ada, Player(node) as eve:
        watch = await listening(ada)
        await listening(eve)
        answers = [await chat(eve, str(number)) for number in range(40)]
        errors = [answer for answer in answers if isinstance(answer, m.Error)]
        assert len(errors) == 40 - BURST
        assert {error.code for error in errors} == {ErrorCode.TOO_MANY}
        assert all("wait" in error.text and error.text.endswith(" s") for error in errors)
        assert isinstance(await chat(ada, "quiet!"), m.Ok), "the other one may talk"
        await until_said(watch, "quiet!")


async def test_new_guests_of_one_address_give_a_flooder_no_more_to_say(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, limits=FEW_LINES, behind_proxy=True) as node, AsyncExitStack() as stack:
        answers = []
        for _ in range(3 * BURST):
            guest = Player(node, headers={"X-Forwarded-For": "203.0.113.9"})
            await stack.enter_async_context(guest)
            await listening(guest)
            answers.append(await chat(guest, unique("spam")))
        assert sum(isinstance(answer, m.Ok) for answer in answers) == BURST
        account = await stack.enter_async_context(Player(node, headers={"X-Forwarded-For": "203.0.113.9"}))
        await account.ask(m.Register, password="long enough")
        await listening(account)
        assert isinstance(await chat(account, "hello"), m.Ok), "who has a name of their own has their own allowance"
