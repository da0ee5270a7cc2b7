"""What decisions have cost by kind, by phase and by size, and where the costliest one is."""

import pytest
from tavla_bots.error_sums import ErrorSum, error_sums
from tavla_engine.analysis import SIZES, Analysis, Finding, mark
from tavla_engine.decisions import decisions
from tavla_engine.mat import import_mat
from tavla_engine.match import new_match
from tavla_engine.rules import Rules

from tests.support.browser.node import ask_modules, need_node
from tests.support.games.gnubg_matches import MAT_FILES
from tests.support.games.records import ALL_RULES, played, recorded

DICE = (3, 1)


def test_they_are_summed_by_kind_by_phase_and_by_size() -> None:
    record = import_mat(MAT_FILES[0].read_text())
    found = [
        Finding(one.at.game, one.turn, one.seat, DICE, "8/5 6/5", "6/2", 0.01 * (number + 1), True)
        if one.what == "play"
        else Finding(one.at.game, one.turn, one.seat, None, one.what, "", 0.0, False)
        for number, one in enumerate(decisions(record.start, record.events))
    ]
    sums = error_sums(Analysis("x", tuple(found), (0.0, 0.0)), record.start, record.events)
    for seat, all_ in enumerate(sums):
        plays = [one for one in found if one.seat == seat and one.dice]
        by_what = {one.what: one for one in all_}
        assert {"play", "opening", "middle game"} <= by_what.keys()
        assert by_what["play"].decisions == len(plays)
        assert by_what["play"].worst == pytest.approx(max(one.loss for one in plays))
        for sign, what in SIZES.items():
            losses = [one.loss for one in plays if mark(one.loss) == sign]
            found_ = by_what.get(what, ErrorSum(what))
            assert found_[1:4] == pytest.approx((len(losses), sum(losses), max(losses, default=0)))
        phases = [one for one in all_ if one.what not in {"play", "double", "take", *SIZES.values()}]
        assert sum(one.decisions for one in phases) == len(plays)
        assert sum(one.loss for one in phases) == pytest.approx(by_what["play"].loss)


@pytest.mark.parametrize("rules", [one for one in ALL_RULES if one.length], ids=str)
def test_a_number_is_that_of_the_review_in_the_page(rules: Rules) -> None:
    need_node()
    events = played(rules, 2, games=3)
    match = recorded(rules, events)
    (numbered,) = ask_modules("decisions", [{"rules": match.view["rules"], "events": match.events}])
    for what in ("play", "double", "take"):
        places = [one for one in numbered if one[3] == what]
        for number, game, turn, seats_what, seat, done in [(*one[:3], one[3], *one[4:]) for one in places[:20]]:
            assert seats_what == what
            finding = Finding(game, turn, seat, DICE if what == "play" else None, done, "", 0.5, True)
            sums = error_sums(Analysis("x", (finding,), (0.0, 0.0)), new_match(rules), events)
            assert ErrorSum(what, 1, 0.5, 0.5, number) in sums[seat]
