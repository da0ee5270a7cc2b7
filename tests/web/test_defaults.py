"""Defaults: page and terminal begin with the same, so that two new players meet."""

from tavla_cli.bots.computer import LEVELS, USUAL
from tavla_cli.input.rules_arguments import new_rules
from tavla_cli.screens.table_form import TableForm, move, new_form, turn
from tavla_cli.text.rules import engine_rules
from tavla_cli.text.settings import Settings
from tavla_engine.rules import Rules
from tavla_protocol.messages import Create
from tavla_protocol.view import View

from tests.support.browser.lobby import PASSWORD, come_in, dialog
from tests.support.browser.person import NewPerson, Person
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess

FIELDS = """all => Object.fromEntries(all.map(label => {
    const field = label.querySelector("input, select");
    const words = [...label.childNodes].filter(node => node !== field).map(node => node.textContent).join("");
    return [words, field.type === "checkbox" ? (field.checked ? "on" : "off") : field.value];
}))"""
OFF_ON = ("off", "on")
NEW_MATCH: list[tuple[str, str, str]] = [  # of a new match: in the page, in the terminal's form, what both have
    ("Rules", "preset", "tournament"),
    ("Match", "length", "3"),
    ("Clock", "clock", "none"),
    ("Your side", "side", "either"),
    ("Doubling cube", "cube", "on"),
    ("Hints", "hints", "off"),
    ("Rated", "rated", "off"),
    ("Private: by link only", "private", "off"),
]
WITHOUT_A_FIELD: list[tuple[str, str, str]] = [  # elsewhere in the terminal: in the page, what it has, the terminal's
    ("Start", "standard", Rules().variant.value),
    ("Others may watch", "on", OFF_ON[Create(id=1, commitment="").spectators]),
    ("Level", "beginner", USUAL),
    ("Before my roll", "off", OFF_ON[View().auto_roll[0]]),
    ("Opening roll", "on", OFF_ON[not Settings().first]),
    ("Forced moves", "off", OFF_ON[Settings().forced]),
    ("Sounds", "on", OFF_ON[Settings().bell]),
]


def shown(person: Person) -> dict[str, str]:
    """Fields that are on the page now, by their labels."""
    fields: dict[str, str] = person.page.locator("label:has(input, select)").evaluate_all(FIELDS)
    return fields


def chosen(form: TableForm, field: str) -> TableForm:
    """The form after the next value of a field was chosen."""
    while form.chosen != field:
        form = move(form, 1)
    return turn(form, 1)


def test_page_and_terminal_begin_with_the_same(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url)
    eve.open()
    come_in(eve, unique("eve"), PASSWORD)  # a rated match needs an account
    form = new_form(levels=LEVELS, account=True)
    eve.press("Settings")
    settings = shown(eve)
    eve.press("More options…")
    assert set(form.fields) == {"against", "name", *(field for _, field, _ in NEW_MATCH)}, "each is in the table"
    page = settings | shown(eve)
    for words, field, value in NEW_MATCH:
        assert (page[words], form.values[field]) == (value, value), words
    for words, value, terminal in WITHOUT_A_FIELD:
        assert (page[words], terminal) == (value, value), words
    quick = engine_rules(new_rules({"preset": "tournament", "rated": None}), quick=True)
    assert quick == engine_rules(form.rules) == Rules(length=3)
    dialog(eve).get_by_label("Rated").check()
    form = chosen(form, "rated")
    assert (shown(eve)["Clock"], form.values["clock"]) == ("normal", "normal")
    assert engine_rules(new_rules({"preset": "tournament", "rated": True})) == engine_rules(form.rules)
    for against, hints in (("computer", "on"), ("table", "off")):
        dialog(eve).get_by_label("Against").select_option(against)
        form = new_form(levels=LEVELS)
        form = chosen(form, "against") if against == "computer" else form
        assert (shown(eve)["Hints"], form.values["hints"]) == (hints, hints), against
