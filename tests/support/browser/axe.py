"""Accessibility of the page as it is, by axe-core."""

from playwright.sync_api import expect

from tests.support.browser.node import WEB, need_node
from tests.support.browser.person import Person

AXE = """axe.run({ resultTypes: ["violations"], preload: false }).then(done =>
    done.violations.map(one => one.id + ": " + one.nodes.map(node => node.html).join(" ")))"""


def axe_faults(person: Person) -> list[str]:
    """Faults that axe-core finds on the page as it is now, for users of any kind, as soon as its part is here."""
    expect(person.page.locator("main")).to_be_visible()
    source = WEB / "node_modules" / "axe-core" / "axe.min.js"
    need_node()
    session = person.inspector  # past the page's own policy, which lets nothing else run
    if not session.send("Runtime.evaluate", {"expression": "'axe' in window"})["result"]["value"]:
        session.send("Runtime.evaluate", {"expression": source.read_text("utf-8")})
    ran = session.send("Runtime.evaluate", {"expression": AXE, "awaitPromise": True, "returnByValue": True})
    found: list[str] = ran["result"]["value"]
    return found
