"""Two people play a match in their terminals and a third one watches, while the server is killed in between."""

import asyncio
import contextlib

from tavla_cli.screens.board import draw
from tavla_cli.text.look import Look
from tavla_client import Client
from tavla_engine.plays import legal_plays
from tavla_engine.position import Play, Position
from tavla_protocol import messages as m
from tavla_protocol.view import View
from tavla_server.own_store import running_store
from tavla_server.store import keys

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, unique, within
from tests.support.players.returning import Returning
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.servers.processes import ServerProcess, redis_at
from tests.support.stores.journals import Past, check_journal

RETYPE_S = 0.3  # a line typed too early, or while the server is away, is only answered with a sentence
BOARD_COLUMNS = 48
RESIGN_AFTER = 6  # lines in the first game
KILL_AFTER = {4: False, 15: True}  # lines, and whether the store is killed, too
STOP_AFTER, STOPPED_S = 10, 3.0  # lines, and for how long the server stands still then
RED = ("WARNING", "in your name", "took another play", "perhaps one of the two is older", "by your clock", "were away")


def typed(view: View, turns: int) -> str:
    """The line that a player types now. The first game is given up, the second is for four points."""
    if view.game == 1 and turns == RESIGN_AFTER:
        return "resign single\nyes"
    match view.phase:
        case "ready":
            return ""
        case "roll":
            return "double\nyes" if view.game > 1 and view.cube < 4 else "roll"
        case "cube":
            return "take\nyes"
        case "resign":
            return "accept"
    places = {25: "bar", 0: "off"}
    return " ".join(f"{places.get(source, source)}/{places.get(target, target)}" for source, target in safest(view))


def safest(view: View) -> Play:
    """A play that bears off and leaves few single checkers, so that games are short."""
    position = Position(view.row(view.turn), view.row(1 - view.turn))
    plays = legal_plays(position, (view.dice[0], view.dice[1]))
    return plays[max(plays, key=lambda after: (after.mine[0], -after.mine[1:].count(1)))]


async def type_until_seen(terminal: Terminal, line: str, watcher: Returning, match: str, seq: int) -> None:
    """Type a line, if need be again, until the match has moved on."""
    for _ in range(round(2 * PATIENCE_S / RETYPE_S)):
        for part in line.splitlines() or [""]:
            terminal.type(part)
        if await watcher.reached(match, lambda _: watcher.matches[match].seq > seq, RETYPE_S):
            return
    raise AssertionError(f"{line!r} has no effect:\n{terminal.shown[-3000:]}")


def last_board(shown: str, top: str) -> list[str]:
    """The lines of the last board that was shown, without what stands beside it. top: its first line."""
    start = shown.rindex(top)
    return [line[:BOARD_COLUMNS].rstrip() for line in shown[start:].splitlines()]


def check_board(shown: str, view: View, side: int) -> None:
    """The last board is this position."""
    expected = [line[:BOARD_COLUMNS].rstrip() for line in draw(view, side, Look(ascii=True)).plain.splitlines()]
    board = last_board(shown, expected[0].lstrip())
    board[0] = expected[0][: len(expected[0]) - len(expected[0].lstrip())] + board[0]
    assert board[: len(expected)] == expected


async def test_a_match_with_the_cube_in_two_terminals_and_a_third_that_watches(
    own_server: ServerProcess, terminal_of: NewTerminal
) -> None:
    table, url = unique("t"), own_server.url
    ada = terminal_of(url, "ada", "create", table, "--length", "3", "--side", "white")
    ada.wait_for(f"waiting for an opponent at table {table}")
    carol = terminal_of(url, "carol", "watch", table)
    carol.wait_for(f"table {table}")
    grace = terminal_of(url, "grace", "join", table, term="dumb")
    players = (ada, grace)
    async with Returning(url) as watcher:
        snapshot = await watcher.get(m.Snapshot, m.Attach, table=table)
        match, turns = snapshot.match, 0
        assert await watcher.reached(match, lambda view: view.game == 1, PATIENCE_S)
        for one in (*players, carol):
            await asyncio.to_thread(one.wait_for, "game 1 begins")
        await asyncio.to_thread(a_typing_error, ada)
        while (view := watcher.matches[match].view).phase != "over":
            seat, seq = view.to_act[0], watcher.matches[match].seq
            await type_until_seen(players[seat], typed(view, turns), watcher, match, seq)
            turns += 1
            if turns == STOP_AFTER:
                await asyncio.to_thread(own_server.stand_still, STOPPED_S)
            if turns in KILL_AFTER:
                await asyncio.to_thread(own_server.kill, KILL_AFTER[turns])
                await asyncio.to_thread(ada.wait_for, "trying on... no server answers at ws://")
                await asyncio.to_thread(own_server.start)
        print(f"{turns} lines typed")
        over = watcher.matches[match].view
        assert any(view.cube > 1 for view in watcher.matches[match].views.values()), "the cube was turned"
        check_journal(own_server.store_url, match, watcher.matches[match].views)
    assert over.outcome is not None
    winner = over.outcome[0] or 0
    most = min(max(over.score), int(over.rules["length"]))  # what a match needs is told, not what was won beyond it
    score = f"{most} to {min(over.score)}"
    await asyncio.to_thread(ada.wait_for, "another match?")
    ada.type("no")
    await asyncio.to_thread(carol.wait_for, "Enter leaves")
    carol.type("")
    for seat, one in enumerate((ada, grace, carol)):
        assert await asyncio.to_thread(one.wait) == 0
        name = "you win" if seat == winner else f"{over.players[winner]} wins"
        assert f"{name} the match {score}" in one.shown
        assert "Traceback" not in one.shown
        assert [words for words in RED if words in one.shown] == [], "an honest server, whatever dies or stands still"
        check_board(one.shown, over, seat % 2)


def a_typing_error(one: Terminal) -> None:
    """Type an unknown command: it gets a sentence, and the game goes on."""
    one.type("fly")
    one.wait_for("there is no command 'fly'")


async def test_players_are_told_what_the_store_has_lost(own_server: ServerProcess, terminal_of: NewTerminal) -> None:
    table, url = unique("t"), own_server.url
    ada = terminal_of(url, "ada", "create", table, "--length", "3")
    await asyncio.to_thread(ada.wait_for, f"waiting for an opponent at table {table}")
    bob = terminal_of(url, "bob", "watch", table)
    await asyncio.to_thread(bob.wait_for, f"table {table} is open")  # he has come, and that is kept
    async with Player(url) as watcher:
        snapshot = await watcher.get(m.Snapshot, m.Attach, table=table)
    bob.type("quit")
    past = Past(own_server.store_url, snapshot.match)
    bob = terminal_of(url, "bob", "join", table)
    for one in (ada, bob):
        await asyncio.to_thread(one.wait_for, "game 1 begins")
    await lose(own_server, past)
    for one in (ada, bob):
        await asyncio.to_thread(one.wait_for, "the server has lost what happened last")
    await asyncio.to_thread(ada.wait_for, f"table {table} is open", after=ada.shown.index("has lost"))
    await asyncio.to_thread(bob.wait_for, "your seat is lost, too; go, and sit down again:\n  tavla join " + table)
    bob.type("quit")
    assert await asyncio.to_thread(bob.wait) == 0
    bob = terminal_of(url, "bob", "join", table)  # with another seed, while ada's is known: hers is not given twice
    await asyncio.to_thread(ada.wait_for, "WARNING: a commitment has changed after your seed was revealed")
    await asyncio.to_thread(bob.wait_for, "WARNING: the server asks for your seat again, with other terms")
    for one in (ada, bob):
        one.type("quit")
        assert await asyncio.to_thread(one.wait) == 0


async def test_players_are_told_what_the_store_has_lost_of_a_game(
    own_server: ServerProcess, terminal_of: NewTerminal
) -> None:
    table, url = unique("t"), own_server.url
    ada = terminal_of(url, "ada", "create", table, "--length", "3")
    await asyncio.to_thread(ada.wait_for, f"waiting for an opponent at table {table}")
    bob = terminal_of(url, "bob", "join", table)
    for one in (ada, bob):
        await asyncio.to_thread(one.wait_for, "game 1 begins")
    async with Player(url) as watcher:
        snapshot = await watcher.get(m.Snapshot, m.Attach, table=table)
    past = Past(own_server.store_url, snapshot.match)
    ada.type("resign single")
    ada.type("yes")
    await asyncio.to_thread(bob.wait_for, "ada offers to resign")
    shown = [len(one.shown) for one in (ada, bob)]
    await lose(own_server, past)
    for one, after in zip((ada, bob), shown, strict=True):
        await asyncio.to_thread(one.wait_for, "the server has lost what happened last", after=after)
    for one in (ada, bob):
        one.type("quit")
        assert await asyncio.to_thread(one.wait) == 0


async def lose(server: ServerProcess, past: Past) -> None:
    """The server dies, and its store forgets what came after this."""
    server.kill(store=True)  # it would end by itself, but not at once
    async with running_store(None, server.data):
        past.bring_back()
        with contextlib.closing(redis_at(past.url)) as redis:
            redis.delete(keys.MATCH_SNAPSHOT(past.match))
    await asyncio.to_thread(server.start)


async def test_a_challenge_and_a_rematch(server: ServerProcess, terminal_of: NewTerminal) -> None:
    ada_name, bob_name = unique("ada"), unique("bob")
    waiting = terminal_of(server.url, bob_name, "create", unique("t"))
    waiting.wait_for("waiting for an opponent")
    ada = terminal_of(server.url, ada_name, "challenge", bob_name, "--length", "1", "--side", "white")
    waiting.wait_for(f"{ada_name} challenges you: match to 1 point")
    waiting.wait_for(f"tavla accept {ada_name}")
    bob = terminal_of(server.url, bob_name, "accept", ada_name)
    players = (ada, bob)
    for one in players:
        await asyncio.to_thread(one.wait_for, "game 1 begins")
    eve = terminal_of(server.url, unique("eve"), "watch", await match_of(server, ada_name))
    for one in players:
        await asyncio.to_thread(one.wait_for, "watches")
    ada.type("forfeit")
    ada.type("yes")
    for one in players:
        await asyncio.to_thread(one.wait_for, "another match?")
    ada.type("say well played")
    await asyncio.to_thread(bob.wait_for, f"{ada_name}: well played")
    ada.type("yes")
    await asyncio.to_thread(bob.wait_for, f"{ada_name} wants a rematch")
    bob.type("thanks")
    await asyncio.to_thread(ada.wait_for, f"{bob_name}: Thank you!")
    bob.type("yes")
    for one in (*players, eve):
        await asyncio.to_thread(one.wait_for, f"matches before this one: {ada_name} 0, {bob_name} 1")
    bob.type("forfeit")
    bob.type("yes")
    await asyncio.to_thread(ada.wait_for, f"{bob_name} forfeits the match")
    await asyncio.to_thread(bob.wait_for, "you forfeit the match")
    ada.type("yes")
    await asyncio.to_thread(ada.wait_for, f"waiting for {bob_name} to want another match, too")
    await asyncio.to_thread(bob.wait_for, f"{ada_name} wants a rematch", after=len(bob.shown) - 200)
    bob.type("no")
    await asyncio.to_thread(ada.wait_for, f"{bob_name} does not want to play now")
    await asyncio.to_thread(ada.wait_for, f"{bob_name} has gone")
    ada.type("no")
    eve.type("")
    waiting.type("quit")
    for one in (*players, eve, waiting):
        assert await asyncio.to_thread(one.wait) == 0


async def test_a_challenge_that_comes_to_nothing_is_told(server: ServerProcess, terminal_of: NewTerminal) -> None:
    name = unique("ada")
    ada = terminal_of(server.url, name, "create", unique("t"))
    ada.wait_for("waiting for an opponent")
    async with Client(server.url, name=unique("bob")) as bob:
        asking = asyncio.create_task(bob.challenges.send(name))
        await asyncio.to_thread(ada.wait_for, f"{bob.me.name} challenges you")
        asking.cancel()
        await asyncio.to_thread(ada.wait_for, f"{bob.me.name} has taken the challenge back")
    ada.type("cancel")
    assert await asyncio.to_thread(ada.wait) == 0


async def match_of(server: ServerProcess, player: str) -> str:
    """The match that someone plays, as the lobby shows it."""
    async with Client(server.url, name=unique("w")) as looking, looking.lobby.lists("matches") as lists:
        while True:
            for id_, table in lists.rows["matches"].items():
                if player in table.players:
                    return id_
            await within(lists.wait_for_change())


async def test_people_talk_and_are_muted(server: ServerProcess, terminal_of: NewTerminal) -> None:
    table, name = unique("t"), unique("ada")
    ada = terminal_of(server.url, name, "create", table)
    ada.wait_for(f"waiting for an opponent at table {table}")
    async with Player(server.url) as bob, Player(server.url) as eve:
        snapshot = await bob.get(m.Snapshot, m.Join, table=table)
        await eve.ask(m.Attach, table=table)
        await asyncio.to_thread(ada.wait_for, f"{eve.name} watches")
        ada.type("say Good evening")
        assert (await bob.next(m.Said)).text == "Good evening"
        await asyncio.to_thread(ada.wait_for, f"{name}: Good evening")
        ada.type("gl")
        assert (await bob.next(m.Said)).phrase == "gl"
        ada.type("mute watchers")
        await asyncio.to_thread(ada.wait_for, "you hear no more of watchers")
        await eve.ask(m.Say, match=snapshot.match, to="watchers", text="she cannot win")
        await bob.ask(m.Say, match=snapshot.match, to="players", text="thank you")
        await asyncio.to_thread(ada.wait_for, f"{bob.name}: thank you")
        ada.type(f"mute {bob.name}")
        await asyncio.to_thread(ada.wait_for, f"you hear no more of {bob.name}")
        await bob.ask(m.Say, match=snapshot.match, to="players", text="are you there?")
        ada.type("quit")
        assert await asyncio.to_thread(ada.wait) == 0
        assert "cannot win" not in ada.shown
        assert "are you there" not in ada.shown


def test_colours_that_are_pasted_do_no_harm(terminal_of: NewTerminal, server: ServerProcess) -> None:
    table = unique("t")
    ada = terminal_of(server.url, unique("ada"), "create", table)
    ada.wait_for("waiting for an opponent")
    ada.press("\x1b[31mhello\x1b[0m \u202e\x07\r")
    ada.wait_for("hello")
    ada.press("\x15fly\r")
    ada.wait_for("there is no command 'fly'")
    ada.type("cancel")
    assert ada.wait() == 0
    assert "Traceback" not in ada.shown
    assert "another match" not in ada.shown, "there was none"
