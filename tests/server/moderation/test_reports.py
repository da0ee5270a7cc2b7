"""What players report, and what moderators see of it."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.players.quotas import NEW_REPORTS

from tests.support.moderators import appointed
from tests.support.players import Player, new_match, refused
from tests.support.servers import Valkey, inside


async def reported(moderator: Player, about: Player) -> dict[str, m.Complaint]:
    """The reports about somebody."""
    answer = await moderator.ask(m.Reports)
    assert isinstance(answer, m.Reported)
    return {id_: row for id_, row in answer.rows.items() if row.about == about.name}


async def test_a_report_brings_what_was_said_there_and_goes_when_it_is_resolved(valkey: Valkey) -> None:
    async with (
        inside(valkey.url) as here,
        inside(valkey.url) as there,
        Player(here) as eve,
        Player(here) as ada,
        Player(there) as bob,
    ):
        await appointed(eve, valkey.url)
        match = await new_match(ada, bob)
        await bob.ask(m.Subscribe, what="chat")
        await bob.ask(m.Chat, text="bad lobby")
        await bob.ask(m.Say, match=match, to="players", text="bad \x1b[2Jdice")
        await ada.next(m.Said)
        for at in (match, ""):
            assert isinstance(await ada.ask(m.Report, player=bob.name, reason=" he  shouts", match=at), m.Ok)
        rows = await reported(eve, bob)
        assert [(row.by, row.reason, row.match, row.lines) for row in rows.values()] == [
            (ada.name, "he shouts", "", [(bob.name, "bad lobby")]),
            (ada.name, "he shouts", match, [(bob.name, "bad dice")]),
        ]
        seen = await eve.ask(m.Inspect, player=bob.name)
        assert isinstance(seen, m.Inspected)
        assert (seen.reports, seen.online, [*seen.matches]) == (2, True, [match])
        newest = next(iter(rows))
        assert isinstance(await eve.ask(m.Resolve, report=newest), m.Ok)
        assert [*await reported(eve, bob)] == [id_ for id_ in rows if id_ != newest]


async def test_one_player_reports_so_often_and_no_more(node: str) -> None:
    async with Player(node) as ada, Player(node) as bob:
        for _ in range(NEW_REPORTS.times):
            assert isinstance(await ada.ask(m.Report, player=bob.name, reason="r"), m.Ok)
        answer = await ada.ask(m.Report, player=bob.name, reason="r")
        assert refused(answer) == ErrorCode.TOO_MANY
        assert isinstance(answer, m.Error)
        assert 0 < answer.retry_after <= NEW_REPORTS.per_s
