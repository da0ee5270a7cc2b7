"""The journal's entries: what is read from them is what was written, now and with every later version."""

import itertools
import random

import pytest
from msgspec.structs import astuple
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Auto
from tavla_engine.chain import link_number
from tavla_engine.events import Ending
from tavla_engine.rules import PRESETS, Rules
from tavla_server.match.lifecycle import reveal
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import (
    EVENTS,
    Agreed,
    Cancelled,
    Created,
    Entry,
    Event,
    Forked,
    Met,
    Revealed,
    Ruled,
    Seated,
    Terms,
    decode_entry,
    encode_entry,
)
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry, with_clock_and_tally
from tavla_server.record.state import Record, apply_all, decode_record, encode_record

from tests.support.games.chance import choose_action
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.wire.values import with_same_contents

ADA, BOB = Player("a" * 16, "ada"), Player("b" * 16, "bob")
RULES = PRESETS["tournament"].rules
MANY_RULES = [
    *(named.rules._replace(length=min(named.rules.length, 5)) for named in PRESETS.values()),
    RULES._replace(length=3, reserve_s=120, delay_s=12),
]

# Journals live longer than programs: a code never gets another meaning, and new ones are added at the end.
CODES = [  # code, event, its bytes in every journal
    (
        0,
        Created("table", RULES, b"", Terms(), bytes(range(32)), "5eed"),
        "9700a57461626c65dc0011a87374616e6461726407c300c3c20000a8726f6c6c5f6f666600c3c20000c2c3c2"
        "c40095a0c3a6706572736f6e920000c0c420000102030405060708090a0b0c0d0e0f101112131415"
        "161718191a1b1c1d1e1fa435656564",
    ),
    (
        1,
        Seated(1, BOB, "c0ffee", "5eed"),
        "95010195b062626262626262626262626262626262a3626f62a56775657374c000a6633066666565a435656564",
    ),
    (2, Cancelled(put_back=True), "9202c3"),
    (3, e.Readied(1), "920301"),
    (4, e.GameStarted(True), "9204c3"),
    (5, e.OpeningRolled(3, 1), "93050301"),
    (6, e.Rolled(0, 6, 6), "9406000606"),
    (7, e.Moved(1, ((25, 20), (6, 0))), "94070192921914920600c2"),
    (8, e.Doubled(0), "920800"),
    (9, e.Taken(1), "920901"),
    (10, e.Beavered(1), "920a01"),
    (11, e.ResignationOffered(0, 2), "930b0002"),
    (12, e.ResignationRefused(1), "920c01"),
    (13, e.AutoSet(0, Auto.PLAY, True), "940d00a4706c6179c3"),
    (14, e.GameEnded(0, 4, 2, Ending.BORNE_OFF), "950e000402a9626f726e655f6f6666"),
    (15, e.MatchEnded(None, Ending.LEFT), "930fc0a46c656674"),
    (16, Forked("0a", 5), "9310a2306105"),
    (17, Revealed(1, "c0ffee"), "931101a6633066666565"),
    (18, e.AbortAsked(1, True), "931201c3"),
    (19, Ruled("eve", "why"), "9313a3657665a3776879"),
    (
        20,
        e.PositionSet(1, ((0,) * 24 + (1, 0), (0,) * 25 + (1,)), 4, 0),
        f"95140192dc001a{'00' * 24}0100dc001a{'00' * 25}010400",
    ),
    (21, Met(3), "921503"),
    (22, Agreed("tavla-terms-1\n"), "9216ae7461766c612d7465726d732d310a"),
]
# Rules had two options less, and no table was of a tournament.
CREATED_0_1 = (
    "9700a57461626c659fa87374616e6461726407c300c3c20000a8726f6c6c5f6f666600c3c20000c2"
    "c40094a0c3a6706572736f6e920000c420000102030405060708090a0b0c0d0e0f10111213141516"
    "1718191a1b1c1d1e1fa435656564"
)


def test_a_table_that_was_opened_when_there_were_fewer_options_has_the_same_rules() -> None:
    created = Created("table", RULES, b"", Terms(), bytes(range(32)), "5eed")
    now = encode_entry(Entry(ADA.id, 1, 2, 3, (created,)))
    then = bytes.fromhex(now.hex().removesuffix(CODES[0][2]) + CREATED_0_1)
    assert decode_entry(then) == decode_entry(now)


@pytest.mark.parametrize(("code", "event", "data"), CODES, ids=[type(event).__name__ for _, event, _ in CODES])
def test_an_event_keeps_its_code_and_bytes_and_comes_back_as_it_was(code: int, event: Event, data: str) -> None:
    assert EVENTS[code] is type(event)
    entry = Entry(ADA.id, 2**63 - 1, 1_700_000_000_000, 300, (event,))
    assert encode_entry(entry).hex().endswith(f"91{data}"), "the only event of the entry"
    decoded = decode_entry(encode_entry(entry))
    assert decoded == entry
    assert list(map(type, astuple(decoded.events[0]))) == list(map(type, astuple(event)))


def test_no_two_events_of_different_types_are_equal() -> None:
    for one, other in itertools.permutations(EVENTS, 2):
        for left, right in itertools.product(with_same_contents(one), with_same_contents(other)):
            assert left != right


def test_every_code_is_pinned() -> None:
    assert [code for code, *_ in CODES] == list(range(len(EVENTS)))


def begin(rules: Rules, rng: random.Random) -> Entry:
    """The first entry of a match in which both seats are taken."""
    seated = Seated(0, ADA, commitment=COMMITMENTS[0]), Seated(1, BOB, commitment=COMMITMENTS[1])
    return Entry("", 0, 0, 0, (Created("table", rules, rng.randbytes(32)), *seated))


def random_entry(record: Record, action: int, rng: random.Random) -> tuple[Entry, Record]:
    """An entry for a random action, some time later, and the record then, as the server makes it."""
    if record.missing_seeds:
        seat = rng.choice(record.missing_seeds)
        decide = reveal(seat, SEEDS[seat], record.binding)
    else:
        decide = engine_decide(choose_action(record.match, rng))
    events, after = decide(record, MatchDice())
    entry = Entry(rng.choice((ADA.id, BOB.id)), action, 1000 * action, rng.randrange(300), tuple(events))
    return entry, with_clock_and_tally(after, record.match, entry)


@pytest.mark.parametrize("rules", MANY_RULES, ids=lambda rules: "-".join(map(str, rules))[:50])
def test_replaying_a_match_gives_its_state_byte_for_byte(rules: Rules, rng: random.Random) -> None:
    entry = begin(rules, rng)
    record, written = apply_entry(Record("abcdefgh"), entry), [encode_entry(entry)]
    while not record.over and len(written) < 1000:
        entry, record = random_entry(record, len(written), rng)
        written.append(encode_entry(entry))
    replayed = Record("abcdefgh")
    for data in written:
        replayed = apply_entry(replayed, decode_entry(data))
    assert replayed == record
    assert view_of(replayed) == view_of(record)
    seq, restored = decode_record(encode_record(7, record))
    assert (seq, restored, repr(restored)) == (7, record, repr(record)), "the types, too"
    assert encode_record(7, restored) == encode_record(7, replayed) == encode_record(7, record)


@pytest.mark.parametrize("rules", MANY_RULES, ids=lambda rules: "-".join(map(str, rules))[:50])
def test_a_snapshot_at_any_point_and_the_entries_after_it_give_the_same(rules: Rules, rng: random.Random) -> None:
    record = apply_entry(Record("abcdefgh"), begin(rules, rng))
    history: list[tuple[Record, bytes]] = [(record, b"")]
    while not record.over and len(history) < 60:
        entry, record = random_entry(record, len(history), rng)
        history.append((record, encode_entry(entry)))
    for start in range(0, len(history), 7):
        _, again = decode_record(encode_record(start, history[start][0]))
        for _, data in history[start + 1 :]:
            again = apply_entry(again, decode_entry(data))
        assert again == record


def test_the_view_hides_the_seed_until_the_match_is_over() -> None:
    created = Created("table", RULES, bytes(range(32)))
    record = apply_all(Record("abcdefgh"), [created, Seated(0, ADA)])
    assert view_of(record).seed == ""
    assert view_of(record).phase == "open"
    assert len(view_of(record).commitment) == 64
    playing = apply_all(record, [Seated(1, BOB)])
    assert view_of(playing).seed == ""
    for over in (apply_all(record, [Cancelled()]), apply_all(playing, [e.MatchEnded(1, Ending.FORFEIT)])):
        assert view_of(over).phase == "over"
        assert MatchDice().seeds_to_show(playing, over) == []
        assert view_of(over).seed == "", "no game was played"


def test_the_seed_of_a_game_is_shown_when_it_ends_and_that_of_a_void_match_is_not() -> None:
    opened: list[Event] = [Created("table", RULES._replace(length=3), bytes(range(32))), Seated(0, ADA), Seated(1, BOB)]
    record = engine_decide(a.Ready(0), a.Ready(1))(apply_all(Record("abcdefgh"), opened), MatchDice())[1]
    assert record.match.game == 1
    for event in (
        e.GameEnded(0, 1, 1, Ending.DROP),
        e.MatchEnded(1, Ending.FORFEIT),
        e.MatchEnded(None, Ending.ABORTED),
    ):
        (shown,) = MatchDice().seeds_to_show(record, apply_all(record, [event]))
        assert link_number(bytes.fromhex(shown.seed), record.commitment) == 1
        assert view_of(apply_all(record, [event, shown])).seed == shown.seed
    assert MatchDice().seeds_to_show(record, apply_all(record, [e.MatchEnded(None, Ending.VOIDED)])) == []
    ended = apply_all(record, [e.GameEnded(0, 1, 1, Ending.DROP)])
    assert MatchDice().seeds_to_show(ended, apply_all(ended, [e.Readied(0)])) == [], "shown once"
    assert MatchDice().seeds_to_show(ended, apply_all(ended, [e.MatchEnded(1, Ending.FORFEIT)])) == []
