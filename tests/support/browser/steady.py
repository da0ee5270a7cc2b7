"""What moves on a screen while it comes, with a server that is some way off."""

from tests.support.browser.person import Person

LATE = """
const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
Object.defineProperty(WebSocket.prototype, "onmessage", { set(on) {
    set.call(this, on && ((event) => setTimeout(() => on(event), 100)));
} });
window.moved = [];
new PerformanceObserver((list) => moved.push(...list.getEntries().map(({ value, sources }) =>
    [value, ...sources.map(({ node }) => node?.className)]))).observe({ type: "layout-shift", buffered: true });
"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(moved))))"
GOOD = 0.1  # sum of what has moved, in parts of the screen and of its height. Source: https://web.dev/articles/cls


def far_away(person: Person) -> None:
    """Messages of the server take a tenth of a second more, on each page that this person opens from now on."""
    person.context.add_init_script(LATE)


def assert_steady(person: Person) -> None:
    """Nothing that was shown has moved to another place, since this page was opened."""
    moved = person.page.evaluate(DRAWN)
    assert sum(value for value, *_ in moved) <= GOOD, (person.page.url, moved)
