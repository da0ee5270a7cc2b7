"""The device for sounds: it rests while nothing sounds."""

from tests.support.browser.person import NewPerson
from tests.support.browser.playing import seated, until_move
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
    ada = person(server.url, sounds=True)
    ada.context.add_init_script(KEEP_STATES)
    with seated(ada):
        until_move(ada)
        ada.page.wait_for_function(RESTS, arg=0)
        before = ada.page.evaluate("window.states.length")
        ada.move_a_checker()
        ada.page.wait_for_function(RESTS, arg=before)
        assert "running" in ada.page.evaluate("window.states.slice(-2)")
