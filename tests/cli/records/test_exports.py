"""Exports with verdicts and the proof of the dice: the same in each format, as other programs read it."""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gvformat
import pytest
from tavla_cli.records.files import WRITERS, BadFile, as_mat, as_ogxm, as_sgf, parse, read
from tavla_cli.records.marks import marks_of, remarks_of
from tavla_cli.records.record import Record, of_server
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.claim import agreed_text
from tavla_engine.mat import export_mat
from tavla_engine.proof import check_remarks
from tavla_engine.rules import Rules, preset
from tavla_engine.server_events import read_server_events

from tests.support.games.gnubg_matches import shown
from tests.support.games.gnubg_program import gnubg_program
from tests.support.games.judged import CUBE_AND_DROP, judged
from tests.support.games.records import ALL_RULES, played, recorded

FOREIGN = Path(__file__).parents[2] / "data" / "foreign"
CUBE = {21: e.Doubled, 22: e.Taken}


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_servers_verdicts_come_back_with_their_judge(suffix: str) -> None:
    record = judged(CUBE_AND_DROP, 0.2)
    again = parse(WRITERS[suffix](record))
    assert [*remarks_of(again).values()] == [*remarks_of(record).values()]
    assert again.told is not None or again.tags["Judgement"] == "somebody: ada 5.2, bob -"
    assert shown(again.events) == shown(record.events)


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_verdicts_of_a_files_own_judge_come_back(suffix: str) -> None:
    record = read(FOREIGN / "commented-9.xg")
    assert sum(map(len, marks_of(record).values())) == 21
    again = parse(WRITERS[suffix](record))
    assert [*remarks_of(again).values()] == [*remarks_of(record).values()]
    assert again.tags == record.tags


@pytest.mark.parametrize("suffix", [".mat", ".sgf", ".ogxm"])
def test_the_terms_and_seeds_of_a_match_go_from_format_to_format(suffix: str) -> None:
    """The rolls follow from them by what protocol/checking.md says."""
    record = of_server(recorded(ALL_RULES[0], played(ALL_RULES[0], 1)))
    assert record.told is not None
    again = parse(WRITERS[".sgf"](parse(WRITERS[suffix](record))))
    head, match, *others = again.tags["Terms"].split("|")
    terms = (head, match, again.tags["Rules"], *others)
    assert "".join(f"{line}\n" for line in terms) == agreed_text(read_server_events(record.told.events))
    assert again.tags["Seed"] == record.view.seed
    assert tuple(again.tags["Seeds"].split()) == record.view.seeds
    for seed, committed in zip(record.view.seeds, terms[6:], strict=True):
        assert hashlib.sha256(bytes.fromhex(seed)).hexdigest() == committed


@pytest.mark.parametrize("suffix", [".mat", ".sgf", ".ogxm"])
@pytest.mark.parametrize("rules", [ALL_RULES[number] for number in (0, 1, 6, 8)])
def test_the_dice_are_checked_by_the_proof_in_a_files_remarks(suffix: str, rules: Rules) -> None:
    record = of_server(recorded(rules, played(rules, 1)))
    again = parse(WRITERS[suffix](record))
    found = check_remarks(again.tags, again.start, again.events)
    assert (found.others, found.fault) == (0, "")
    assert found.rolls == sum(
        event.die_0 != event.die_1 if isinstance(event, e.OpeningRolled) else isinstance(event, e.Rolled)
        for event in record.events
    )


def test_what_was_changed_in_a_file_is_found() -> None:
    record = parse(as_mat(of_server(recorded(ALL_RULES[0], played(ALL_RULES[0], 1)))))
    tags, first = dict(record.tags), next(place for place, one in enumerate(record.events) if isinstance(one, e.Rolled))
    seeds, terms = tags["Seeds"], tags["Terms"]
    for name, value, fault in (
        ("Seed", "01" * 32, "the server's seed is not the one"),
        ("Seeds", f"{seeds[:-2]}ff", "black's seed is not the one"),
        ("Seeds", seeds.split()[0], "the proof in its remarks is cut"),
        ("Seed", "xy", "the proof in its remarks is cut"),
        ("Terms", terms[:99], "the proof in its remarks is cut"),
        ("Rules", "{}", "roll 1, of game 1, is "),
    ):
        assert check_remarks({**tags, name: value}, record.start, record.events).fault.startswith(fault)
    seat = record.events[first].seat  # type: ignore[union-attr]
    for dice in ((1, 1), (6, 6)):
        changed = [*record.events[:first], e.Rolled(seat, *dice)]
        fault = check_remarks(tags, record.start, changed).fault
        if fault:
            break
    assert re.fullmatch(r"roll 2, of game 1, is \d-\d, and the seeds give \d-\d", fault)


def course(record: Record) -> Iterator[tuple[Any, ...]]:
    """Each play and cube action, game by game; a play as its steps, which have no order."""
    match = record.start
    for event in record.events:
        match = apply(match, event)
        if isinstance(event, e.Moved) and event.moves:
            yield match.game, event.seat, sorted(event.moves)
        elif isinstance(event, e.Doubled | e.Taken):
            yield match.game, event.seat, type(event)


def course_by_gvformat(data: bytes) -> Iterator[tuple[Any, ...]]:
    """The same of a file, as the package has it."""
    for number, game in enumerate(gvformat.read_gvab(data)["games"], 1):
        for ply in game["plies"]:
            seat = 1 - ply["color"]
            if ply["action_id"] in CUBE:
                yield number, seat, CUBE[ply["action_id"]]
            elif ply.get("moves"):
                starts = [(one["from"] if seat else 25 - one["from"], one["pips"]) for one in ply["moves"]]
                yield number, seat, sorted((start, max(start - pips, 0)) for start, pips in starts)


@pytest.mark.parametrize("file", ["commented-9.xg", "online-7.xg"])
def test_an_ogxm_file_is_valid_and_the_same_match_to_other_programs(file: str) -> None:
    record = read(FOREIGN / file)
    data = as_ogxm(record)
    assert [*course_by_gvformat(data)] == [*course(record)]
    said = [note["value"] for game in gvformat.read_gvab(data)["games"] for ply in game["plies"] for note in notes(ply)]
    assert said == [text for texts in remarks_of(record).values() for text in texts]
    ogxm = pytest.importorskip("ogxm")
    assert ogxm.v2_problem(ogxm.binary_to_json(data)) is None


def notes(of: dict[str, Any]) -> list[dict[str, Any]]:
    return list(of.get("annotations", ()))


@pytest.mark.parametrize(
    "rules", [one for one in ALL_RULES if one.beavers < 2], ids=lambda rules: f"{rules.variant.value} {rules.length}"
)
def test_matches_by_all_rules_are_valid_ogxm(rules: Any) -> None:
    ogxm = pytest.importorskip("ogxm")
    for seed in range(3):
        data = as_ogxm(of_server(recorded(rules, played(rules, seed, games=3))))
        assert ogxm.v2_problem(ogxm.binary_to_json(data)) is None


def test_gnubg_reads_what_has_verdicts_as_what_has_none(tmp_path: Path) -> None:
    record = read(FOREIGN / "commented-9.xg")
    names = ("ada", "bob")  # GNU Backgammon writes the others as its locale has them
    record = record._replace(names=names, tags={}, verdicts=record.verdicts)
    plain = export_mat(names, record.start, record.events)
    texts = {"plain.mat": plain, "verdicts.mat": as_mat(record), "verdicts.sgf": as_sgf(record)}
    assert texts["verdicts.mat"].count("\n; ?") == 21
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    reads = "".join(
        f"{'load match' if name.endswith('sgf') else 'import mat'} {name}\nexport match mat {name}.out\n"
        for name in texts
    )
    (tmp_path / "commands").write_text(f"set automatic game off\n{reads}")
    program = [gnubg_program(), "-t", "-q", "-c", "commands"]
    subprocess.run(program, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120)
    first, second, third = (parse((tmp_path / f"{name}.out").read_bytes()) for name in texts)
    assert shown(first.events) == shown(second.events) == shown(third.events) == shown(record.events)


def test_a_dropped_raccoon_is_refused_in_ogxm_and_told_elsewhere() -> None:
    rules = preset("money", {"beavers": 3, "automatic_doubles": 1})
    record = of_server(recorded(rules, played(rules, 1, 4)))
    with pytest.raises(BadFile, match=r"a raccoon is dropped, which .ogxm does not know: a .mat or .sgf file"):
        as_ogxm(record)
    assert shown(parse(as_mat(record)).events) == shown(record.events)
