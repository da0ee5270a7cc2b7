"""A position that is set up: pasted, carried together, judged, kept in the address, and played on."""

import re

from playwright.sync_api import expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.lobby import dialog, fits
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess

CLOSE = "XGID=--BBCCDA---------bbbbdb-a-:0:0:1:00:0:0:0:0:10"  # a take, looked ahead; at once, just none


def test_a_pasted_position_is_judged_and_its_address_holds_it(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url, viewport={"width": 360, "height": 740})
    eve.open("/position")
    expect(eve.page.locator(".plays tbody th").first).to_have_text("8/5 6/5")
    eve.page.get_by_label("Paste an XGID").fill("no position")
    eve.press("Show")
    expect(eve.page.get_by_role("alert")).to_contain_text("This is no position")
    eve.page.get_by_label("Paste an XGID").fill(CLOSE)
    eve.press("Show")
    expect(eve.page.get_by_role("row", name="Double, take").get_by_text("best")).to_be_visible()
    expect(eve.page.get_by_text("Black needs")).to_have_count(0)
    eve.page.get_by_label("Paste an XGID").fill("4HPwATDgc/ABMA")
    eve.press("Show")
    expect(eve.page.locator(".plays.cubed .hidden")).to_have_count(0)
    expect(eve.page.get_by_text("No double")).to_be_visible()
    expect(eve.page.get_by_text(re.compile("Black needs .* to take, .* A double is right from"))).to_be_visible()
    for label, die in (("First die", "6"), ("Second die", "1")):
        eve.page.get_by_label(label).select_option(die)
    expect(eve.page.locator(".plays tbody th").first).to_have_text("13/7 8/7")
    assert axe_faults(eve) == []
    assert eve.page.evaluate("document.documentElement.scrollWidth") <= 360
    eve.page.reload()
    expect(eve.page.locator(".plays tbody th").first).to_have_text("13/7 8/7")


def test_the_cube_is_told_with_its_place_on_every_board(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url, judges=False)
    eve.open("/position")
    expect(eve.page.get_by_role("img", name="Cube at 1, in the middle.")).to_be_visible()
    for cube, words in ((":2:1:", "Cube at 4, yours."), (":1:-1:", "Cube at 2, the opponent's.")):
        eve.page.get_by_label("Paste an XGID").fill(f"XGID=-b----E-C---eE---c-e----B-{cube}1:31:0:0:0:5:10")
        eve.press("Show")
        expect(eve.page.get_by_role("img", name=words)).to_be_visible()
    eve.open()
    expect(eve.page.locator(".live .board [aria-label^='Cube at 1, in the middle']")).to_have_count(1)


def test_checkers_are_carried_where_they_shall_lie(person: NewPerson, server: ServerProcess) -> None:
    """By drag and by tap, of either side; not onto checkers of the other one."""
    eve = person(server.url, judges=False)
    eve.open("/position")

    def stands(board: str) -> None:
        expect(eve.page.get_by_label("Paste an XGID")).to_have_value(re.compile(f"^XGID={board}:"))

    stands("-b----E-C---eE---c-e----B-")
    for tapped in (6, 12, 6, 5):  # theirs is in the way at 12; then it is chosen again
        eve.point(tapped).click()
    stands("-b---AD-C---eE---c-e----B-")
    eve.point(1).drag_to(eve.point(2))
    stands("-aa--AD-C---eE---c-e----B-")
    eve.point(8).drag_to(eve.point(0))
    stands("-aa--AD-B---eE---c-e----B-")
    eve.page.get_by_label("On roll").select_option("Black")
    expect(eve.page.locator(".decision h2")).to_have_text("Black to play 3-1")
    assert axe_faults(eve) == []


START = "-b----E-C---eE---c-e----B-"
# Of the first position: what is chosen in which field, and the XGID after its board then.
MATCH: list[tuple[str, str | bool, str]] = [
    ("Match", "5", "0:0:1:31:0:0:0:5:10"),
    ("Points of White", "4", "0:0:1:31:4:0:0:5:10"),
    ("Crawford game", True, "0:0:1:31:4:0:1:5:10"),
    ("The cube is", "1", "1:-1:1:31:4:0:0:5:10"),
    ("Cube", "4", "2:-1:1:31:4:0:0:5:10"),
    ("Match", "3", "2:-1:1:31:2:0:0:3:10"),
    ("The cube is", "-1", "0:0:1:31:2:0:0:3:10"),
    ("Cube", "2", "1:1:1:31:2:0:0:3:10"),
    ("Match", "0", "1:1:1:31:0:0:0:0:10"),
    ("Jacoby rule", True, "1:1:1:31:0:0:1:0:10"),
    ("Beavers", True, "1:1:1:31:0:0:3:0:10"),
    ("First die", "0", "1:1:1:00:0:0:3:0:10"),
    ("A double is offered", True, "1:1:1:D:0:0:3:0:10"),
    ("On roll", "1", "1:1:-1:00:0:0:3:0:10"),
]


def test_score_cube_and_rules_are_chosen_and_what_cannot_be_together_gives_way(
    person: NewPerson, server: ServerProcess
) -> None:
    eve = person(server.url, judges=False, viewport={"width": 390, "height": 844})
    eve.open("/position")
    eve.page.get_by_text("Score and cube", exact=True).click()
    for label, value, xgid in MATCH:
        chosen = eve.page.locator("form.set").get_by_label(re.compile(f"^{label}"))
        if isinstance(value, bool):
            chosen.set_checked(value)
        else:
            chosen.select_option(value)
        expect(eve.page.get_by_label("Paste an XGID")).to_have_value(f"XGID={START}:{xgid}")
    expect(eve.page.get_by_label("A double is offered")).to_have_count(0)
    fits(eve)
    eve.page.reload()
    eve.page.get_by_text("Score and cube", exact=True).click()
    expect(eve.page.get_by_label("Beavers")).to_be_checked()


PLAYED_ON: list[tuple[str, list[int | str], str]] = [  # position, what is pressed or tapped, how it ends
    ("-A----------------------b-:0:0:1:00:0:0:0:0:10", ["Double"], "White wins 1 point: the double was dropped."),
    ("-A----------------------b-:0:0:1:31:0:0:0:0:0", [1, 0, "Done"], "White played 1/off. White wins 1 point."),
    ("------N-------------A---a-:0:0:-1:00:0:0:0:0:0", [], "Black played 1/off. Black wins 3 points (backgammon)."),
]


def test_a_position_is_played_on_against_the_evaluator(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    for position, does, ending in PLAYED_ON:
        eve.open("/learn")
        eve.open(f"/position#XGID={position}")
        eve.button("Play on from here").press("Enter")
        expect(eve.page.locator("[data-point]:focus"), "one goes on by keys from where one was").to_have_count(1)
        for what in does:
            if isinstance(what, str):
                eve.press(what)
            else:
                eve.point(what).click()
        expect(eve.page.locator(".legend[role=status]")).to_have_text(re.compile(re.escape(ending) + "$"))
        assert axe_faults(eve) == []
    expect(eve.page.get_by_label("Your last decision")).to_have_count(0)
    eve.button("Back to the position").press("Enter")
    expect(eve.page.get_by_label("On roll")).to_have_value("1")
    expect(eve.page.locator(".board [data-point]:focus")).to_have_count(1)


def test_each_decision_is_judged_while_the_game_goes_on(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    eve.open("/position")
    eve.page.get_by_role("button", name="Play on from here").click()
    for point in (13, 10, 10, 9):  # of a 3-1; 8/5 6/5 is far better
        eve.point(point).click()
    eve.press("Done")
    verdict = eve.page.get_by_label("Your last decision")
    expect(verdict.locator(".deed")).to_have_text(re.compile(r"^13/9 ?Blunder .*cost 0\.2"))
    expect(verdict.locator("tr.best th")).to_have_text(re.compile("^8/5 6/5"))
    eve.press("No double")
    expect(verdict.locator(".deed")).to_have_text(re.compile("^No double"))


def test_two_at_one_screen_play_a_game_and_the_board_turns_to_each(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url, judges=False)
    eve.open()
    eve.press("More options…")
    dialog(eve).get_by_label("Against").select_option("here")
    expect(dialog(eve).get_by_label("Clock")).to_have_count(0)
    dialog(eve).get_by_label("Match").select_option("3")
    assert axe_faults(eve) == []
    dialog(eve).get_by_role("button", name="Play").click()
    line = eve.page.locator(".legend[role=status]")
    expect(line).to_have_text(re.compile(r"^(White|Black) begins, [2-6] against [1-5]\. "))
    first = line.inner_text().split()[0]
    second = {"White": "Black", "Black": "White"}[first]
    assert axe_faults(eve) == []
    for name, other in ((first, second), (second, first)):
        eve.make_turn()
        expect(line).to_have_text(re.compile(f"^{name} (played|could not)"))
        expect(line).to_contain_text(re.compile("double", re.IGNORECASE))
        eve.press("No double")
        expect(line).to_have_text(re.compile(f"^{other} rolled"))
        assert sum(eve.position().mine) == 15
    _drop_until_crawford(eve)
    eve.press("A new match")
    expect(eve.page.locator(".score")).to_have_text("3 points · White 0 – 0 Black")


TO_THE_END = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const tap = which => [...document.querySelectorAll("[data-point]" + which)].at(-1)?.dispatchEvent(
        new MouseEvent("click", { bubbles: true }));
    const button = name => [...document.querySelectorAll("main button")].find(one => one.textContent === name);
    for (; !button("Review"); await frame()) {
        if (button("Done")?.disabled === false) button("Done").click();
        else tap(document.querySelector("[data-point].goal") ? ".goal" : ".source");
    }
}"""


def test_two_at_one_screen_play_on_a_board_that_stays_and_review_their_match(
    person: NewPerson, server: ServerProcess
) -> None:
    eve = person(server.url, judges=False)
    eve.open("/position?two=1")
    eve.page.get_by_label("The board turns to whoever is to play").uncheck()
    line = eve.page.locator(".legend[role=status]")
    first = line.inner_text().split()[0]
    for name in (first, {"White": "Black", "Black": "White"}[first]):
        before = _pips(eve)
        while not eve.button("Done").is_enabled():
            eve.move_a_checker()
        eve.press("Done")
        expect(line).to_have_text(re.compile(f"^{name} "))
        assert _pips(eve)[name] < before[name] or "could not" in line.inner_text(), "White stays at the bottom"
    assert axe_faults(eve) == []
    eve.page.evaluate(TO_THE_END)
    winner = line.inner_text().split()[0]
    eve.press("Review")
    expect(eve.page.locator(".decision .count")).to_have_text(re.compile("^Decision 1 of "))
    expect(eve.page.locator(".review .status")).to_contain_text(f"{winner} wins the match, ")
    eve.press("Review together")
    expect(eve.page.get_by_role("dialog")).to_contain_text("not the file itself")


ROLLS = """dice => {
    const chance = Math.random;
    Math.random = () => dice.length ? (dice.shift() - 0.5) / 6 : chance();
}"""
BOTH_ON_THE_BAR = [  # a roll, and from which point to which a checker is tapped, as White counts
    ([6, 4], [(24, 18), (24, 20)]),
    ([3, 1], [(17, 18), (17, 20)]),
    ([6, 5], [(25, 20)]),
]
MARKED = """() => {
    const middle = one => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const at = middle(document.querySelector(".target circle"));
    const blots = [...document.querySelectorAll(".checker.mine .body")].map(middle);
    return Math.min(...blots.map(blot => Math.hypot(blot[0] - at[0], blot[1] - at[1])));
}"""


def test_on_a_board_that_stays_who_sits_at_the_top_moves_own_checkers(person: NewPerson, server: ServerProcess) -> None:
    """With checkers of both on the bar; the blot that is hit lies under the mark."""
    eve = person(server.url, judges=False)
    eve.open("/position?two=1")
    eve.page.get_by_label("The board turns to whoever is to play").uncheck()
    eve.page.evaluate(ROLLS, [die for roll, _ in BOTH_ON_THE_BAR for die in roll] + [3, 1])
    eve.press("A new match")
    for _, steps in BOTH_ON_THE_BAR:
        for start, goal in steps:
            eve.point(start).click()
            eve.point(goal).click()
        eve.press("Done")
    expect(eve.point(25)).to_have_attribute("aria-label", re.compile("1 yours.* 1 "))
    eve.point(25).click()
    expect(eve.page.locator(".lifted")).to_have_class(re.compile("theirs"))
    eve.page.keyboard.press("Escape")
    eve.point(25).drag_to(eve.point(3))
    expect(eve.point(3)).to_have_attribute("aria-label", re.compile("1 theirs"))
    eve.point(19).click()
    assert eve.targets() == [20]
    assert eve.page.evaluate(MARKED) < 1
    expect(eve.page.locator(".stones ~ .marks .target"), "drawn later, and so above it").to_have_count(1)
    tray, bar = (eve.point(one).bounding_box() for one in (0, 25))
    assert tray
    assert bar
    assert tray["height"] == bar["height"], "checkers of both are borne off there"


def _pips(eve: Person) -> dict[str, int]:
    """How far the checkers at the bottom, and those at the top, have to go."""
    position = eve.position()
    rows = {"White": position.mine, "Black": position.theirs}
    return {name: sum(point * count for point, count in enumerate(row)) for name, row in rows.items()}


def _drop_until_crawford(eve: Person) -> None:
    """Games of one point each, until one of the two has two of three; in the next game nobody may double."""
    score = eve.page.locator(".score")
    while "2" not in score.inner_text().removeprefix("3 points"):
        before = score.inner_text()
        eve.make_turn()
        eve.press("Double")
        eve.press("Drop")
        expect(score).not_to_have_text(before)
        assert axe_faults(eve) == []
        eve.press("Next game")
    eve.make_turn()
    expect(eve.button("Done")).to_be_visible()  # the dice are there at once
