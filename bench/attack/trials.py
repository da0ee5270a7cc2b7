"""The trials: each attack with its sizes, and how much others may notice of it."""

import secrets
import time
from multiprocessing.connection import Connection
from typing import NamedTuple

from bench.attack import attacks as a
from tests.support.wire.raw import BEGUN, GOES_ON, PING, Raw, frame, handshake, name


class Trial(NamedTuple):
    """The conditions of an attack.

    sizes: with how many connections, and by how many ms others' p99 may then grow. options: of the server.
    """

    attack: a.Attack
    sizes: tuple[tuple[int, float], ...] = ((1, a.ONE_MS), (100, a.MANY_MS))
    options: tuple[str, ...] = ()


ATTACKS: dict[str, Trial] = {
    "empty pings": Trial(a.flood(frame(PING))),
    "empty pieces": Trial(a.flood(frame(GOES_ON), begin=frame(BEGUN))),
    "passwords of one address": Trial(
        a.on_lines(
            lambda port, _: Raw(port, address=a.address(0)),
            lambda one: one.tell("hello", name=name(), password="12345678"),
        ),
        ((60, a.MANY_MS),),
    ),
    "lock-out": Trial(
        a.on_lines(
            lambda port, _: Raw(port, address=a.address(0)),
            lambda one: one.tell("hello", name=secrets.choice(a.NAMES), password="12345678"),
        )
    ),
    "a network asks": Trial(
        a.amid(a.many_matches, a.on_lines(a.household, a.asks_all)), ((10, a.MANY_MS), (100, a.MANY_MS))
    ),
    "the page": Trial(a.downloads(lambda: f"/p/{name()}"), ((20, a.MANY_MS),)),
    "files of nothing": Trial(a.downloads(lambda: f"/t/{a.some_match()}.mat"), ((20, a.MANY_MS),)),
    "seek": Trial(a.on_lines(a.household, a.seeks), ((50, a.MANY_MS),)),
    "ignore": Trial(
        a.amid(
            lambda port: [Raw(port, a.SOMEBODY, a.address(0))],
            a.on_lines(a.guest, lambda one: one.tell("ignore", player=a.SOMEBODY, on=secrets.randbelow(2) == 0)),
        ),
        ((10, a.MANY_MS),),
    ),
    "past_tournaments": Trial(
        a.amid(a.past_evenings, a.on_lines(a.guest, lambda one: one.tell("past_tournaments"))), ((112, a.MANY_MS),)
    ),
    "available": Trial(
        a.on_lines(lambda port, n: Raw(port, name(), a.address(n), bot=True), a.offers),
        ((1, a.ONE_MS), (50, a.MANY_MS)),
    ),
    "say to a crowd": Trial(
        a.crowd(lambda one, match, _: one.tell("say", match=match, to="watchers", text="buy " * 20), 100),
        ((350, a.MANY_MS),),
    ),
    "auto before a crowd": Trial(
        a.crowd(lambda one, match, on: one.tell("auto", match=match, seq=0, what="play", on=on), 1),
        ((300, a.MANY_MS),),
    ),
    "no such match": Trial(a.on_lines(a.guest, lambda one: one.tell("attach", table=a.some_match())), ((1, a.ONE_MS),)),
    "tables": Trial(
        a.on_lines(a.guest, lambda one: one.tell("create", commitment=secrets.token_hex(32))),
        ((1, a.ONE_MS), (50, a.MANY_MS)),
    ),
    "headers": Trial(a.no_handshake(handshake()[:-2], a.HEADER)),
    "hang-ups": Trial(a.hang_ups, ((1, a.ONE_MS), (20, a.MANY_MS))),
    "3 times the limit": Trial(
        a.on_lines(a.new_guest, lambda one: not one.closed),
        ((3 * a.PLACES, a.MANY_MS),),
        ("--max-connections", str(a.PLACES)),
    ),
    "silence": Trial(a.no_handshake(), ((1000, a.MANY_MS),)),
}


def run(name: str, port: int, connections: int, seconds: float, done: Connection) -> None:
    """Attack for a while: says that it begins, and at the end how often."""
    attack = a.begun(ATTACKS[name].attack, port, connections)
    done.send("begins")
    done.send(attack(time.monotonic() + seconds))
