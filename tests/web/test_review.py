"""The review of a match: what each decision has cost, what was better, and the same decision tried again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.finished import Finished, done, judge, played, until_judged
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.long

SIZES = [(360, 740), (768, 1024), (1024, 768), (1440, 900)]


@pytest.fixture(scope="module")
def match(server: ServerProcess) -> Finished:
    """A match that is long enough for mistakes, which the server has judged."""
    match = done(played(server.url, 14))
    done(judge(server, match.id))
    return match


@pytest.fixture(scope="module")
def ada(browser: Browser, server: ServerProcess, match: Finished) -> Iterator[Person]:
    """A player of the match, at its review."""
    ada = Person(browser, server.url)
    ada.open()
    ada.page.evaluate("name => localStorage.setItem('tavla.name', name)", match.name)
    ada.open(f"/m/{match.id}?review")
    until_judged(ada)
    yield ada
    ada.check()
    ada.close()


def rows(person: Person) -> Locator:
    """The decisions that are listed."""
    return person.page.locator(".row")


def current(person: Person) -> Locator:
    """The one that is looked at."""
    return person.page.locator(".row[aria-current]")


def height(part: Locator) -> float:
    """Of a part of the page, in pixels."""
    box = part.bounding_box()
    assert box
    return box["height"]


def test_a_link_to_a_decision_leads_a_guest_to_it_and_all_is_judged_without_a_server(
    person: NewPerson, server: ServerProcess
) -> None:
    match = done(played(server.url, 6))
    eve = person(server.url)
    eve.open(f"/m/{match.id}#5")
    expect(eve.page.locator(".decision .count")).to_have_text(re.compile("^Decision 5 of "))
    until_judged(eve)
    expect(eve.page.get_by_text("Judged in your browser", exact=True)).to_be_visible()
    assert eve.page.url.endswith(f"/m/{match.id}?review#5")
    ratings = eve.page.locator(".summary tbody td:nth-last-child(4)").all_text_contents()
    assert len(ratings) == 2
    assert all(float(rating) > 0 for rating in ratings), "chance plays badly"
    expect(eve.page.get_by_label("Only mistakes of ")).to_have_count(2)
    eve.open(f"/m/{match.id}")
    card = eve.page.locator(".result")
    card.get_by_text("Luck and PR").press("Enter")
    expect(card.locator(".aside")).to_be_visible()
    waited = height(card)
    expect(card.locator("tbody td:nth-child(2)")).to_have_text(ratings[::-1])
    assert abs(height(card) - waited) < 10, "the place of the figures is kept"
    eve.open(f"/m/{match.id}#6")  # in the same document
    expect(eve.page.locator(".decision .count")).to_have_text(re.compile("^Decision 6 of "))
    eve.open(f"/m/{match.id}#99999")
    expect(eve.page.get_by_text(re.compile("^There is no decision 99999: this is the last one, "))).to_be_visible()
    count, all_of_them = re.findall(r"\d+", eve.page.locator(".decision .count").inner_text())
    assert count == all_of_them
    expect(current(eve)).to_have_count(1)


def test_decisions_are_stepped_through_by_keys_buttons_and_clicks(ada: Person) -> None:
    ada.page.keyboard.press("Home")
    expect(rows(ada).first).to_have_attribute("aria-current", "step")
    ada.page.keyboard.press("ArrowRight")
    expect(rows(ada).nth(1)).to_have_attribute("aria-current", "step")
    ada.page.get_by_role("button", name="One on").click()
    expect(rows(ada).nth(2)).to_have_attribute("aria-current", "step")
    ada.page.keyboard.press("ArrowLeft")
    rows(ada).nth(3).click()
    expect(rows(ada).nth(3)).to_have_attribute("aria-current", "step")
    assert ada.page.url.endswith("#4")
    ada.page.keyboard.press("End")
    expect(rows(ada).last).to_have_attribute("aria-current", "step")


def test_a_mistake_is_shown_beside_the_best_play_with_what_each_is_worth(ada: Person) -> None:
    ada.page.keyboard.press("Home")
    ada.page.keyboard.press("n")
    expect(ada.page.locator(".decision .badge")).to_have_text(re.compile(r"^(Doubtful|Mistake|Blunder) "))
    expect(ada.page.locator(".ways .best")).not_to_have_count(0)
    expect(ada.page.locator(".ways .played")).not_to_have_count(0)
    plays = ada.page.locator(".plays tbody tr")
    assert 2 <= plays.count() <= 6
    best = [float(cell.replace("−", "-")) for cell in plays.first.locator("td").all_text_contents()]
    assert len(best) == 7, "its place, equity and five chances"
    assert 0 <= best[2] <= 100
    assert best[3] <= best[2]
    expect(ada.page.locator(".plays tr.done")).to_have_count(1)


def test_what_is_pressed_stays_in_its_place_while_decisions_of_any_height_are_looked_at(ada: Person) -> None:
    ada.page.set_viewport_size({"width": 1280, "height": 720})
    heights, places = set(), set()
    for key in ("Home", *["ArrowRight"] * 14):
        ada.page.keyboard.press(key)
        shown = ".decision", ".sift", ".stepper .main", ".decisions", ".chart:last-child"
        boxes = [ada.page.locator(which).bounding_box() for which in shown]
        card, sift, button, listed, luck = [box for box in boxes if box is not None]
        heights.add(card["height"])
        places.add((sift["y"], button["y"]))
        assert listed["y"] + listed["height"] <= luck["y"], "the one is above the other"
    assert len(heights) > 1
    assert len(places) == 1


def test_links_stay_under_the_pointer_when_the_first_judgement_comes(person: NewPerson, server: ServerProcess) -> None:
    match, eve = done(played(server.url, 2)), person(server.url)
    held: list[Route] = []
    eve.page.route("**/network.bin", lambda route: held.append(route))
    with eve.page.expect_request("**/network.bin"):
        eve.open(f"/m/{match.id}?review")
    links = [eve.page.get_by_role("link", name=name) for name in ("Were these dice fair?", "Puzzles")]
    links.append(eve.button("Next mistake"))
    before = [link.bounding_box() for link in links]
    expect(eve.page.locator(".ways .best")).to_have_count(0)
    expect(eve.page.get_by_role("img", name=re.compile(r"^Luck of the dice.*: .* –, .* –$"))).to_be_visible()
    held.pop().continue_()
    expect(eve.page.locator(".ways .best")).not_to_have_count(0)
    assert [link.bounding_box() for link in links] == before


def test_a_line_of_the_table_of_moves_breaks_between_moves_alone(ada: Person) -> None:
    ada.page.set_viewport_size({"width": 390, "height": 844})
    lines = "all => all.map(one => one.getClientRects().length)"
    moves = rows(ada).locator(".deed span").evaluate_all(lines)
    assert {*moves} == {1}
    assert len(moves) > rows(ada).count(), "some plays have several moves"
    ada.page.set_viewport_size({"width": 1280, "height": 720})


def test_only_ones_own_mistakes_are_listed_on_demand(ada: Person, match: Finished) -> None:
    everything = rows(ada).count()
    ada.page.get_by_label("Only my mistakes").check()
    mine = rows(ada).count()
    assert 0 < mine < everything
    heads = ada.page.locator(".decisions thead th").all_inner_texts()
    assert ada.page.locator(f".decisions td:nth-child({heads.index(match.name) + 1}) .row").count() == mine
    assert rows(ada).locator(".sign:not(:empty)").count() == mine
    ada.page.get_by_label("Only my mistakes").uncheck()
    expect(rows(ada)).to_have_count(everything)


def test_a_decision_is_tried_again_and_answered(ada: Person) -> None:
    """The best play that is shown, played on the board by its own notation's points."""
    ada.page.keyboard.press("Home")
    ada.page.keyboard.press("n")
    ada.page.keyboard.press("t")
    expect(ada.page.locator(".legend[role=status]")).to_have_text(re.compile("^Your turn: play "))
    expect(ada.page.locator(".ways .way")).to_have_count(0)
    ada.page.keyboard.press("n")  # as in a match
    assert ada.focused().endswith("can move")
    done = ada.page.locator(".trial").get_by_role("button", name="Done")
    while not done.is_enabled():
        point = ada.page.locator(".source").first
        point.click()
        if ada.page.locator(".goal").count():
            ada.page.locator(".goal").first.click()
    done.click()
    expect(ada.page.locator(".legend[role=status]")).to_have_text(re.compile(r"Right!| costs [\d.]+\."))
    expect(ada.page.locator(".trial .main")).to_be_focused()
    ada.page.locator(".trial").get_by_role("button", name="Try again").click()
    expect(ada.page.locator(".trial").get_by_role("button", name="Done")).to_be_disabled()
    ada.page.keyboard.press("Escape")
    expect(ada.page.locator(".ways .best")).not_to_have_count(0)


def test_a_trial_leads_on_to_the_steps_and_their_keys_hold_on_the_board_as_well(ada: Person) -> None:
    keys, count, trial = ada.page.keyboard, ada.page.locator(".decision .count"), ada.page.locator(".trial")
    keys.press("Home")
    ada.press("Try again")
    ada.press("Show the answer")
    expect(ada.button("Try again")).to_be_focused()
    keys.press("t")
    ada.point(6).focus()
    expect(trial).to_have_count(1)
    keys.press("Escape")
    expect(trial).to_have_count(0)
    before = count.inner_text()
    keys.press("ArrowLeft")
    assert count.inner_text() == before, "to the next point"
    keys.press("n")
    expect(count).not_to_have_text(before)


def test_a_match_is_saved_from_its_review(ada: Person, match: Finished) -> None:
    with ada.page.expect_download() as saved:
        ada.press("Save .mat")
    assert saved.value.suggested_filename == f"{match.id}.mat"
    assert f'; [Match "{match.id}"]' in saved.value.path().read_text()


def test_curves_have_axes_and_lead_to_their_decisions(ada: Person) -> None:
    charts = ada.page.locator(".chart svg")
    assert charts.count() == 2
    assert charts.first.locator(".tick").all_text_contents()[:5] == ["100", "75", "50", "25", "0"]
    assert re.search(r"between \d+ and \d+, \d+ at the end$", charts.first.get_attribute("aria-label") or "")
    for chart in charts.all():
        assert "L" in (chart.locator(".line").first.get_attribute("d") or "")
    box = charts.first.bounding_box()
    assert box is not None
    charts.first.click(position={"x": box["width"] - 2, "y": box["height"] / 2})  # beyond the end of the line
    expect(rows(ada).last).to_have_attribute("aria-current", "step")


@pytest.mark.parametrize("size", SIZES)
def test_it_fits_and_keeps_nobody_out(ada: Person, size: tuple[int, int]) -> None:
    ada.page.set_viewport_size({"width": size[0], "height": size[1]})
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    listed = ada.page.locator(".decisions .scroll")
    listed.locator(".row .deed").evaluate_all(
        "all => all.forEach(one => one.append(' ', ...one.cloneNode(true).childNodes))"
    )
    assert listed.evaluate("all => all.scrollWidth - all.clientWidth") == 0, (
        "both players are seen, however long a play"
    )
    for theme in ("light", "dark"):
        ada.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        assert axe_faults(ada) == [], theme


def test_a_match_that_goes_on_has_no_review_and_one_that_is_unknown_says_so(
    person: NewPerson, server: ServerProcess
) -> None:
    eve = person(server.url)
    eve.open("/m/k3v7q2xa?review")
    expect(eve.page.get_by_role("heading")).to_have_text(re.compile("^There is no match at this address"))
    assert axe_faults(eve) == []


def test_it_speaks_turkish(person: NewPerson, server: ServerProcess, match: Finished) -> None:
    eve = person(server.url, locale="tr-TR")
    eve.open(f"/m/{match.id}?review")
    expect(eve.page.get_by_role("heading", name="Kararlar")).to_be_visible()
    expect(eve.page.get_by_role("button", name="Yeniden dene")).to_be_visible()
    assert axe_faults(eve) == []
