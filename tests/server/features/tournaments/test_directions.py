"""A tournament that is called otherwise, or called off."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.tournaments.decider import CANCELLED

from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import RULES, arena_of, direct, entered, one_match, record_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


async def row_of(player: Player, tournament: str) -> m.Tournament:
    """Its row, as the record has it."""
    about = (await record_of(player, tournament)).about
    assert about is not None
    return about


async def test_a_tournament_is_renamed_and_before_its_first_match_cancelled(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, guests(url, 2) as (ada, eve):
        id_ = await arena_of(eve, starts=3600)
        await eve.get(m.Organised, m.CreateTournament, name=(taken := unique("other")), rules=RULES, starts=3600)
        await direct(eve, id_, "rename", name=(name := unique("sunday")))
        assert (await row_of(ada, id_)).name == name
        asked = {"tournament": id_, "reason": "so it is"}
        assert refused(await ada.ask(m.DirectTournament, what="cancel", **asked)) == ErrorCode.NOT_ALLOWED
        for wrong, code in ((taken, ErrorCode.NAME_TAKEN), ("admin", ErrorCode.NAME_RESERVED), (None, "bad_message")):
            assert refused(await eve.ask(m.DirectTournament, what="rename", name=wrong, **asked)) == code
        request = await entered(ada, id_, COMMITMENTS[0])
        await direct(eve, id_, "cancel")
        assert await ada.next(m.Unpaired) == m.Unpaired(tournament=id_, enter=request, over=True, text=CANCELLED)
        about = await row_of(ada, id_)
        assert about.ends < about.starts
        assert [ruling.what for ruling in (await record_of(ada, id_)).rulings] == ["rename", "cancel"]


async def test_what_has_been_played_is_not_cancelled(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, guests(url, 3) as (ada, bob, eve):
        id_ = await arena_of(eve)
        await one_match(id_, ada, bob)
        answer = await eve.ask(m.DirectTournament, tournament=id_, what="cancel", reason="so it is")
        assert refused(answer) == "wrong_phase"
        about = await row_of(eve, id_)
        assert about.ends > about.starts
