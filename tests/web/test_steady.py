"""What a screen shows at once stays where it is when the rest comes."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.person import NewPerson
from tests.support.browser.steady import assert_steady, far_away
from tests.support.stores.judged import OLD_MATCH, server_of_old_matches

pytestmark = pytest.mark.slow

SCREENS = [  # and what comes last
    ("/", ".doors"),
    ("/learn", ".board"),
    ("/puzzles", ".decision h2"),
    ("/puzzles#mine", ".decision h2"),
    ("/review", ".from-files input"),
    ("/tournaments", "main button"),
    ("/top", ".list"),
    (f"/m/{OLD_MATCH}", ".decision h2"),
]
SIZES = [(390, 844), (1440, 900)]


def test_nothing_moves_when_the_server_is_far_away(person: NewPerson) -> None:
    with server_of_old_matches() as server:
        ada = person(server.url)
        ada.context.add_init_script("localStorage.setItem('tavla.name', 'ada')")  # whose matches they are
        far_away(ada)
        for width, height in SIZES:
            ada.page.set_viewport_size({"width": width, "height": height})
            for path, last in SCREENS:
                ada.open(path)
                expect(ada.page.locator(last).first).to_be_visible()
                assert_steady(ada)
        ada.close()
