"""A short film of the page: `python -m docs.film` writes docs/page.gif with a real server, Chromium and ImageMagick."""

import subprocess
import tempfile
from pathlib import Path

from tests.support.browser.chromium import Person, chromium, invite
from tests.support.servers.processes import ServerProcess, short_folder

FILM = Path(__file__).parent / "page.gif"
SIZE = {"width": 900, "height": 620}
PICTURES = 20
FRAMES, FRAME_MS = 2, 500  # pictures after each thing that is done
COLOURS, PICTURE_CS = 32, 80  # a picture stays for so many hundredths of a second


def main() -> None:
    with short_folder() as folder, tempfile.TemporaryDirectory() as pictures, chromium() as browser:
        server = ServerProcess(folder / "data")
        server.start()
        try:
            shoot(Person(browser, server.url, viewport=SIZE), Person(browser, server.url), Path(pictures))
        finally:
            server.clean_up()
        files = sorted(str(file) for file in Path(pictures).iterdir())
        cut = ["-resize", "560x", "+dither", "-colors", str(COLOURS), "-layers", "Optimize", str(FILM)]
        subprocess.run(["convert", "-delay", str(PICTURE_CS), "-loop", "0", *files, *cut], check=True)
    print(f"{FILM.name}: {len(files)} pictures, {FILM.stat().st_size} bytes")


def shoot(ada: Person, bob: Person, folder: Path) -> None:
    """Let two people play some turns, and take pictures of the first one's page."""
    invite(ada, bob, length=3)
    taken = 0
    while taken < PICTURES:
        for person in (ada, bob):
            person.act()
            for _ in range(FRAMES):
                ada.page.wait_for_timeout(FRAME_MS)
                ada.page.screenshot(path=folder / f"{taken:03}.png")
                taken += 1


if __name__ == "__main__":
    main()
