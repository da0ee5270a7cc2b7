"""A short film of a match and its review in the page, and two pictures: `python -m docs.film`. Needs ImageMagick.

They are docs/page.gif, docs/web-dark.jpg and docs/web-phone.jpg.
"""

import itertools
import re
import subprocess
import tempfile
from pathlib import Path

from tests.support.browser.chromium import WHOLE, chromium
from tests.support.browser.person import Person
from tests.support.browser.playing import in_turn, invite, play_until
from tests.support.servers.processes import ServerProcess
from tests.support.servers.valkey import short_folder

DOCS = Path(__file__).parent
FILM = DOCS / "page.gif"
SIZE = {"width": 900, "height": 520}
STILLS = {"web-dark.jpg": {"width": 1280, "height": 800}, "web-phone.jpg": {"width": 390, "height": 844}}
ACTS = 4  # rolls and plays before somebody doubles
FRAMES, FRAME_MS = 4, 60  # pictures after each thing that is done, and what lies between them besides taking one
COLOURS, PICTURE_CS = 64, 25  # a picture stays for so many hundredths of a second: all of them for twenty seconds


def main() -> None:
    with short_folder() as folder, tempfile.TemporaryDirectory() as pictures, chromium(WHOLE) as browser:
        server = ServerProcess(folder / "data")
        server.start()
        try:
            shoot(
                Person(browser, server.url, viewport=SIZE, reduced_motion="no-preference"),
                Person(browser, server.url),
                Path(pictures),
            )
            for name, size in STILLS.items():
                ada = Person(browser, server.url, viewport=size, color_scheme="dark")
                still(ada, Person(browser, server.url), name)
        finally:
            server.clean_up()
        files = sorted(str(file) for file in Path(pictures).iterdir())
        cut = ["-resize", "560x", "+dither", "-fuzz", "2%", "-colors", str(COLOURS), "-layers", "Optimize", str(FILM)]
        subprocess.run(["convert", "-delay", str(PICTURE_CS), "-loop", "0", *files, *cut], check=True)
    print(f"{FILM.name}: {len(files)} pictures, {FILM.stat().st_size} bytes")


def shoot(ada: Person, bob: Person, folder: Path) -> None:
    """Take pictures of rolls and plays, a double that is taken, the end of the match, and its review."""
    taken = itertools.count()

    def picture(many: int = FRAMES) -> None:
        for _ in range(many):
            ada.page.wait_for_timeout(FRAME_MS)
            ada.page.screenshot(path=folder / f"{next(taken):03}.png")

    invite(ada, bob, length=3)
    for acts in itertools.count():
        one, _ = in_turn(ada, bob)
        if acts >= ACTS and one is bob and bob.button("Double").is_visible():
            break
        one.act()
        picture()
    bob.press("Double")
    bob.press("Yes, double")
    ada.page.get_by_role("button", name=re.compile("^Take")).wait_for()
    picture()
    ada.act()
    picture()
    play_until(lambda: bob.asked() == "move", bob)
    picture()
    bob.choose("Resign")
    bob.page.get_by_role("button", name=re.compile("^gammon", re.IGNORECASE)).click()  # which ends the match
    bob.press("Yes, resign")
    play_until(ada.button("Rematch").is_visible, ada)
    picture()
    ada.page.locator(".result a[href*=review]").first.click()
    ada.page.locator(".plays").wait_for()
    ada.page.locator("progress").wait_for(state="detached")  # all is judged
    picture()
    for _ in range(3):
        ada.press("One on")
        picture(3)


def still(ada: Person, bob: Person, name: str) -> None:
    """Let two people play four turns, and take a picture when the first one has chosen a checker."""
    invite(ada, bob, length=5)
    turns = 0
    while turns < 4 or ada.asked() != "move":
        for person in (ada, bob):
            if turns < 4 or person.asked() == "roll" or person is bob:
                turns += person.asked() == "move"
                person.act()
    ada.point(ada.can_move()[-1]).click()
    ada.page.screenshot(path=DOCS / name, type="jpeg", quality=85)


if __name__ == "__main__":
    main()
