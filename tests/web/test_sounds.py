"""The device for sounds: it rests while nothing sounds."""

from tests.support.browser.person import NewPerson
from tests.support.browser.playing import in_turn, invite
from tests.support.servers.processes import ServerProcess

KEEP_STATES = """
    const Device = window.AudioContext;
    window.states = [];
    window.AudioContext = class extends Device {
        constructor() {
            super();
            this.onstatechange = () => window.states.push(this.state);
        }
    };
"""
RESTS = "before => window.states.length > before && window.states.at(-1) === 'suspended'"


def test_it_runs_for_a_sound_alone(person: NewPerson, server: ServerProcess) -> None:
    ada, bob = person(server.url, sounds=True), person(server.url, sounds=True)
    for one in (ada, bob):
        one.context.add_init_script(KEEP_STATES)
    invite(ada, bob)
    one, _ = in_turn(ada, bob)
    one.page.wait_for_function(RESTS, arg=0)
    before = one.page.evaluate("window.states.length")
    one.move_a_checker()
    one.page.wait_for_function(RESTS, arg=before)
    assert "running" in one.page.evaluate("window.states.slice(-2)")
