"""The trials: each attack with its sizes, and how much others may notice of it."""

import secrets
import time
from typing import NamedTuple

from bench.attack.attacks import (
    MANY_MS,
    NAMES,
    ONE_MS,
    PLACES,
    Attack,
    amid,
    asks_all,
    at_once,
    crowd,
    downloads,
    flood,
    guest,
    hang_ups,
    headers,
    household,
    ignores,
    knocks,
    many_matches,
    offers,
    on_lines,
    past_evenings,
    program,
    says,
    seeks,
    silence,
    some_match,
    somebody,
    stranger,
    toggles,
)
from tests.support.wire.raw import BEGUN, GOES_ON, PING, PONG, frame, name


class Trial(NamedTuple):
    """The conditions of an attack.

    sizes: with how many connections, and by how many ms others' p99 may then grow. options: of the server.
    """

    attack: Attack
    sizes: tuple[tuple[int, float], ...] = ((1, ONE_MS), (100, MANY_MS))
    options: tuple[str, ...] = ()


ATTACKS: dict[str, Trial] = {
    "empty pings": Trial(flood(frame(PING))),
    "empty pongs": Trial(flood(frame(PONG))),
    "long pings": Trial(flood(frame(PING, bytes(125)))),
    "pings after hello": Trial(flood(frame(PING), greet=True)),
    "empty pieces": Trial(flood(frame(GOES_ON), begin=frame(BEGUN))),
    "pings, two workers": Trial(flood(frame(PING)), ((8, MANY_MS),), ("--workers", "2")),
    "passwords of one address": Trial(
        on_lines(stranger, lambda one: one.tell("hello", name=name(), password="12345678")), ((60, MANY_MS),)
    ),
    "lock-out": Trial(
        on_lines(stranger, lambda one: one.tell("hello", name=secrets.choice(NAMES), password="12345678"))
    ),
    "list matches": Trial(
        amid(many_matches, on_lines(guest, lambda one: one.tell("list", what="matches"))), ((14, MANY_MS),)
    ),
    "a network asks": Trial(amid(many_matches, on_lines(household, asks_all)), ((10, MANY_MS), (100, MANY_MS))),
    "the page": Trial(downloads(lambda: f"/p/{name()}"), ((20, MANY_MS),)),
    "files of nothing": Trial(downloads(lambda: f"/t/{some_match()}.mat"), ((20, MANY_MS),)),
    "seek": Trial(on_lines(household, seeks), ((50, MANY_MS),)),
    "ignore": Trial(amid(somebody, on_lines(guest, ignores)), ((10, MANY_MS),)),
    "past_tournaments": Trial(
        amid(past_evenings, on_lines(guest, lambda one: one.tell("past_tournaments"))), ((112, MANY_MS),)
    ),
    "available": Trial(on_lines(program, offers), ((1, ONE_MS), (50, MANY_MS))),
    "say to a crowd": Trial(crowd(says, 100), ((350, MANY_MS),)),
    "auto before a crowd": Trial(crowd(toggles, 1), ((300, MANY_MS),)),
    "no such match": Trial(on_lines(guest, lambda one: one.tell("attach", table=some_match())), ((1, ONE_MS),)),
    "tables": Trial(
        on_lines(guest, lambda one: one.tell("create", commitment=secrets.token_hex(32))), ((1, ONE_MS), (50, MANY_MS))
    ),
    "headers": Trial(at_once(headers)),
    "hang-ups": Trial(at_once(hang_ups), ((1, ONE_MS), (20, MANY_MS))),
    "3 times the limit": Trial(at_once(knocks), ((3 * PLACES, MANY_MS),), ("--max-connections", str(PLACES))),
    "silence": Trial(at_once(silence), ((1000, MANY_MS),)),
}


def run(name: str, port: int, connections: int, seconds: float) -> int:
    """Attack for a while, from when that is said on stdout; how often."""
    attack = ATTACKS[name].attack(port, connections)
    print("begins", flush=True)
    return attack(time.monotonic() + seconds)
