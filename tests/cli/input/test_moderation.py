"""Commands that moderators type, and the lines that they see."""

import re

import pytest
from tavla_cli.input.moderation import ADDRESSES, HERE, moderate, quotation, report, usage_lines
from tavla_cli.input.parsing import BadCommand
from tavla_client import Client, Refused
from tavla_protocol import messages as m
from tavla_server.limits import Limits

from tests.support.players.clients import clients
from tests.support.players.matches import new_match
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, begun, guests, unique
from tests.support.servers.valkey import Valkey

WRONG = [
    ("reports about", "type reports [closed]"),
    ("reports about !", "no name of a player"),
    ("reports after yesterday", "no report: see mod reports"),
    ("reports open", "type reports [closed]"),
    ("resolve 1-0", "type resolve REPORT REASON"),
    ("resolve one done", "no report: see mod reports"),
    ("kick bob", "type kick NAME REASON"),
    ("mute bob soon he shouts", "'soon' is no time: say 30m, 2h or 7d; 30d is the most"),
    ("ban bob 31d he shouts", "'31d' is no time"),
    (f"ban bob 2h {ADDRESSES}", "say why: it is written down, and told"),
    ("unmute bob", "type unmute NAME REASON"),
    ("adjudicate sofa bob he left", "'bob' is no side: say white or black"),
    (f"void {'!' * 121} a test", "is no match: give its id, or its table's name"),
    ('void "Winter Cup" ', "type void MATCH REASON"),
]


@pytest.mark.parametrize(("typed", "sentence"), WRONG)
async def test_a_wrong_word_is_told_without_asking_the_server(typed: str, sentence: str) -> None:
    with pytest.raises(BadCommand, match=re.escape(sentence)):
        await moderate(Client("ws://localhost:1", name="eve"), typed)


@pytest.mark.parametrize("limits", [Limits(report_page=1)])
async def test_reports_are_read_in_pages_and_closed_with_a_reason(node: str, valkey: Valkey) -> None:
    bob = unique("bob")
    async with Player(node) as player, Client(node, name=bob), clients(node, "ada", "cid") as (ada, cid):
        await appointed(player, valkey.url)
        async with Client(node, token=player.token) as eve:
            assert await moderate(eve, "nonsense") == usage_lines()
            for reporter in (ada, cid):
                assert (await report(reporter, f"{bob} shouts")).startswith("the moderators will look")
            first = await moderate(eve, f"reports about {bob}")
            assert first[1] == f"  {cid.me.name} reports {bob}: shouts"
            id_ = first[0].split()[0]
            assert first[-1] == f"more: mod reports about {bob} after {id_}"
            second = await moderate(eve, first[-1].removeprefix("more: mod "))
            assert second[1] == f"  {ada.me.name} reports {bob}: shouts"
            assert await moderate(eve, f"resolve {id_} talked to him") == [f"report {id_} is closed"]
            closed = await moderate(eve, f"reports closed by {cid.me.name}")
            assert closed[1] == f"  {cid.me.name} reports {bob}: shouts"
            assert closed[2].endswith(f"by {player.name}: talked to him")
            assert await moderate(eve, f"reports by {cid.me.name}") == ["no report waits"]


async def test_what_a_moderator_types_is_done_and_told_in_a_line(node: str, valkey: Valkey) -> None:
    async with guests(node, 3) as (player, ada, cid), Client(node, name=unique("bob")) as bob:
        await appointed(player, valkey.url)
        match, other = await new_match(cid, player), await new_match(ada, cid)
        async with Client(node, token=player.token) as eve:
            for typed, line in (
                (f"mute {bob.me.name} 2h he shouts", f"{bob.me.name}: mute for 2h"),
                (f"unmute {bob.me.name} he is quiet", f"{bob.me.name}: no mute any more"),
                (f"ban {bob.me.name} 7d {ADDRESSES} he shouts", f"{bob.me.name}: ban for 7d"),
                (f"unban {bob.me.name} he is quiet", f"{bob.me.name}: no ban any more"),
                (f"kick {ada.name} she sleeps", f"{ada.name} is sent away"),
                (f"adjudicate {other} white bob left", f"match {other} is won by white"),
            ):
                assert await moderate(eve, typed) == [line]
            assert await moderate(eve, f"void {HERE} a test", other) == [f"match {other} does not count"]
            with pytest.raises(Refused):
                await moderate(eve, f"void {match} her own")


async def test_a_match_is_named_by_its_tables_name_with_any_signs_in_it(node: str, valkey: Valkey) -> None:
    async with guests(node, 3) as (player, ada, cid):
        await appointed(player, valkey.url)
        name = f"Yılbaşı {unique('!')}"
        table = await ada.get(m.Snapshot, m.Create, rules={"length": 1}, name=name, side="white")
        await cid.get(m.Snapshot, m.Join, table=name)
        await begun(table.match, ada, cid)
        async with Client(node, token=player.token) as eve:
            for typed in (("adjudicate", name, "white", "cid left"), ("void", table.match, "a", "test")):
                (line,) = await moderate(eve, quotation(typed))
                assert line.startswith(f"match {typed[1]} ")
