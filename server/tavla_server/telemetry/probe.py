"""The loop probe, `tavla-server --probe`: how late the event loop is, whether by its own work, and by which.

The loop is to tick every TICK_S. What it does between two looks at the clock makes a tick late; so does a machine that
is busy with others. The CPU clock of the loop's thread tells them apart.
"""

import asyncio
import contextlib
import gc
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from types import FrameType

import structlog

TICK_S = 0.002  # longer, and work before a tick was due would be taken for what made it late
LATE_S = 0.005  # of our own work: past that others notice
LOOK_S = 0.002  # between two looks at what the loop's thread does while a tick is late
SWITCH_S = 0.0005  # for that thread to let the one that looks have its turn
REPORT_S = 10.0  # between two summaries
FRAMES = 12  # innermost frames of a stack that are logged, as far as the loop
LOOP = "asyncio/runners.py"

log = structlog.get_logger()


@contextlib.asynccontextmanager
async def probing() -> AsyncIterator[None]:
    """Probe the running loop, and log a line for each late step of our own and a summary every REPORT_S."""
    probe = Probe()
    probe.start()
    reports = asyncio.create_task(_report(probe))
    try:
        yield
    finally:
        reports.cancel()
        probe.stop()
        log.info("loop_probe", **probe.summary())


async def _report(probe: "Probe") -> None:
    while True:
        await asyncio.sleep(REPORT_S)
        log.info("loop_probe", **probe.summary())


class Probe:
    """A probe ticks on the loop that runs; a thread of its own looks at what keeps a tick from coming."""

    def __init__(self) -> None:
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._watcher = threading.Thread(target=self._watch, name="probe", daemon=True)
        self._stopped = threading.Event()
        self._tick: asyncio.TimerHandle | None = None
        self._due = self._cpu = self._gc_began = self._gc_s = 0.0
        self._seen: Counter[str] = Counter()  # stacks since the last tick
        self._clear()

    def start(self) -> None:
        """Begin to tick."""
        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        gc.callbacks.append(self._collecting)
        self._next()
        self._watcher.start()

    def stop(self) -> None:
        """Tick no more."""
        self._stopped.set()
        if self._tick is not None:
            self._tick.cancel()
        gc.callbacks.remove(self._collecting)
        self._watcher.join()
        sys.setswitchinterval(self._switch_s)

    def summary(self) -> dict[str, object]:
        """The facts since the last summary.

        late, own: how many ticks were late by less than so many ms, and for how many of these the loop's thread itself
        was at work. gc: for each generation how often, and how much CPU in all and at most, and how many
        objects were garbage.
        """
        summary: dict[str, object] = {
            "seconds": round(time.monotonic() - self._since, 1),
            "late": {f"<{2**power} ms": count for power, count in sorted(self._late.items())},
            "own": {f"<{2**power} ms": count for power, count in sorted(self._own.items())},
            "late_max_ms": _ms(self._late_max),
            "own_max_ms": _ms(self._own_max),
            "gc": {
                f"gen{generation}": {
                    "times": len(took),
                    "ms": _ms(sum(took)),
                    "max_ms": _ms(max(took)),
                    "found": self._collected[generation],
                }
                for generation, took in sorted(self._collections.items())
            },
        }
        self._clear()
        return summary

    def _clear(self) -> None:
        self._since = time.monotonic()
        self._late: Counter[int] = Counter()
        self._own: Counter[int] = Counter()
        self._late_max = self._own_max = 0.0
        self._collections: dict[int, list[float]] = {}
        self._collected: Counter[int] = Counter()

    # --- on the loop's thread ---

    def _next(self) -> None:
        self._due, self._cpu, self._gc_s = time.perf_counter() + TICK_S, time.thread_time(), 0.0
        self._tick = self._loop.call_later(TICK_S, self._ticked)

    def _ticked(self) -> None:
        late = max(0.0, time.perf_counter() - self._due)
        own = min(late, time.thread_time() - self._cpu)
        self._late[_power(late)] += 1
        self._own[_power(own)] += 1
        self._late_max, self._own_max = max(self._late_max, late), max(self._own_max, own)
        seen, self._seen = self._seen, Counter()
        if own > LATE_S:
            stack = seen.most_common(1)[0][0] if seen else ""
            log.warning("loop_late", late_ms=_ms(late), own_ms=_ms(own), gc_ms=_ms(self._gc_s), stack=stack)
        self._next()

    def _collecting(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._gc_began = time.thread_time()
            return
        took = time.thread_time() - self._gc_began
        self._gc_s += took
        self._collections.setdefault(info["generation"], []).append(took)
        self._collected[info["generation"]] += info["collected"]

    # --- on the watcher's ---

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK_S):
            seen = self._seen
            if time.perf_counter() - self._due > LATE_S and (frame := sys._current_frames().get(self._thread)):
                seen[_stack(frame)] += 1


def _stack(innermost: FrameType) -> str:
    lines: list[str] = []
    frame: FrameType | None = innermost
    while frame is not None and len(lines) < FRAMES:
        code = frame.f_code
        file = "/".join(code.co_filename.split("/")[-2:])
        if file == LOOP:
            break
        lines.append(f"{file}:{frame.f_lineno} {code.co_qualname}")
        frame = frame.f_back
    return " < ".join(lines)


def _power(seconds: float) -> int:
    """The power of two that is more than this in ms."""
    return int(1000 * seconds).bit_length()


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)
