"""Speed of the page in a real Chromium: `python -m bench.page`. Browser, server and wire share the machine.

Frames while a double is animated at a processor slowed down fourfold; how soon a lost link is told, and is back after
it mends; and how soon one can play at 100 ms round trip.
"""

import statistics
import time

from playwright.sync_api import Browser

from bench.processes import lone_server
from tests.support.browser.chromium import WHOLE, Person, chromium, invite
from tests.support.browser.link import Wire
from tests.support.results import recorded, table
from tests.support.servers.processes import ServerProcess

RUNS = 3
THROTTLE = 4
WANTED = 400  # frames
SHOWN_MS = 1800  # as long as a double takes at the usual speed
ROUND_TRIP_S = 0.1
# The times between frames, from now on until they are asked for.
START = """() => {
    const times = [];
    let going = true;
    const frame = now => { times.push(now); if (going) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    window.gaps = () => { going = false; return times.slice(1).map((one, index) => one - times[index]); };
}"""


def run() -> list[str]:
    """The figures as lines of Markdown."""
    with lone_server() as server, chromium(WHOLE) as browser:
        told, back = zip(*(_cut(browser, server) for _ in range(RUNS)), strict=True)
        playable = [_playable(browser, server) for _ in range(RUNS)]
        frames = _frames(browser, server)
    p95 = statistics.quantiles(frames, n=20)[-1] / 1000
    rows = [
        (f"from frame to frame, {len(frames)} of them at {THROTTLE}x throttle: 95 %", p95, max(frames) / 1000, 0.017),
        ("a lost link is told", statistics.median(told), max(told), 3.0),
        ("back after it mends", statistics.median(back), max(back), 2.0),
        (f"playable at {ROUND_TRIP_S} s round trip", statistics.median(playable), max(playable), 1.0),
    ]
    cells = [(what, f"{usual:.4f} s", f"{worst:.4f} s", f"{most:g} s") for what, usual, worst, most in rows]
    return table(f"{RUNS} runs | usual | worst | promised", cells)


def _cut(browser: Browser, server: ServerProcess) -> tuple[float, float]:
    """Seconds until the page tells that its link is lost, and until it is back after the mend."""
    with Wire(server.port) as wire:
        ada = Person(browser, wire.url)
        ada.open()
        ada.button("Play the computer").wait_for()
        ada.page.wait_for_function("() => document.querySelector('.list')")
        wire.cut()
        began = time.monotonic()
        ada.page.locator(".offline").wait_for()
        told = time.monotonic() - began
        wire.mend()
        began = time.monotonic()
        ada.page.locator(".offline").wait_for(state="detached")
        back = time.monotonic() - began
        ada.close()
    return told, back


def _playable(browser: Browser, server: ServerProcess) -> float:
    """Seconds from the address to a lobby with its lists and its buttons, with nothing in the cache."""
    with Wire(server.port, ROUND_TRIP_S / 2) as wire:
        ada = Person(browser, wire.url)
        began = time.monotonic()
        ada.page.goto(ada.http, wait_until="commit")
        ada.button("Play the computer").wait_for()
        seconds = time.monotonic() - began
        ada.close()
    return seconds


def _frames(browser: Browser, server: ServerProcess) -> list[float]:
    """Milliseconds between frames while doubles are animated on the page of one who watches."""
    ada, bob = Person(browser, server.url), Person(browser, server.url)
    invite(ada, bob)
    eve = Person(browser, server.url, reduced_motion="no-preference")
    eve.open(bob.page.url)
    eve.page.locator(".board").wait_for()
    session = eve.context.new_cdp_session(eve.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    frames: list[float] = []
    while len(frames) < WANTED and not ada.button("Rematch").is_visible():
        for one in (ada, bob):
            if len(one.dice()) == 4 and one.asked() == "move":
                eve.page.evaluate(START)
                one.make_turn()
                eve.page.wait_for_timeout(SHOWN_MS)
                frames += eve.page.evaluate("() => window.gaps()")
            elif one.asked():
                one.act()
    for one in (ada, bob, eve):
        one.close()
    return frames


if __name__ == "__main__":
    with recorded("page"):
        print("\n".join(run()))
