"""Records of matches by chance, there and back in every format of files."""

from collections.abc import Callable

import pytest
from tavla_engine import actions as a
from tavla_engine.conditions import no_double, to_act
from tavla_engine.decide import decide
from tavla_engine.events import Event
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.match import Phase, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.rules import Rules, Variant, preset
from tavla_engine.sgf import export_sgf, import_sgf
from tavla_engine.transcript import MatRecord

from tests.support.games.chance import NAMES, RULES, match_by_chance
from tests.support.games.engine import replayed
from tests.support.games.gnubg_matches import shown
from tests.support.tries import tries

Write = Callable[..., str]
Read = Callable[[str], MatRecord]

FORMATS: dict[str, tuple[Write, Read]] = {"mat": (export_mat, import_mat), "sgf": (export_sgf, import_sgf)}


CASES = [
    (form, rules) for form in FORMATS for rules in RULES if form == "mat" or rules.variant is not Variant.LONGGAMMON
]


@pytest.mark.parametrize(("form", "rules"), CASES)
def test_any_match_comes_back_from_its_record(form: str, rules: Rules) -> None:
    write, read = FORMATS[form]
    for seed in range(tries(40)):
        match, log = match_by_chance(rules, seed)
        record = read(write(NAMES, new_match(rules), log))
        assert record.start == new_match(rules._replace(hints=False))
        assert record.names == NAMES
        assert shown(record.events) == shown(log)
        assert record.match.score == match.score
        assert replayed(record.start, record.events) == record.match


@pytest.mark.parametrize(("write", "read"), FORMATS.values(), ids=FORMATS)
def test_a_cube_beyond_a_thousand_million_comes_back(write: Write, read: Read) -> None:
    match, log = new_match(preset("money")), list[Event]()
    while match.cube.value < 2**31:
        seat = to_act(match)[0]
        action: a.Action = a.Ready(seat)
        if match.phase is Phase.ROLL:
            action = a.Double(seat) if no_double(match, seat) is None else a.Roll(seat)
        elif match.phase is Phase.CUBE:
            action = a.Take(seat)
        elif match.phase is Phase.MOVE:
            plays = legal_plays(match.position, match.dice or (1, 2))
            action = a.Move(seat, next(iter(plays.values())))
        events, match = decide(match, action, lambda number: (2, 1))
        log += events
    events, match = decide(match, a.Forfeit(0), lambda _: (2, 1))
    log += events
    assert match.score == (0, 3 * 2**31)
    record = read(write(NAMES, new_match(preset("money")), log))
    assert (record.match.score, shown(record.events)) == (match.score, shown(log))
