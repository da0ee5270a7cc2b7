"""A caretaker of tournaments: who counts as away."""

from tavla_server.features.tournaments.caretaker import ABSENT_S, away_since, long_away


def test_two_short_absences_are_not_a_long_one() -> None:
    looks: list[tuple[int, str, str, dict[str, int]]] = [  # time, who waits, who of them is online, who is away
        (1_000, "ab", "b", {"a": 1_000}),
        (3_000, "ab", "b", {"a": 1_000}),
        (5_000, "b", "b", {}),  # paired by another node
        (9_000, "ab", "", {"a": 9_000, "b": 9_000}),
        (11_000, "ab", "a", {"b": 9_000}),
        (13_000, "ab", "", {"a": 13_000, "b": 9_000}),
    ]
    away: dict[str, int] = {}
    for now_ms, waiting, online, expected in looks:
        away = away_since(waiting, online.__contains__, away, now_ms)
        assert away == expected


def test_an_outage_is_no_part_of_an_absence() -> None:
    long_ms = round(1000 * ABSENT_S)
    absent = {"a": 0, "b": 1}
    assert long_away(absent, long_ms, lambda *_: 0) == []
    assert long_away(absent, long_ms + 1, lambda *_: 0) == ["a"]
    assert long_away(absent, long_ms + 1, lambda since_ms, now_ms: 1) == []
    assert long_away(absent, 2 * long_ms, lambda since_ms, now_ms: long_ms - 1) == ["a"]
