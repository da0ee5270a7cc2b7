"""The lobby in the page: its rows and dialogs, a name that is taken, and whether all of it fits."""

from playwright.sync_api import Locator, expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.person import Person

PASSWORD = "correct horse"


def row(person: Person, words: str) -> Locator:
    """A row of one of the lobby's lists."""
    return person.page.get_by_role("listitem").filter(has_text=words)


def dialog(person: Person) -> Locator:
    return person.page.get_by_role("dialog")


def fits(person: Person) -> None:
    """Nothing keeps anybody out of what is shown now, and nothing is to be scrolled sideways."""
    found = axe_faults(person)
    assert found == [], found
    width = person.page.evaluate("innerWidth")
    assert person.page.evaluate("document.documentElement.scrollWidth") <= width
    assert person.page.evaluate("document.querySelector('dialog')?.scrollWidth ?? 0") <= width


def come_in(person: Person, name: str, password: str = "") -> None:
    """Take a name, and with a password an account."""
    person.page.locator(".head .name").click()
    dialog(person).get_by_role("button", name="New here").click()
    fill_in(person, name, password)
    expect(dialog(person)).to_have_count(0)
    expect(person.page.locator(".head .name")).to_have_text(name)


def fill_in(person: Person, name: str, password: str) -> None:
    dialog(person).get_by_label("Name").fill(name)
    dialog(person).get_by_label("Password").fill(password)
    dialog(person).locator(".buttons .main").click()
