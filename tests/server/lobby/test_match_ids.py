"""Ids of matches: long enough never to meet again, and those of earlier versions still good."""

from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_server.archive.schema import matches
from tavla_server.lobby import match_ids

from tests.support.players.plain import Player, new_match
from tests.support.servers.processes import Valkey, inside


def test_an_id_has_sixty_bits_and_fits_where_ids_go() -> None:
    for made in (match_ids.drawn(), match_ids.of_request("a" * 16, 7), match_ids.of_rematch("k3v9q2xa")):
        assert match_ids.PATTERN.fullmatch(made)
        assert 5 * len(made) >= 60
        assert len(made) <= min(matches.c.id.type.length, m.MatchId.__metadata__[0].max_length)  # type: ignore[attr-defined]
    assert match_ids.of_request("a" * 16, 7) != match_ids.of_request("a" * 16, 8)


async def test_a_match_with_an_id_of_an_earlier_version_is_played_watched_and_looked_back_at(
    own_valkey: Valkey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = match_ids.drawn()[:8]
    monkeypatch.setattr(match_ids, "of_request", lambda player, id_: old)
    at = inside(own_valkey.url, archive=f"sqlite:///{tmp_path}/archive.sqlite3")
    async with at as url, Player(url) as white, Player(url) as black, Player(url) as eve:
        assert await new_match(white, black, {"length": 1}) == old
        assert isinstance(await eve.ask(m.Attach, table=old), m.Snapshot)
        await black.act(m.Forfeit, old)
        await white.until(old, lambda view: view.phase == "over")
        assert isinstance(await eve.ask(m.Record, match=old), m.Recorded)
        rematch = await white.ask(m.Rematch, match=old)
        assert not isinstance(rematch, m.Error), rematch
