"""Speed of the page in a real Chromium: `python -m bench.page`. Browser, server and wire share the machine.

Frames while a double is animated at a processor slowed down fourfold, and on a phone while a checker is dragged or
tapped, and dice are rolled and played; how soon a tap is answered there; how soon a lost link is told, and is back
after it mends; and how soon one can play at 100 ms round trip.
"""

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.sync_api import Browser, Page, expect

from bench.processes import lone_server
from tests.support.browser.chromium import WHOLE, chromium
from tests.support.browser.link import Wire
from tests.support.browser.person import Person
from tests.support.browser.playing import invite
from tests.support.results import record, table
from tests.support.servers.processes import ServerProcess

RUNS = 3
THROTTLE = 4
WANTED = 400  # frames
SHOWN_MS = 1800  # as long as a double takes at the usual speed
ROUND_TRIP_S = 0.1
PHONE = {"width": 390, "height": 844}
SMOOTH_MS = 17  # a frame that comes later was missed
DRAGGED_MS = 16  # between two places of the finger
SEEN_MS = 700  # of what follows a tap or a drag
# From now on how long each tap has waited for the frame that shows what has come of it, in ms.
ANSWERS = """() => {
    window.answers = [];
    const taps = list => list.getEntries().filter(one => one.interactionId);
    const note = list => window.answers.push(...taps(list).map(one => one.duration));
    new PerformanceObserver(note).observe({ type: "event", durationThreshold: 16 });
}"""
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
        late, answers = _phone(browser, server)
    p95 = statistics.quantiles(frames, n=20)[-1] / 1000
    rows = [
        (f"from frame to frame, {len(frames)} of them at {THROTTLE}x throttle: 95 %", p95, max(frames) / 1000, 0.017),
        ("a lost link is told", statistics.median(told), max(told), 3.0),
        ("back after it mends", statistics.median(back), max(back), 2.0),
        (f"playable at {ROUND_TRIP_S} s round trip", statistics.median(playable), max(playable), 1.0),
    ]
    cells = [(what, f"{usual:.4f} s", f"{worst:.4f} s", f"{most:g} s") for what, usual, worst, most in rows]
    shares = [
        (f"frames over {SMOOTH_MS} ms, {what}, of {len(gaps)}", f"{_share(gaps):.1%}", f"{max(gaps):.0f} ms", "3 %")
        for what, gaps in late.items()
    ]
    most = f"{max(answers):.0f} ms"
    tap = (f"a tap is answered, of {len(answers)}: 98 %", f"{_last(answers):.0f} ms", most, "150 ms")
    load = ("others on this machine: its load", f"{os.getloadavg()[0]:.1f}", f"{os.cpu_count()} processors", "")
    return table(f"{RUNS} runs | usual | worst | promised", [*cells, *shares, tap, load])


def _share(gaps: list[float]) -> float:
    return sum(gap > SMOOTH_MS for gap in gaps) / len(gaps)


def _last(answers: list[float]) -> float:
    """The 98th percentile."""
    return statistics.quantiles(answers, n=50)[-1]


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


def _throttled(ada: Person) -> None:
    ada.context.new_cdp_session(ada.page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})


def _gaps(page: Page, does: Callable[[], object], shown_ms: int) -> list[float]:
    """Milliseconds between frames while something is done, and for a while after it."""
    page.evaluate(START)
    does()
    page.wait_for_timeout(shown_ms)
    gaps: list[float] = page.evaluate("() => window.gaps()")
    return gaps


def _frames(browser: Browser, server: ServerProcess) -> list[float]:
    """Milliseconds between frames while doubles are animated on the page of one who watches."""
    ada, bob = Person(browser, server.url), Person(browser, server.url)
    invite(ada, bob)
    eve = Person(browser, server.url, reduced_motion="no-preference")
    eve.open(bob.page.url)
    eve.page.locator(".board").wait_for()
    _throttled(eve)
    frames: list[float] = []
    while len(frames) < WANTED and not ada.button("Rematch").is_visible():
        for one in (ada, bob):
            if len(one.dice()) == 4 and one.asked() == "move":
                frames += _gaps(eve.page, one.make_turn, SHOWN_MS)
            elif one.asked():
                one.act()
    for one in (ada, bob, eve):
        one.close()
    return frames


def _phone(browser: Browser, server: ServerProcess) -> tuple[dict[str, list[float]], list[float]]:
    """Milliseconds between frames by what is done on a phone that plays, and until its taps are answered."""
    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "reduced_motion": "no-preference"}
    ada, bob = Person(browser, server.url, **options), Person(browser, server.url)
    frames: dict[str, list[float]] = {"dragged": [], "tapped": [], "rolled and played": []}
    invite(ada, bob, 5)
    ada.page.evaluate(ANSWERS)
    _throttled(ada)
    while min(map(len, frames.values())) < WANTED and not bob.button("Rematch").is_visible():
        asked = ada.asked()
        if bob.asked():
            frames["rolled and played"] += _gaps(ada.page, bob.act, SHOWN_MS)
        elif asked == "roll":
            frames["rolled and played"] += _gaps(ada.page, lambda: ada.press("Roll"), SHOWN_MS)
        elif asked == "move":
            while not ada.button("Done").is_enabled():
                what, moves = min(("dragged", _drag), ("tapped", _tap), key=lambda way: len(frames[way[0]]))
                frames[what] += _gaps(ada.page, partial(moves, ada), SEEN_MS)
            ada.page.keyboard.press("d")
            expect(ada.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)
        elif asked:
            ada.act()
    answers: list[float] = ada.page.evaluate("() => window.answers")
    for one in (ada, bob):
        one.close()
    return frames, answers


def _tap(ada: Person) -> None:
    ada.point(ada.can_move()[-1]).tap()
    ada.point(ada.targets()[0]).tap()


def _drag(ada: Person) -> None:
    """A checker to the first point where it can go, as a finger would."""
    start = ada.can_move()[-1]
    ada.point(start).tap()
    goal = ada.targets()[0]
    ada.page.keyboard.press("Escape")
    (x, y), (to_x, to_y) = (_middle(ada, point) for point in (start, goal))
    mouse = ada.page.mouse
    mouse.move(x, y)
    mouse.down()
    for step in range(1, 31):
        mouse.move(x + (to_x - x) * step / 30, y + (to_y - y) * step / 30)
        ada.page.wait_for_timeout(DRAGGED_MS)
    mouse.up()


def _middle(ada: Person, point: int) -> tuple[float, float]:
    box = ada.point(point).bounding_box()
    assert box is not None, "a point is on the screen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


if __name__ == "__main__":
    record("page", run)
