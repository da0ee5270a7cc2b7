"""The page's own readers of files, beside those of the terminal, over real and written files; and their review."""

import base64
import functools
import json
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, expect
from tavla_cli.records.files import WRITERS, BadFile, as_json, parse, read
from tavla_cli.records.marks import marks_of
from tavla_cli.records.record import Record, of_server, plain_rules
from tavla_engine.rules import Rules, preset
from tavla_protocol.messages import Finding

from tests.fuzz.mutants import KINDS, XG_HEAD, XG_RECORD
from tests.fuzz.mutants_in_page import looked_at, packed
from tests.support.bombs import GZIP, bomb
from tests.support.browser.axe import axe_faults
from tests.support.browser.files import course, course_in_page, in_page
from tests.support.browser.node import ask_modules
from tests.support.browser.person import NewPerson
from tests.support.games.bgf import bgf_of
from tests.support.games.records import ALL_RULES, played, recorded
from tests.support.servers.processes import ServerProcess

FOLDER = Path(__file__).parents[1] / "data" / "foreign"
RULES = preset("tournament", {"length": 1})
FILES = ["commented-9.xg", "online-7.xg", "illegal-play-7.xg", "emberoak-5.xg", "emberoak-5.bgf"]

pytestmark = pytest.mark.slow


@functools.cache
def told(file: str) -> dict[str, Any]:
    return in_page((FOLDER / file).read_bytes())


@functools.cache
def record_of(file: str) -> Record:
    return read(FOLDER / file)


@pytest.mark.parametrize("file", FILES)
def test_it_is_the_same_match(file: str) -> None:
    found = told(file)
    assert tuple(found["players"]) == record_of(file).names
    assert course_in_page(found["told"]) == course(record_of(file))
    assert found["cut"] is None


@pytest.mark.parametrize("file", FILES)
def test_its_judge_says_the_same(file: str) -> None:
    found, record = told(file), record_of(file)
    judged = record._replace(verdicts=tuple(Finding(*one) for one in found["findings"]))
    marks, others = (
        {(one.game, one.turn, one.seat, round(one.loss, 2)) for all_ in marks_of(each).values() for one in all_}
        for each in (judged, record)
    )
    assert marks == others
    by, words = record.tags["Judgement"].split(": ")
    assert found["analysis"]["by"] == by
    ratings = [float(part.rsplit(" ", 1)[1]) for part in words.split(", ")]
    # The other reader counts a play too whose ten best are alike, if there is a worse one: one of 187 decisions.
    assert found["analysis"]["ratings"] == pytest.approx(ratings, abs=0.1)


def test_a_match_of_bgblitz_is_as_its_site_has_written_it() -> None:
    """Its players in their order, too, where the terminal's reader has that of the alphabet."""
    found, right = told("fox-money.bgf"), read(FOLDER / "fox-money.mat")
    assert (tuple(found["players"]), found["cut"]) == (right.names, None)
    assert course_in_page(found["told"]) == course(right)
    assert found["analysis"]["ratings"] == pytest.approx([12.17, 15.78], abs=0.01)
    assert found["analysis"]["luck"] == pytest.approx([-0.80, 0.56], abs=0.01)


DATA = FOLDER.parent
WRITTEN = sorted(
    [*DATA.glob("field/*"), *DATA.glob("matches/*.mat"), *DATA.glob("matches/*.sgf"), *FOLDER.glob("*.ogxm")]
)


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.name)
def test_a_file_of_any_program_is_the_same_match(file: Path) -> None:
    found, record = in_page(file.read_bytes()), read(file)
    assert (tuple(found["players"]), found["cut"]) == (record.names, None)
    assert found["hasMore"] == any(note.startswith("a second match") for note in record.notes)
    assert course_in_page(found["told"]) == course(record)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_matches_by_all_rules_come_back(rules: Rules, suffix: str) -> None:
    record = of_server(recorded(rules, played(rules, 1, games=2)))
    try:
        content = WRITERS[suffix](record)
    except BadFile:
        return  # the format cannot tell it
    found, again = in_page(content if isinstance(content, bytes) else content.encode()), parse(content)
    assert course_in_page(found["told"]) == course(again)
    usual = plain_rules(preset("tournament"))
    told = {name: found["rules"].get(name, usual[name]) for name in usual}
    untold = {"hints", "rated", "delay_s", "reserve_s"} if suffix != ".json" else set()
    differ = {name for name, value in plain_rules(again.start.rules).items() if told[name] != value}
    assert differ <= untold


def test_what_is_damaged_is_read_up_to_there() -> None:
    text = (DATA / "field" / "galaxy-losses-alone.mat").read_text()
    found = in_page(text.replace("61: 13/7 8/7", "61: 13/7 8/2").encode())
    assert found["cut"] == {"game": 1, "turn": 3}


def test_the_judge_of_a_file_stays_with_it() -> None:
    record = record_of("commented-9.xg")
    found = in_page(as_json(record).encode())
    assert found["analysis"]["by"] == "eXtreme Gammon"
    assert len(found["findings"]) == len(record.verdicts)
    assert found["analysis"]["ratings"] == [6.51, 6.78]
    assert found["analysis"]["luck"] == [None, None], "which is not in the file"
    losses = [sum(one.loss for one in record.verdicts if one.seat == seat) for seat in (0, 1)]
    assert found["analysis"]["lost"] == pytest.approx(losses)


def test_dice_that_are_none_end_the_reading_at_once() -> None:
    """A checker that went 67 million points far would keep the page for minutes."""
    data = KINDS["xg"].seeds()[0]
    play = next(at for at in range(XG_HEAD, len(data), XG_RECORD) if data[at + 8] == 3)
    for dice, is_match in ((data[play + 100 : play + 108], True), (struct.pack("<2i", -67_240_960, 512), False)):
        changed = packed(data[: play + 100] + dice + data[play + 108 :])
        ((told, fault, ms),) = looked_at([changed])
        assert (told, fault, ms < 60_000) == (is_match, "", True)


BGF = b'{"format":"BGF","version":"1.0","compress":true,"useSmile":true}\n'
TREE = b":)\n\x01"
HOSTILE: dict[str, Callable[[], bytes]] = {  # made when they are wanted
    "bomb": lambda: BGF + bomb(128, TREE),
    "gzip bomb": lambda: BGF + bomb(128, TREE, GZIP),
    "deep": lambda: BGF + TREE + b"\xf8" * 1_000_000,
    "three million values": lambda: BGF + TREE + b"\xf8" + b"\xc0" * 3_000_000 + b"\xf9",
    "a text without an end": lambda: BGF + TREE + b"\xfa\x80a\xe0" + b"x" * 1000,
    "a number without an end": lambda: BGF + TREE + b"\x24" + b"\x7f" * 1000,
    "no tree": lambda: BGF,
    "no match": lambda: BGF + TREE + b"\xfa\xfb",
    "cut": lambda: (FOLDER / "emberoak-5.bgf").read_bytes()[:40_000],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_of_bgblitz_that_lies_is_refused(name: str) -> None:
    ((is_match, fault, ms),) = looked_at([HOSTILE[name]()])
    assert (is_match, fault, ms < 60_000) == (False, "", True)


def test_names_outside_latin_1_in_a_file_of_bgblitz_are_whole() -> None:
    names = ("Ada Öz", "b" * 33)
    data = bgf_of(of_server(recorded(RULES, played(RULES, 1)))._replace(names=names))
    assert (tuple(in_page(data)["players"]), parse(data).names) == (names, names)


def test_records_of_extreme_gammon_without_an_index_are_read() -> None:
    """As HedgeHog writes them."""
    data = (FOLDER / "emberoak-5.xg").read_bytes()
    start = XG_HEAD + int.from_bytes(data[20:24], "little")
    rest = zlib.decompressobj()
    rest.decompress(data[start:])
    assert in_page(data[: len(data) - len(rest.unused_data)]) == told("emberoak-5.xg")


WRONG = [
    {"ratings": ["x", 1.0]},
    {"lost": [0.0]},
    {"luck": {}},
    {"by": 7},
]


@pytest.mark.parametrize("analysis", WRONG, ids=str)
def test_figures_of_no_shape_make_a_file_unreadable(analysis: dict[str, object]) -> None:
    rules = preset("tournament", {"length": 1})
    whole = json.loads(as_json(of_server(recorded(rules, played(rules, 1)))))
    for told, is_match in (({"by": "Sage"}, True), ({"by": "Sage", **analysis}, False)):
        data = json.dumps(whole | {"analysis": told, "findings": []}).encode().hex()
        assert ask_modules("changed", [[data]])[0][0][:2] == [is_match, ""]


DROP = """([bytes, name, kind]) => {
  const given = new DataTransfer();
  given.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt())], name));
  const event = kind === "drop" ? new DragEvent("drop", { dataTransfer: given, cancelable: true })
    : new ClipboardEvent("paste", { clipboardData: given, cancelable: true });
  dispatchEvent(event);
}"""


def test_a_file_is_reviewed_without_an_account(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url, judges=False)
    eve.open("/review")
    chooser = eve.page.get_by_label("Matches of any program")
    file = FOLDER / "commented-9.xg"
    whole = file.read_bytes()
    for number, data in enumerate(
        (b"RGMH no match", whole[:50_000], whole[:9000] + bytes(9) + whole[9009:], whole * 60)
    ):
        chooser.set_input_files({"name": f"{number}.xg", "mimeType": "", "buffer": data})
        expect(eve.page.get_by_role("alert")).to_contain_text(f"{number}.xg cannot be read")
    assert axe_faults(eve) == []
    for way in ("drop", "paste", "chosen"):
        eve.open("/review")
        expect(chooser).to_be_attached()
        if way == "chosen":
            chooser.set_input_files(file)
        else:
            eve.page.evaluate(DROP, [base64.b64encode(whole).decode(), file.name, way])
        expect(eve.page.locator(".decision .count")).to_have_text(re.compile("^Decision 1 of "))
        expect(eve.page.locator(".review .status")).to_contain_text("Bob Çelik wins the match, 9 – 4")
    expect(eve.page.locator(".by")).to_contain_text("eXtreme Gammon")
    ratings = eve.page.locator(".summary tbody td:nth-last-child(4)").all_text_contents()
    assert ratings[:2] == ["6.6", "6.8"]
    eve.press("Next mistake")
    expect(eve.page.locator(".decision")).to_contain_text("Better, by eXtreme Gammon: 18/14* 6/1*")
    assert axe_faults(eve) == []


def test_the_mistakes_of_one_player_are_sifted_and_the_way_to_the_reviews_leads_to_the_next_file(
    person: NewPerson, server: ServerProcess
) -> None:
    eve = person(server.url, judges=False)
    eve.open("/review")
    eve.page.get_by_label("Matches of any program").set_input_files(FOLDER / "emberoak-5.bgf")
    rows = eve.page.locator(".decisions .row")
    expect(rows).not_to_have_count(0)
    found = []
    for seat, name in enumerate(("Emberoak05", "Jade1")):
        one = eve.page.get_by_label(f"Only mistakes of {name}")
        others = eve.page.locator(f".decisions td:nth-child({3 - seat}) .row")
        one.check()
        expect(others).to_have_count(0)
        found.append(rows.count())
        eve.press("Next mistake")
        expect(eve.page.locator(".decision h2")).to_have_text(re.compile(f"^{name} "))
        one.uncheck()
        expect(others).not_to_have_count(0)
    assert found[0] > found[1] > 0
    eve.page.get_by_role("link", name="Review", exact=True).click()
    eve.page.get_by_label("Matches of any program").set_input_files(FOLDER / "online-7.xg")
    expect(eve.page.locator(".review .status")).to_contain_text("ada wins the match, 7 – 2")
    expect(eve.button("Next mistake")).to_be_disabled()  # both played without one


def test_of_several_files_one_chooses(person: NewPerson, server: ServerProcess, tmp_path: Path) -> None:
    eve = person(server.url, judges=False)
    eve.open("/review")
    chooser = eve.page.get_by_label("Matches of any program")
    files = {file: (FOLDER / file).read_bytes() for file in FILES}
    files |= {"bad.xg": b"RGMH no match", "notes.txt": b"mine"}
    chooser.set_input_files([FilePayload(name=name, mimeType="", buffer=data) for name, data in files.items()])
    expect(eve.page.get_by_role("alert")).to_contain_text("bad.xg cannot be read")
    rows = eve.page.get_by_role("list", name="Matches in these files").get_by_role("listitem")
    expect(rows).to_have_text([re.compile(rf"·\s*{re.escape(file)}$") for file in FILES])
    expect(rows.first).to_contain_text("PR 6.6 / 6.8")
    assert [one.url.endswith("/reader.js") for one in eve.page.workers] == [True], "the page is free meanwhile"
    assert axe_faults(eve) == []
    rows.first.get_by_role("button").click()
    expect(eve.page.locator(".review .status")).to_contain_text("Bob Çelik wins the match, 9 – 4")
    eve.press("Back to the files")
    expect(rows).to_have_count(len(FILES))
    for file in FILES:
        (tmp_path / file).write_bytes((FOLDER / file).read_bytes())
    eve.page.get_by_label("Or all of a folder").set_input_files(tmp_path)
    expect(rows).to_have_count(len(FILES))
    expect(eve.page.get_by_role("alert")).to_have_count(0)


def test_what_is_pasted_is_a_match_or_positions(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    paste = """text => {
      const given = new DataTransfer();
      given.setData("text/plain", text);
      dispatchEvent(new ClipboardEvent("paste", { clipboardData: given, cancelable: true }));
    }"""
    eve.open("/review")
    expect(eve.page.get_by_label("Matches of any program")).to_be_attached()
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
    eve.page.evaluate(paste, f"{xgid}\n\nX:Ada   O:Bob\nScore is X:0 O:0. Unlimited Game")
    positions = eve.page.get_by_role("list", name="Positions in them")
    expect(positions.get_by_role("link")).to_have_text([xgid])
    eve.page.evaluate(paste, "a few words")
    expect(eve.page.get_by_role("alert")).to_contain_text("What was pasted cannot be read")
    expect(eve.page.get_by_role("alert")).to_contain_text("tavla replay FILE")
    eve.page.evaluate(paste, (DATA / "field" / "two-matches-in-one.mat").read_text())
    expect(eve.page.locator(".review .status")).to_contain_text("Another match follows in the file")
    expect(eve.page.locator(".decision .count")).to_have_text(re.compile("^Decision 1 of "))
