"""The page's own reader of `.xg`, beside the reader of the package `gammonview`, over real files; and its review."""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, expect
from tavla_cli.records.files import read
from tavla_cli.records.marks import marks_of
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_protocol.messages import Finding

from tests.support.browser.chromium import Person, axe_faults
from tests.support.browser.node import ask_modules, need_node
from tests.support.servers.processes import ServerProcess

FOLDER = Path(__file__).parents[1] / "data" / "foreign"
NewPerson = Callable[..., Person]
FILES = ["commented-9", "online-7", "illegal-play-7"]


@pytest.fixture(autouse=True)
def node() -> str:
    return need_node()


def told(file: str) -> dict[str, Any]:
    found: dict[str, Any] = ask_modules("xg", [(FOLDER / f"{file}.xg").read_bytes().hex()])[0]
    return found


def course(file: str) -> list[Any]:
    """The match after each event that changes it, as the other reader has it."""
    record = read(FOLDER / f"{file}.xg")
    match, states = record.start, list[Any]()
    for event in record.events:
        match = apply(match, event)
        match event:
            case e.Moved(seat, moves) if moves:
                states.append(["moved", seat, [[*row] for row in match.board]])
            case e.Doubled(seat) | e.Taken(seat):
                states.append([type(event).__name__.lower(), seat])
            case e.GameEnded(winner, points, _, ending):
                states.append(["game_ended", winner, points, ending.value])
            case e.MatchEnded(winner):
                states.append(["match_ended", winner])
    return states


def course_in_page(told: list[Any]) -> list[Any]:
    """The same as the page has it."""
    states = list[Any]()
    for what, facts, rows in told:
        if what == "moved" and facts[1]:
            states.append([what, facts[0], rows])
        elif what in ("doubled", "taken", "match_ended"):
            states.append([what, facts[0]])
        elif what == "game_ended":
            states.append([what, facts[0], facts[1], facts[3]])
    return states


@pytest.mark.parametrize("file", FILES)
def test_it_is_the_same_match(file: str) -> None:
    found = told(file)
    assert tuple(found["players"]) == read(FOLDER / f"{file}.xg").names
    assert course_in_page(found["told"]) == course(file)
    assert found["cut"] is None


@pytest.mark.parametrize("file", FILES)
def test_its_judge_says_the_same(file: str) -> None:
    found, record = told(file), read(FOLDER / f"{file}.xg")
    judged = record._replace(verdicts=tuple(Finding(*one) for one in found["findings"]))
    marks, others = (
        {(one.game, one.turn, one.seat, round(one.loss, 2)) for all_ in marks_of(each).values() for one in all_}
        for each in (judged, record)
    )
    assert marks == others
    words = record.tags["Judgement"].removeprefix("eXtreme Gammon: ")
    ratings = [float(part.rsplit(" ", 1)[1]) for part in words.split(", ")]
    # The other reader counts a play too whose ten best are alike, if there is a worse one: one of 187 decisions.
    assert found["analysis"]["ratings"] == pytest.approx(ratings, abs=0.1)


DROP = """([bytes, name, kind]) => {
  const given = new DataTransfer();
  given.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt())], name));
  const event = kind === "drop" ? new DragEvent("drop", { dataTransfer: given, cancelable: true })
    : new ClipboardEvent("paste", { clipboardData: given, cancelable: true });
  dispatchEvent(event);
}"""


@pytest.mark.slow
def test_a_file_is_reviewed_without_an_account(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    eve.open("/review")
    chooser = eve.page.get_by_label("A match of eXtreme Gammon")
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


def test_of_several_files_one_chooses(person: NewPerson, server: ServerProcess, tmp_path: Path) -> None:
    eve = person(server.url)
    eve.open("/review")
    chooser = eve.page.get_by_label("A match of eXtreme Gammon")
    files = {f"{file}.xg": (FOLDER / f"{file}.xg").read_bytes() for file in FILES}
    files |= {"bad.xg": b"RGMH no match", "notes.txt": b"mine"}
    chooser.set_input_files([FilePayload(name=name, mimeType="", buffer=data) for name, data in files.items()])
    expect(eve.page.get_by_role("alert")).to_contain_text("bad.xg cannot be read")
    rows = eve.page.get_by_role("list", name="Matches in these files").get_by_role("listitem")
    expect(rows).to_have_text([re.compile(rf"·\s*{file}\.xg$") for file in FILES])
    expect(rows.first).to_contain_text("PR 6.6 / 6.8")
    assert axe_faults(eve) == []
    rows.first.get_by_role("button").click()
    expect(eve.page.locator(".review .status")).to_contain_text("Bob Çelik wins the match, 9 – 4")
    eve.press("Back to the files")
    expect(rows).to_have_count(len(FILES))
    for file in FILES:
        (tmp_path / f"{file}.xg").write_bytes((FOLDER / f"{file}.xg").read_bytes())
    eve.page.get_by_label("Or all of a folder").set_input_files(tmp_path)
    expect(rows).to_have_count(len(FILES))
    expect(eve.page.get_by_role("alert")).to_have_count(0)
