"""The frame of the page: the same header, edge and footer on every screen, and ways that lead on and back."""

import re

from playwright.sync_api import expect

from tests.support.browser.lobby import come_in, fits, row
from tests.support.browser.person import NewPerson, Person
from tests.support.browser.playing import seated
from tests.support.servers.processes import ServerProcess

SCREENS = [  # an address, and the place in the header that it belongs to
    ("/", "Play"), ("/watch", "Watch"), ("/learn", "Learn"), ("/learn#glossary", "Learn"),
    ("/puzzles#classic", "Puzzles"),
    ("/review", "Review"), ("/position", "Review"), ("/dice", ""), ("/tournaments", "Tournaments"),
    ("/top", "Tournaments"), ("/p/nobody-here", ""), ("/m/nosuchxx", "Review"),
]  # fmt: skip
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def edges(person: Person) -> set[float]:
    """Where the header and the footer begin."""
    boxes = [person.page.locator(one).bounding_box() for one in (".brand", ".foot a >> nth=0")]
    return {round(box["x"]) for box in boxes if box}


def room_below(person: Person) -> float:
    """Pixels between the footer and the end of what is free of the screen; negative = one has to scroll."""
    found: float = person.page.evaluate(
        """() => innerHeight - document.querySelector(".foot").getBoundingClientRect().bottom
            - parseFloat(getComputedStyle(document.getElementById("app")).paddingBottom)"""
    )
    return found


def test_every_screen_has_the_same_header_edge_and_footer(person: NewPerson, server: ServerProcess) -> None:
    ada = person(server.url, judges=False)
    eve = person(server.url, judges=False, locale="tr-TR", color_scheme="dark", **PHONE)
    names: set[tuple[str, ...]] = set()
    found: set[float] = set()
    for path, place in SCREENS:
        for one in (ada, eve):
            one.open(path)
            expect(one.page.locator(".foot")).to_be_visible()
            assert one.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
            assert len(edges(one)) == 1, path
            assert room_below(one) < 1, path
        fits(eve)  # the others' tests have each screen in light, and in English
        names.add(tuple(ada.page.locator(".head :is(a, button)").all_inner_texts()))
        found |= edges(ada)
        shown = ada.page.locator(".places [aria-current]")
        expect(shown).to_have_text([place] if place else [])
    places = ("Play", "Watch", "Learn", "Puzzles", "Review", "Tournaments")
    assert names == {("Tavla", *places, "Log in", "Settings")}
    assert len(found) == 1, found
    assert eve.page.locator(".places a:visible").all_inner_texts() == [
        "Oyna", "Öğren", "Bulmacalar", "İncele", "Turnuvalar",
    ]  # fmt: skip


def test_on_a_phone_the_places_are_at_the_foot_and_leave_a_match_alone(
    person: NewPerson, server: ServerProcess
) -> None:
    ada = person(server.url, **PHONE)
    ada.open()
    box = ada.page.locator(".places").bounding_box()
    assert box is not None
    assert (round(box["width"]), round(box["y"] + box["height"])) == (390, 844)
    with seated(ada):
        expect(ada.page.locator(".dice").first).to_be_visible()
        expect(ada.page.locator(".places")).to_be_hidden()
        ada.page.set_viewport_size({"width": 1280, "height": 720})
        expect(ada.page.locator(".places")).to_be_visible()


def test_back_leaves_a_match_against_the_computer_at_once(
    person: NewPerson, server: ServerProcess, computer: str
) -> None:
    ada = person(server.url)
    ada.open()
    expect(ada.page.get_by_role("listitem").filter(has_text=computer).first).to_be_visible()
    ada.press("Play the computer")
    expect(ada.page.locator(".match .board")).to_be_visible()
    ada.page.go_back()
    expect(ada.page).to_have_url(re.compile(":[0-9]+/$"))
    expect(ada.page.get_by_role("heading", name="Your matches")).to_be_visible()


def test_a_refused_line_stays_in_its_field_and_each_line_keeps_to_itself(
    person: NewPerson, server: ServerProcess
) -> None:
    ada, bob = person(server.url), person(server.url)
    ada.open()
    come_in(ada, "frame-ada")
    bob.open()
    come_in(bob, "frame-bob")
    expect(row(ada, "frame-bob").get_by_role("button", name="Challenge frame-bob", exact=True)).to_be_visible()
    ada.press("Play a friend")
    link = ada.page.locator("input.link").input_value()
    bob.open(link)
    expect(bob.page.get_by_text(re.compile("frame-ada invites you: "))).to_be_visible()
    bob.press("Sit down")
    field = ada.page.locator(".say input")
    refused = ada.page.get_by_role("alert").filter(has_text="you talk too fast")
    for count in range(30):
        field.fill(f"line {count} \u202eabc")
        field.press("Enter")
        if refused.count():
            break
    expect(refused).to_be_visible()
    expect(field).to_have_value(re.compile(r"^line \d+ "))
    below = field.bounding_box()
    box = refused.bounding_box()
    assert below is not None
    assert box is not None
    assert box["y"] >= below["y"] + below["height"], "it covers no field"
    assert ada.page.locator(".log li > bdi").count() == ada.page.locator(".log li").count() > 0


EMPTY = [("/", "Open a table"), ("/tournaments", "Make a tournament"), ("/review", "Play"), ("/p/nobody-yet", "Play")]


def test_where_there_is_nothing_yet_a_picture_and_one_action_say_so(
    person: NewPerson, own_server: ServerProcess
) -> None:
    ada, eve = (person(own_server.url, locale=locale, **PHONE) for locale in ("en", "tr"))
    ada.open()
    come_in(ada, "nobody-yet")
    for one, screens in ((ada, EMPTY), (eve, EMPTY[:3])):
        for path, action in screens:
            one.open(path)
            empty = one.page.locator(".nothing")
            expect(empty).to_have_count(1)
            expect(empty.locator("svg .piece")).to_have_count(3)
            acts = empty.locator("a, button")
            expect(acts).to_have_count(1)
            if one is ada:
                expect(acts).to_have_text(action)
                expect(one.page.get_by_role("heading", name="Over")).to_have_count(0)  # nor a list of nothing
            fits(one)
