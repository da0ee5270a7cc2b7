"""Ids of matches: long enough never to meet again."""

from tavla_protocol import messages as m
from tavla_server.features.archive.schema import matches
from tavla_server.match import ids as match_ids


def test_an_id_has_sixty_bits_and_fits_where_ids_go() -> None:
    for made in (match_ids.new_id(), match_ids.of_request("a" * 16, 7), match_ids.of_rematch("k3v9q2xa")):
        assert match_ids.PATTERN.fullmatch(made)
        assert 5 * len(made) >= 60
        assert len(made) <= min(matches.c.id.type.length, m.MatchId.__metadata__[0].max_length)  # type: ignore[attr-defined]
    assert match_ids.of_request("a" * 16, 7) != match_ids.of_request("a" * 16, 8)
