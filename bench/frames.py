"""Frames of the page in a real Chromium at a processor slowed down fourfold: `python -m bench.frames`.

A turn as a watcher sees it, with its dice thrown, and a checker that is dragged. Chromium's own trace says which frames
it drew, which it had to drop, and where the processor's time went, per trace. Without a GPU all is drawn in software,
here on the same cores: what people have is faster. Times of the processor hold on a busy machine, drops do not; so an
element that is dragged on a page with nothing else is measured beside them: no page is faster.
"""

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from tests.support.browser.chromium import WHOLE, Person, chromium, invite
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, short_folder

THROTTLE = 4
TURNS = 12
SHOWN_MS = 1800  # as long as the longest turn takes at the usual speed
STEPS = 60  # of a drag
FRAME_MS = 1000 / 60
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline.frame", "cc"]
MAIN, OTHERS = "CrRendererMain", ("Compositor", "ThreadPoolForegroundWorker", "VizCompositorThread", "CrGpuMain")
PARTS = {  # what takes the main thread's time, by names in the trace
    "script": ("FunctionCall", "EvaluateScript", "RunMicrotasks", "v8.callFunction"),
    "style": ("UpdateLayoutTree", "RecalculateStyles"),
    "layout": ("Layout",),
    "paint": ("PrePaint", "Paint", "Layerize", "Commit", "UpdateLayer"),
}
BARE = """<body><div class="board" style="height: 600px">
<div class="source" style="width: 50px; height: 50px; background: tan; will-change: transform"></div></div><script>
const moved = ({ clientX, clientY }) => {
    document.querySelector(".source").style.transform = `translate(${clientX}px, ${clientY}px)`;
};
addEventListener("pointermove", moved);
</script>"""


class Seen(NamedTuple):
    """Figures. gaps: ms between frames that were drawn. spent: ms of the processor, by part and by thread."""

    gaps: list[float]
    dropped: int
    spent: Counter[str]


def run(turns: int = TURNS) -> list[str]:
    """The figures as lines of Markdown."""
    with short_folder() as folder, chromium(WHOLE) as browser:
        server = ServerProcess(folder / "data")
        server.start()
        try:
            watched, dragged = _measured(browser, server, turns)
            bare = _bare(browser, len(dragged))
        finally:
            server.clean_up()
    spent = [*PARTS, "main thread", *OTHERS]
    figures = ["traces", "frames", "dropped", "from frame to frame, median", *(f"{part}, ms" for part in spent)]
    return [
        f"| {THROTTLE}x throttle, no GPU | {' | '.join(figures)} |",
        "|---" * (len(figures) + 1) + "|",
        _row("a turn, watched, and the dice", watched, spent),
        _row("a checker dragged", dragged, spent),
        _row("an element dragged on a bare page", bare, spent),
    ]


def _row(what: str, all_: list[Seen], spent: list[str]) -> str:
    gaps = [gap for seen in all_ for gap in seen.gaps]
    total: Counter[str] = sum((seen.spent for seen in all_), Counter())
    each = " | ".join(f"{total[part] / len(all_):.0f}" for part in spent)
    dropped = sum(seen.dropped for seen in all_)
    return f"| {what} | {len(all_)} | {len(gaps)} | {dropped} | {statistics.median(gaps):.1f} ms | {each} |"


def _measured(browser: Browser, server: ServerProcess, turns: int) -> tuple[list[Seen], list[Seen]]:
    ada, bob = Person(browser, server.url), Person(browser, server.url)
    invite(ada, bob)
    eve = Person(browser, server.url, reduced_motion="no-preference")
    eve.open(bob.page.url)  # with the code
    eve.page.locator(".board").wait_for()
    for one in (ada, eve):
        one.context.new_cdp_session(one.page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    watched: list[Seen] = []
    dragged: list[Seen] = []
    while len(watched) < turns and not ada.button("Rematch").is_visible():
        for one in (ada, bob):
            asked = one.asked()
            if one is ada and asked == "move" and ada.page.locator(".source").count():
                dragged.append(_traced(browser, ada.page, lambda: _drag(ada.page)))
            if asked == "move":
                watched.append(_traced(browser, eve.page, partial(_turn, one, eve.page)))
            elif asked:
                one.act()
    for one in (ada, bob, eve):
        one.close()
    return watched, dragged


def _bare(browser: Browser, times: int) -> list[Seen]:
    page = browser.new_page()
    page.set_content(BARE)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    seen = [_traced(browser, page, lambda: _drag(page)) for _ in range(times)]
    page.close()
    return seen


def _turn(person: Person, watcher: Page) -> None:
    person.make_turn()
    watcher.wait_for_timeout(SHOWN_MS)


def _drag(page: Page) -> None:
    """Take a checker round the board and put it back."""
    box = page.locator(".source").first.bounding_box()
    board = page.locator(".board").bounding_box()
    assert box is not None
    assert board is not None
    page.wait_for_timeout(SHOWN_MS)  # what is shown has ended
    x, top = box["x"] + box["width"] / 2, box["y"] < board["y"] + board["height"] / 3
    y = box["y"] + (20 if top else box["height"] - 20)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(board["x"] + board["width"] / 2, board["y"] + board["height"] / 2, steps=STEPS // 2)
    page.mouse.move(x, y, steps=STEPS // 2)
    page.mouse.up()


def _traced(browser: Browser, page: Page, does: Callable[[], None]) -> Seen:
    browser.start_tracing(page=page, categories=CATEGORIES)
    try:
        does()
    finally:
        trace = json.loads(browser.stop_tracing())["traceEvents"]
    return seen(trace, _renderer(trace))


def _renderer(trace: list[dict[str, Any]]) -> int:
    """The process whose main thread has done most: that of the page."""
    spent: Counter[int] = Counter()
    for event in trace:
        if event["name"] in sum(PARTS.values(), ()):
            spent[event["pid"]] += event.get("tdur", 0)
    return spent.most_common(1)[0][0]


def seen(trace: list[dict[str, Any]], renderer: int) -> Seen:
    """Read the figures of the page in this process from a trace."""
    threads = {(one["pid"], one["tid"]): one["args"]["name"] for one in trace if one["name"] == "thread_name"}
    part_of = {name: part for part, names in PARTS.items() for name in names}
    spent: Counter[str] = Counter()
    ends: dict[str, float] = defaultdict(float)
    drawn = sorted(one["ts"] for one in trace if one["name"] == "DrawFrame" and one["pid"] == renderer)
    dropped = sum(one["name"] == "DroppedFrame" and one["pid"] == renderer for one in trace)
    for event in sorted((one for one in trace if one.get("ph") == "X"), key=lambda one: one["ts"]):
        thread = threads.get((event["pid"], event["tid"]), "")
        ms = event.get("tdur", 0) / 1000
        part = part_of.get(event["name"]) if event["pid"] == renderer and thread == MAIN else None
        if part and event["ts"] >= ends[part]:  # what is inside another one is in it
            spent[part] += ms
            ends[part] = event["ts"] + event["dur"]
        if event["name"] in ("ThreadControllerImpl::RunTask", "ThreadPool_RunTask") and (
            thread in OTHERS or (thread == MAIN and event["pid"] == renderer)
        ):
            spent["main thread" if thread == MAIN else thread] += ms
    gaps = [(b - a) / 1000 for a, b in pairwise(drawn)]
    return Seen([gap for gap in gaps if gap < 20 * FRAME_MS], dropped, spent)  # in a longer one nothing moved


if __name__ == "__main__":
    with recorded("frames"):
        print("\n".join(run()))
