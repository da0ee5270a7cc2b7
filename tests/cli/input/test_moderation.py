"""Commands that moderators type, and the lines that they see."""

import re

import pytest
from tavla_cli.input.moderation import moderate, report, usage_lines
from tavla_cli.input.parsing import BadCommand
from tavla_client import Client
from tavla_server.limits import Limits

from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, unique
from tests.support.servers.processes import Valkey

WRONG = [
    ("reports about", "type reports [closed]"),
    ("reports about !", "no name of a player"),
    ("reports after yesterday", "no report: see mod reports"),
    ("reports open", "type reports [closed]"),
    ("resolve 1-0", "type resolve REPORT REASON"),
    ("resolve one done", "no report: see mod reports"),
]


@pytest.mark.parametrize(("typed", "sentence"), WRONG)
async def test_a_wrong_word_is_told_without_asking_the_server(typed: str, sentence: str) -> None:
    with pytest.raises(BadCommand, match=re.escape(sentence)):
        await moderate(Client("ws://localhost:1", name="eve"), typed)


@pytest.mark.parametrize("limits", [Limits(report_page=1)])
async def test_reports_are_read_in_pages_and_closed_with_a_reason(node: str, valkey: Valkey) -> None:
    bob = unique("bob")
    async with (
        Player(node) as player,
        Client(node, name=bob),
        Client(node, name=unique("ada")) as ada,
        Client(node, name=unique("cid")) as cid,
    ):
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
