"""A person at a browser: what is shown to them, and what they press."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Locator, Page, expect
from tavla_engine.position import BAR, OFF, Position
from tavla_server.features.pictures.board import column_of

from tests.support.browser.chromium import PLAIN_HOST
from tests.support.patience import PATIENCE_S, until

ON_PLAIN_HTTP = "The Cross-Origin-Opener-Policy header has been ignored"  # Chromium's words, an error to it
BUTTONS = {"over": "Rematch", "move": "Done", "roll": "Roll", "take": "Take", "accept": "Accept", "next": "Next game"}
ASKED_BODY = f"""
    const names = {json.dumps(BUTTONS)};
    const moves = document.querySelector("[data-point].source") !== null;
    const shown = [...document.querySelectorAll(".match :is(.controls, .ask) button")]
        .filter(one => one.textContent !== names.move || !one.disabled || moves).map(one => one.textContent);
    const asked = Object.keys(names).find(what => shown.some(name => name.startsWith(names[what]))) ?? "";
    return !wanted || asked === wanted || asked === "over" ? asked : "";
"""
LABELS = "all => all.map(one => one.getAttribute('aria-label'))"
LISTEN = """() => {
    window.told = [];
    window.positions = [];
    const log = document.querySelector("[aria-live]");
    new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(
        node => window.told.push(node.textContent))),
    ).observe(log, { childList: true });
    const points = [...document.querySelectorAll("[data-point]")];
    new MutationObserver(() => {
        const now = points.map(one => one.getAttribute("aria-label").match(/\\d+ (yours|theirs)/g) ?? "").join(";");
        if (now !== window.positions.at(-1)) window.positions.push(now);
    }).observe(document.querySelector(".board"), { subtree: true, attributeFilter: ["aria-label"] });
}"""
TURN = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const tap = which => [...document.querySelectorAll("[data-point]" + which)].at(-1)?.dispatchEvent(
        new MouseEvent("click", { bubbles: true }));
    const done = () => [...document.querySelectorAll(".controls button")].find(one => one.textContent === "Done");
    for (; done()?.disabled; await frame()) {
        tap(".source");
        await frame();
        tap(".goal");
    }
    done()?.click();
    while (done()?.disabled === false) await frame();
}"""
IS_GONE = "([button, name]) => !button.isConnected || !button.textContent.startsWith(name)"
ASKED = f"() => {{ const wanted = ''; {ASKED_BODY} }}"


class Person:
    """A user with a browser of their own, and nothing in it.

    faults: what the page has complained of. turn: how this person makes one. by_the_tray: checkers borne off by a
    tap on the tray, or Enter there.
    """

    def __init__(
        self,
        browser: Browser | BrowserContext,
        url: str,
        sounds: bool = False,
        worker: bool = False,
        judges: bool = True,
        **options: Any,
    ) -> None:
        """sounds: the device for them, which takes a tenth of the CPU of a match, is there. options: of the context.
        worker: the page keeps itself for when there is no network, for another tenth of the CPU. judges: its evaluator
        comes, which takes a core for as long as a review is open."""
        self.http = url.replace("ws://", "http://")
        self.context = (
            browser.new_context(
                **{"reduced_motion": "reduce", "service_workers": "allow" if worker else "block", **options}
            )
            if isinstance(browser, Browser)
            else browser
        )
        self.context.set_default_timeout(1000 * PATIENCE_S)
        if not sounds:
            self.context.add_init_script("delete window.AudioContext")
        if not judges:
            self.context.route("**/network.bin", lambda _: None)
        self.faults: list[str] = []
        self.by_the_tray = 0
        self.keys = [0]
        self._session: CDPSession | None = None
        self.turn: Callable[[], None] = self.make_turn_at_once
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._on_console)

    def open(self, path: str = "/") -> None:
        """Go to an address of the page."""
        self.page.goto(path if path.startswith("http") else self.http + path)

    def press(self, name: str) -> None:
        """Press the button of this name."""
        self.button(name).click()

    def choose(self, name: str) -> None:
        """Choose something from the menu of the match."""
        self.press("Menu")
        self.press(name)

    def button(self, name: str) -> Locator:
        """The button of this name."""
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def status(self) -> Locator:
        """The line that says what is going on."""
        return self.page.locator(".status")

    @property
    def said(self) -> Locator:
        """The last line that a screen reader was told."""
        return self.page.locator("[aria-live] p").last

    def point(self, number: int) -> Locator:
        """A point of the board, in this person's numbering; 25 = bar, 0 = off."""
        return self.page.locator(f'[data-point="{number}"]')

    def can_move(self) -> list[int]:
        """The points from which a checker can be moved now."""
        found = self.page.locator("[data-point].source").evaluate_all("all => all.map(one => +one.dataset.point)")
        return [int(point) for point in found]

    def targets(self) -> list[int]:
        """The points where the chosen checker can go."""
        found = self.page.locator("[data-point].goal").evaluate_all("all => all.map(one => +one.dataset.point)")
        return [int(point) for point in found]

    def position(self) -> Position:
        """The checkers as a screen reader is told of them: this person's, and the opponent's in their own numbering."""
        mine, theirs = bytearray(26), bytearray(26)
        for number, label in enumerate(self.page.locator("[data-point]").evaluate_all(LABELS)):
            own, other = (re.search(rf"(\d+) {word}", label) for word in ("yours", "theirs"))
            mine[number] = int(own[1]) if own else 0
            theirs[number if number in (OFF, BAR) else 25 - number] = int(other[1]) if other else 0
        return Position(bytes(mine), bytes(theirs))

    def dice(self) -> list[int]:
        """The dice on the board, from the left."""
        found = self.page.locator(".die").evaluate_all("all => all.map(one => one.querySelectorAll('circle').length)")
        return [int(die) for die in found]

    def go_to(self, number: int) -> None:
        """Go to a point by keys: Tab to the board, then arrows."""
        here = "+(document.activeElement.dataset.point ?? -1)"
        keys = self.page.keyboard
        while (at := self.page.evaluate(here)) < 0:
            keys.press("Tab")
        if at not in (OFF, BAR) and number not in (OFF, BAR) and (at > 12) != (number > 12):
            keys.press("ArrowUp" if number > 12 else "ArrowDown")
        steps = column_of(number) - column_of(at)
        for _ in range(abs(steps)):
            keys.press("ArrowRight" if steps > 0 else "ArrowLeft")
        if self.page.evaluate(here) != number:  # from the bar or the tray one comes to the half one was in
            keys.press("ArrowUp" if number > 12 else "ArrowDown")
        assert self.page.evaluate(here) == number

    def make_turn_by_keys(self) -> None:
        """A turn without a mouse: a checker, and where it goes; or the tray, which bears off what the first die can."""
        keys, used = self.page.keyboard, self.page.locator(".die.used")
        while not self.button("Done").is_enabled():
            before = used.count()
            if self.can_bear_off():
                self.go_to(OFF)
                keys.press("Enter")
                if used.count() > before:
                    self.by_the_tray += 1
                    continue
            self.go_to(self.can_move()[-1])
            keys.press("Enter")
            self.go_to(max(self.targets()))  # by one die: checkers are borne off by the tray alone
            keys.press("Enter")
        keys.press("d")
        expect(self.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)

    def make_turn_by_single_taps(self) -> None:
        """A turn by one tap a checker, by the setting that moves it at once."""
        used = self.page.locator(".die.used")
        while not self.button("Done").is_enabled():
            before = used.count()
            if self.can_bear_off():
                self.point(OFF).click()
                if used.count() > before:
                    self.by_the_tray += 1
                    continue
            self.point(self.can_move()[-1]).click()
            assert used.count() > before, "one tap, one die"
        self.press("Done")
        expect(self.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)

    def make_turn_at_once(self) -> None:
        """A turn by events that the page gets, for a quarter of the CPU: where a match is to go on, no matter how."""
        self.page.evaluate(TURN)

    def tree(self) -> list[tuple[str, str, bool]]:
        """The accessibility tree and nothing else: each node's role and name, and whether it has the focus."""
        found = []
        for node in self.inspector.send("Accessibility.getFullAXTree")["nodes"]:
            focused = any(one["name"] == "focused" and one["value"]["value"] for one in node.get("properties", []))
            found.append((node.get("role", {}).get("value", ""), node.get("name", {}).get("value", ""), focused))
        return found

    def focused(self) -> str:
        """Name in that tree of what has the focus."""
        found = self.inspector.send("Runtime.evaluate", {"expression": "document.activeElement"})
        one = {"objectId": found["result"]["objectId"], "fetchRelatives": False}
        (node,) = self.inspector.send("Accessibility.getPartialAXTree", one)["nodes"]
        return str(node.get("name", {}).get("value", ""))

    @property
    def inspector(self) -> CDPSession:
        """Channel to the tools that Chromium has for developers."""
        if self._session is None:
            self._session = self.context.new_cdp_session(self.page)
        return self._session

    def act_by_tree(self) -> None:
        """Do what is asked for by keys, as who hears the page and does not see it; `keys` counts them in each turn.

        One key rolls, n goes to a checker that can move, Enter moves it by the left die and goes on, d ends the turn.
        """
        tree = self.tree()
        names = [name for _, name, _ in tree]
        if any(role == "alertdialog" or name in ("Next game", "Accept") for role, name, _ in tree):
            self._press(*("Tab", "Enter") if "Next game" in names else ("Tab", "Tab", "Enter"))
        elif "Roll" in names:
            self.keys.append(0)  # what was rolled before could not be played
            self._press("r")
        elif any(name.endswith(", can move") for name in names):
            ready = any(focused and name.endswith(", can move") for _, name, focused in tree)
            self._press("Enter" if ready else "n")
        elif "Press Done to end your turn" in names:
            self._press("d")
            self.keys.append(0)
            expect(self.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)

    def _press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys[-1] += 1

    def can_bear_off(self) -> bool:
        """True if all of this person's checkers are home."""
        return not any(self.position().mine[7:])

    def set(self, label: str, value: str) -> None:
        """Change a setting of the page."""
        self.press("Settings")
        field = self.page.get_by_label(label)
        field.wait_for()
        pictures = field.locator(f"input[value={value}]")
        if pictures.count():
            pictures.check(force=True)  # it lies under its picture
        else:
            field.select_option(value)
        self.press("Settings")

    def lines(self) -> list[str]:
        """All that a screen reader was told since `listen`."""
        found: list[str] = self.page.evaluate("window.told")
        return found

    def shown(self) -> list[str]:
        """The positions that the board has shown since `listen`, in order."""
        found: list[str] = self.page.evaluate("window.positions")
        return found

    def listen(self) -> None:
        """From now on note what a screen reader is told, and each position that the board shows."""
        self.page.evaluate(LISTEN)

    def asked(self) -> str:
        """The action that the page asks for now: roll, move, take, next, accept, over; "" = nothing."""
        found: str = self.page.evaluate(ASKED)
        return found

    def until_ours(self, what: str = "") -> str:
        """Wait until we are asked for something, or for this; or until the match is over. What it is."""
        found: str = self.page.wait_for_function(f"wanted => {{ {ASKED_BODY} }}", arg=what).json_value()
        return found

    def roll_against(self, other: "Person") -> bool:
        """Roll; False if nothing can be moved and it is the other's turn again."""
        self.press("Roll")
        until(lambda: self.asked() == "move" or other.asked() == "roll", "the dice")
        return self.asked() == "move"

    def move_a_checker(self) -> None:
        """Move the last checker that can be moved to the first point where it can go, when the page offers them."""
        self.page.locator("[data-point].source").first.wait_for(state="attached")
        self.point(self.can_move()[-1]).click()
        self.page.locator("[data-point].goal").first.wait_for(state="attached")
        self.point(self.targets()[0]).click()

    def make_turn(self) -> None:
        """Move checkers, whichever can, until the turn can be sent; then send it."""
        while not self.button("Done").is_enabled():
            self.move_a_checker()
        self.press("Done")
        expect(self.page.get_by_role("button", name="Done", disabled=False)).to_have_count(0)

    def act(self) -> bool:
        """Do what we are asked for; False if that is nothing."""
        what = self.asked()
        if what == "move":
            self.turn()
        elif what in BUTTONS and what != "over":
            button = self.page.get_by_role("button", name=BUTTONS[what]).element_handle()
            button.click()
            # Who dances is soon asked for the next roll, by another button of this name.
            self.page.wait_for_function(IS_GONE, arg=[button, BUTTONS[what]])
        return what not in ("", "over")

    def _on_console(self, line: ConsoleMessage) -> None:
        on_plain_http = PLAIN_HOST in self.page.url and line.text.startswith(ON_PLAIN_HTTP)
        if line.type == "error" and not on_plain_http:
            self.faults.append(line.text)

    def forgive(self, *words: str) -> None:
        """Forget what the browser itself says of a server that is not there: complaints with any of these words."""
        self.faults = [fault for fault in self.faults if not any(word in fault for word in words)]

    def check(self) -> None:
        """Nothing went wrong in the page, by its own account."""
        assert self.faults == [], self.faults

    def close(self) -> None:
        """Close the browser's window."""
        self.context.close()


def picture(position: Position) -> str:
    """A position as `Person.shown` has it, for the player on roll."""
    mine, theirs = position
    parts = [f"{mine[point]} yours" if mine[point] else f"{theirs[25 - point]} theirs" for point in range(1, 25)]
    ends = [f"{mine[end]} yours,{theirs[end]} theirs" for end in (OFF, BAR)]
    return ";".join([ends[0], *("" if part == "0 theirs" else part for part in parts), ends[1]])


NewPerson = Callable[..., Person]
