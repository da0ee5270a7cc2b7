"""The lesson, the rules, the glossary and the options: what they accept and say, and one walk through all of it."""

import re
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import expect
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_engine.rules import CLOCKS, PRESETS, STARTS

from tests.support.browser.axe import axe_faults
from tests.support.browser.node import ask_modules
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess

LANGUAGES = ["en", "tr"]
LINK = re.compile(r"\[[^\]]+\]\(([\w-]+)\)")


# --- steps as data, and texts ---


@pytest.fixture(scope="module")
def steps() -> list[dict[str, Any]]:
    (found,) = ask_modules("lesson", [""])
    return list(found)


@pytest.fixture(scope="module")
def said() -> dict[str, dict[str, Any]]:
    return dict(zip(LANGUAGES, ask_modules("learning", LANGUAGES), strict=True))


def test_each_step_can_be_played_by_the_engines_rules_and_only_what_it_is_about_is_accepted(
    steps: list[dict[str, Any]], said: dict[str, dict[str, Any]]
) -> None:
    for step, found in zip(steps, ask_modules("lesson", [one["key"] for one in steps]), strict=True):
        before = position_of(found["before"])
        assert [sum(row) for row in before] == [15, 15], step["key"]
        assert not any(before.mine[point] and before.theirs[25 - point] for point in range(1, 25)), step["key"]
        bad = {language: said[language]["steps"][step["key"]].get("bad") for language in LANGUAGES}
        if step["what"] == "play":
            ends = {position_of(end): end["isReached"] for end in found["ends"]}
            assert set(ends) == set(legal_plays(before, tuple(step["dice"]))), step["key"]
            assert any(ends.values()), step["key"]
            is_strict = not all(ends.values())
            assert is_strict == bool(step["goal"]), step["key"]
            assert all(bool(bad[language]) == is_strict for language in LANGUAGES), step["key"]
        else:
            assert all(bool(bad[language]) == (step["what"] != "look") for language in LANGUAGES)


def position_of(rows: dict[str, Any]) -> Position:
    return Position(bytes(rows["mine"]), bytes(rows["theirs"]))


START = {24: 2, 13: 5, 8: 3, 6: 5}
HOME = {6: 3, 4: 2, 1: 1, 0: 9}
WALL = {18: 2, 17: 2, 16: 2, 6: 9}
REFUSED: list[tuple[dict[int, int], dict[int, int], list[int], int | None, int, str]] = [
    # mine, theirs, dice, from (None: it was to be chosen), to, why not
    (START, START, [5, 5], None, 24, "stuck"),
    (START, START, [5, 5], 24, 19, "closed"),
    (START, START, [3, 1], None, 19, "theirs"),
    (START, START, [3, 1], None, 20, "empty"),
    (START, START, [3, 1], 13, 14, "back"),
    (START, START, [3, 1], 13, 11, "far"),
    (START, START, [3, 1], None, 0, "home"),
    (START, START, [3, 1], 6, 0, "home"),
    ({25: 1, 13: 5, 8: 4, 6: 5}, START, [3, 1], None, 13, "bar"),
    ({25: 1, 13: 5, 8: 4, 6: 5}, START, [3, 1], 13, 10, "bar"),
    (HOME, START, [5, 4], 1, 0, "higher"),
    (HOME, START, [3, 1], 6, 0, "short"),
    ({13: 2, 6: 13}, WALL, [6, 5], 13, 2, "way"),
    ({7: 1, 1: 2, 0: 12}, {24: 2, 13: 13}, [6, 1], 1, 0, "home"),
    ({13: 1, 6: 9, 0: 5}, {23: 2, 24: 2, 1: 11}, [6, 5], 13, 8, "larger"),
    ({25: 2, 13: 5, 6: 8}, START, [3, 1], 25, 21, "bar"),
    (START, START, [], None, 13, "done"),
]


def test_a_move_that_is_not_allowed_is_told_why() -> None:
    def row(checkers: dict[int, int]) -> list[int]:
        return [checkers.get(point, 0) for point in range(26)]

    questions = [
        {"mine": row(mine), "theirs": row(theirs), "dice": dice, "from": start, "to": end}
        for mine, theirs, dice, start, end, _ in REFUSED
    ]
    found = [answer["why"] for answer in ask_modules("refused", questions)]
    assert found == [why for *_, why in REFUSED]
    board = {"mine": row(START), "theirs": row(START), "dice": [3, 1]}
    typed = ["8/5 8/6", "24/19", "7/6", "hello", "13", "6/5(2)", "13/10/9/8"]
    answers = ask_modules("refused", [board | {"typed": words} for words in typed])
    assert [answer and answer["why"] for answer in answers] == ["far", "closed", "empty", None, None, "far", "done"]


@pytest.mark.slow
def test_every_link_leads_somewhere_and_every_game_and_option_is_explained(
    steps: list[dict[str, Any]], said: dict[str, dict[str, Any]]
) -> None:
    for language, texts in said.items():
        assert set(texts["steps"]) == {step["key"] for step in steps}
        places = set(texts["glossary"]) | {f"rules-{game}" for game in texts["games"]}
        links = [*LINK.findall(str(texts)), *(anchor for _, anchor in texts["options"].values() if anchor)]
        assert links
        assert set(links) <= places, language
        assert not re.search(r"\]\s*\(|\)\[", LINK.sub("", str(texts["steps"]))), language
    texts = said["en"]
    assert {str(variant) for variant in STARTS} <= set(texts["games"])
    assert {name for name, preset in PRESETS.items() if not preset.rules.backgammons} <= set(texts["games"])
    wanted = [f"preset.{name}" for name in PRESETS] + [f"clock.{name}" for name in CLOCKS]
    assert {*wanted, *(f"variant.{variant}" for variant in STARTS)} <= set(texts["options"])
    for name, (free, reserve) in list(CLOCKS.items())[1:]:
        told = texts["options"][f"clock.{name}"][0]
        assert [int(number) for number in re.findall(r"\d+", told)] == [
            free,
            reserve if reserve < 60 else reserve // 60,
        ]


# --- in the browser ---


class Words(NamedTuple):
    """Texts on the way, in one language: buttons, and what stands before a play that is told."""

    roll: str
    double: str
    done: str
    onward: tuple[str, str]
    way: str
    hits: str


WORDS = {
    "en": Words("Roll", "Double", "Done", ("Next", "Finish"), "One way: ", " hits"),
    "tr": Words("Zar at", "Katla", "Tamam", ("İleri", "Bitir"), "Bir yolu: ", " kırar"),
}
BY_ARROWS = "Make a point"  # the step that is played by arrows and Enter; plays of the others are typed


def offers(person: Person, *names: str) -> bool:
    """True if there is a button of one of these names that can be pressed."""
    return any(person.page.get_by_role("button", name=one, exact=True, disabled=False).count() for one in names)


def walk_to(person: Person, key: str, name: str) -> None:
    """Press a key until what has the focus is called so, or begins so."""
    for _ in range(40):
        if person.focused().startswith(name):
            return
        person.page.keyboard.press(key)
    raise AssertionError(f"no way to {name!r} by {key}")


def learn(person: Person, words: Words) -> None:
    """Do one step by keys alone: the task is asked for, heard, and done."""
    keys = person.page.keyboard
    if not offers(person, *words.onward):
        if offers(person, words.roll) and not offers(person, words.double):
            keys.press("r")
        keys.press("h")
        expect(person.said).to_have_text(re.compile(f"^{words.way}"))
        way = str(person.said.text_content()).removeprefix(words.way).removesuffix(".")
        if way == words.double:
            keys.press("d")
        elif offers(person, way):  # what Black offers is answered by buttons
            walk_to(person, "Shift+Tab", way)
            keys.press("Enter")
        else:
            make_turn(person, way.replace(words.hits, ""))
            assert offers(person, words.done)
            keys.press("d")
        expect(person.page.get_by_role("button", name=re.compile("^(" + "|".join(words.onward) + ")$"))).to_be_focused()
    keys.press("Enter")


def make_turn(person: Person, play: str) -> None:
    """A play, as it is written; without a number in it: no checker can move."""
    keys = person.page.keyboard
    if person.page.get_by_role("heading", name=BY_ARROWS).count():
        walk_to(person, "Shift+Tab", "6 point, 5 yours, can move")
        for move in play.split():
            for point, key in zip(move.split("/"), ("ArrowLeft", "ArrowRight"), strict=True):
                walk_to(person, key, f"{point} point")
                keys.press("Enter")
    elif re.search(r"\d", play):
        keys.type(play)
        keys.press("Enter")


@pytest.mark.long
def test_the_lesson_is_walked_through_by_keys_and_what_is_heard_up_to_a_first_match(
    person: NewPerson, server: ServerProcess, computer: str, steps: list[dict[str, Any]]
) -> None:
    """From the first page to the first match: half of the lesson in English, the rest in Turkish."""
    ada = person(server.url)
    ada.open()
    walk_to(ada, "Tab", "Learn to play")
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("heading", level=2, name="The way home")).to_be_visible()  # the start has several
    titles = []
    for index in range(len(steps)):
        if index == len(steps) // 2:
            walk_to(ada, "Shift+Tab", "Settings")
            ada.page.keyboard.press("Enter")
            walk_to(ada, "Tab", "Language")
            ada.page.keyboard.type("T")
            expect(ada.button("Ayarlar")).to_be_visible()
            ada.page.keyboard.press("Escape")
        titles.append(ada.page.get_by_role("heading", level=2).text_content())
        learn(ada, WORDS["en" if index < len(steps) // 2 else "tr"])
        expect(ada.page.get_by_role("heading", level=2)).not_to_have_text(str(titles[-1]))
    assert len(set(titles)) == len(steps)
    expect(ada.page.get_by_role("heading", level=2)).to_have_text("Artık oyunu biliyorsunuz")
    assert axe_faults(ada) == []
    walk_to(ada, "Tab", "Bilgisayarla oyna")
    ada.page.keyboard.press("Enter")
    expect(ada.page.locator(".player.opponent")).to_contain_text(computer)
    assert re.search("/m/[a-z0-9]+$", ada.page.url)


def test_a_finger_is_told_what_is_wrong_and_the_place_is_kept(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url, viewport={"width": 360, "height": 780}, has_touch=True)
    ada.open("/learn")
    note = ada.page.locator(".note")
    ada.press("Next")
    ada.press("Roll")
    for points, words in [
        ((24, 19), "The 19 point is closed"),
        ((13, 14), "never go back"),
        ((0,), "when all of yours"),
    ]:
        for point in points:
            ada.point(point).tap()
        expect(note).to_contain_text(words)
        expect(ada.said).to_contain_text(words)
    for point in (24, 13):
        ada.point(point).tap()
    ada.press("Done")
    expect(note).to_contain_text("eleven points")
    ada.press("Next")
    ada.press("Hit")
    for point in (24, 22, 13, 10):
        ada.point(point).tap()
    ada.press("Done")
    expect(note).to_contain_text("no blot was hit")
    assert ada.position().mine[24] == 2, "the turn is taken back"
    ada.press("Back")
    expect(ada.page.get_by_role("heading", level=2)).to_have_text("Closed points, and doubles")
    ada.open("/")
    ada.open("/learn")
    expect(ada.page.get_by_role("heading", level=2)).to_have_text("Closed points, and doubles")
    ada.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })"
    )
    ada.open("/learn")
    ada.press("Next")
    expect(ada.page.get_by_role("heading", level=2)).to_have_text("Two dice, two moves")
    ada.page.reload()
    expect(ada.page.get_by_role("heading", level=2)).to_have_text("The way home")


def test_after_three_failures_the_answer_is_shown(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url)
    ada.open("/learn")
    ada.page.evaluate("""localStorage.setItem("tavla.lesson", '{"at": "double", "reached": "double"}')""")
    ada.page.reload()
    note = ada.page.locator(".note")
    for _ in range(2):
        ada.press("Roll")
        expect(note).to_contain_text("you win three games of four")
    expect(note).not_to_contain_text("One way")
    ada.press("Roll")
    expect(note).to_contain_text("One way: Double.")


VIEWS = [("lesson", "Hit"), ("rules-tavla", "hit-and-run"), ("crawford", "Crawford"), ("options", "Clock")]
SIZES = [(360, 780), (768, 1024), (800, 360), (1440, 900)]


@pytest.mark.long
def test_all_of_it_fits_and_keeps_nobody_out(person: NewPerson, server: ServerProcess) -> None:
    """In English, light and at last on a phone; in Turkish, dark and at last on a desktop."""
    ada, eve = person(server.url), person(server.url, locale="tr-TR", color_scheme="dark")
    for place, words in VIEWS:
        for one, sizes in ((ada, SIZES[::-1]), (eve, SIZES)):
            one.open(f"/learn#{place}")
            for width, height in sizes:
                one.page.set_viewport_size({"width": width, "height": height})
                assert one.page.evaluate("document.documentElement.scrollWidth") <= width, (place, width)
            assert axe_faults(one) == [], (place, sizes[-1])
        expect(ada.page.get_by_role("main")).to_contain_text(words)
    assert eve.page.evaluate("document.documentElement.lang") == "tr"
    assert eve.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(26, 25, 24)"
    ada.open("/learn#crawford")
    expect(ada.page.locator(".glossary .current")).to_be_in_viewport()
