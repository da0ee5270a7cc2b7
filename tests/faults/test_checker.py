"""The checker finds what it is for: a true history with one thing changed is never passed."""

import asyncio
import contextlib
import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from tavla_engine.events import Ending, MatchEnded, Moved, Rolled
from tavla_protocol import messages as m
from tavla_server.player import Player as Person
from tavla_server.record import state as records
from tavla_server.record.events import Entry
from tavla_server.record.projection import view_of
from tavla_server.record.rating import START_RATING, Tally
from tavla_server.store import keys

from tests.faults import club
from tests.faults.checker import Loss, Rated, Stored, check, check_ratings
from tests.faults.club import Table, stored
from tests.faults.history import Answered, History, Saw, Sent
from tests.faults.witness import Witness
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess, redis_at

RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 1}


@pytest.fixture(scope="module")
def truth(server: ServerProcess) -> tuple[History, Stored]:
    """A match as it was played and as it was stored."""
    return asyncio.run(played(server))


async def played(server: ServerProcess) -> tuple[History, Stored]:
    rng = random.Random(1)
    white, black, watcher = (Witness([server.url], random.Random(rng.random()), 0.0) for _ in range(3))
    for witness in (white, black, watcher):
        await witness.open()
    match = await white.begin(black, RULES)
    history = History(match)
    for witness in (white, black, watcher):
        witness.testify(history)
    await asyncio.gather(white.play_out(match), black.play_out(match), watcher.watch(match))
    for witness in (white, black, watcher):
        await witness.close()
    return history, stored(server.store_url, match)


def copied(history: History) -> History:
    copy = History(history.match)
    copy.sent, copy.answered, copy.saw = list(history.sent), list(history.answered), list(history.saw)
    return copy


def changed(stored: Stored, at: int, entry: Entry) -> Stored:
    entries = list(stored.entries)
    entries[at] = entry
    return stored._replace(entries=entries)


def index_of(stored: Stored, kind: type) -> int:
    """The place of an entry in the middle of the match with such an event."""
    places = [at for at, entry in enumerate(stored.entries) if any(isinstance(event, kind) for event in entry.events)]
    return places[len(places) // 2]


def test_a_true_history_is_passed(truth: tuple[History, Stored]) -> None:
    history, kept = truth
    verdict = check(history, kept)
    assert verdict.faults == []
    assert verdict.lost == 0
    assert verdict.acknowledged == len(history.verdicts()) > 10
    assert len(history.last_views()) == 3


# --- each a way to change the truth ---

Doctored = tuple[History, Stored]


def lost_entry(history: History, kept: Stored) -> Doctored:
    """The store has forgotten the last entry."""
    return history, Stored(kept.ids[:-1], kept.entries[:-1])


def lost_in_the_middle(history: History, kept: Stored) -> Doctored:
    """An entry is missing, and those after it have moved up."""
    at = index_of(kept, Moved)
    return history, Stored(kept.ids[:-1], kept.entries[:at] + kept.entries[at + 1 :])


def lost_roll(history: History, kept: Stored) -> Doctored:
    """The last roll is missing with all that came after it: clients saw it all the same."""
    at = [at for at, entry in enumerate(kept.entries) if any(isinstance(event, Rolled) for event in entry.events)][-1]
    return history, Stored(kept.ids[:at], kept.entries[:at])


def hole(history: History, kept: Stored) -> Doctored:
    """A number is missing."""
    return history, kept._replace(ids=[*kept.ids[:-1], f"{len(kept.ids) + 1}-0"])


def acted_twice(history: History, kept: Stored) -> Doctored:
    """An action is in the journal once more."""
    at = index_of(kept, Moved)
    return history, Stored([*kept.ids, f"{len(kept.ids) + 1}-0"], [*kept.entries, kept.entries[at]])


def acknowledged_for_nothing(history: History, kept: Stored) -> Doctored:
    """An action was acknowledged that is in no journal."""
    sent = next(sent for sent in history.sent if isinstance(sent.request, m.Move))
    history.sent.append(Sent(sent.player, m.Move(id=1, match=history.match, seq=3, moves=())))
    history.answered.append(Answered(0.0, sent.player, 1, 4))
    return history, kept


def refused_and_done(history: History, kept: Stored) -> Doctored:
    """An action was refused that is in the journal."""
    answer = history.answered[-1]
    history.answered[-1] = answer._replace(seq=None, code="stale")
    return history, kept


def never_sent(history: History, kept: Stored) -> Doctored:
    """The journal has an action that no player has asked for."""
    return history, changed(kept, -1, replace(kept.entries[-1], action=5))


def other_view(history: History, kept: Stored) -> Doctored:
    """A player saw another score than the others."""
    saw = history.saw[len(history.saw) // 2]
    history.saw[len(history.saw) // 2] = saw._replace(view=replace(saw.view, score=(7, 7)))
    return history, kept


def other_epoch(history: History, kept: Stored) -> Doctored:
    """A player was told of a fork that there was not."""
    history.saw[-1] = history.saw[-1]._replace(epoch=2)
    return history, kept


def saw_most(history: History) -> list[Saw]:
    """Views of the client that saw most: one that watches may have come late."""
    client = Counter(saw.client for saw in history.saw).most_common(1)[0][0]
    return [saw for saw in history.saw if saw.client == client]


def left_behind(history: History, kept: Stored) -> Doctored:
    """A client has not seen the end."""
    last = saw_most(history)[-1]
    history.saw = [saw for saw in history.saw if saw.client != last.client or saw.seq < last.seq]
    return history, kept


def thrown_back(history: History, kept: Stored) -> Doctored:
    """A client was shown an earlier version again, and then went on."""
    own = saw_most(history)
    history.saw += [own[-3], own[-1]]
    return history, kept


def other_dice(history: History, kept: Stored) -> Doctored:
    """The dice in the journal, and so in what was shown from then on, are not the committed ones."""
    at = index_of(kept, Rolled)
    entry = kept.entries[at]
    events = [replace(e, die_1=e.die_1 % 6 + 1) if isinstance(e, Rolled) else e for e in entry.events]
    return history, changed(kept, at, replace(entry, events=tuple(events)))


def shown_other_dice(history: History, kept: Stored) -> Doctored:
    """A client saw other dice for a roll."""
    at = next(at for at, saw in enumerate(history.saw) if saw.view.dice)
    saw = history.saw[at]
    history.saw[at] = saw._replace(view=replace(saw.view, dice=(saw.view.dice[0] % 6 + 1, saw.view.dice[1])))
    return history, kept


def played_twice(history: History, kept: Stored) -> Doctored:
    """Two plays on one roll."""
    at = index_of(kept, Moved)
    entry = kept.entries[at]
    move = next(event for event in entry.events if isinstance(event, Moved))
    return history, changed(kept, at, replace(entry, events=(move, *entry.events)))


def lost_on_time(history: History, kept: Stored) -> Doctored:
    """A match ends by its clock."""
    end = kept.entries[-1]
    return history, changed(kept, -1, replace(end, events=(*end.events[:-1], MatchEnded(0, Ending.TIME))))


WAYS = [
    (lost_entry, "acknowledged at"),
    (lost_in_the_middle, "acknowledged at"),
    (hole, "has a hole"),
    (acted_twice, "acted 2 times"),
    (acknowledged_for_nothing, "and is lost"),
    (refused_and_done, r"was refused \(stale\), and acted"),
    (never_sent, "nobody has sent"),
    (other_view, "not in the journal"),
    (other_epoch, "not in the journal"),
    (left_behind, "the journal ends with"),
    (thrown_back, "was thrown back"),
    (other_dice, "for roll"),
    (shown_other_dice, "as roll"),
    (lost_roll, "saw roll"),
    (played_twice, "a second play on roll"),
    (lost_on_time, "ends the match: time"),
]


@pytest.mark.parametrize(("change", "found"), WAYS, ids=[change.__name__ for change, _ in WAYS])
def test_a_doctored_history_is_found(
    truth: tuple[History, Stored], change: Callable[[History, Stored], Doctored], found: str
) -> None:
    faults = check(*change(copied(truth[0]), truth[1])).faults
    assert any(re.search(found, fault) for fault in faults), faults


def test_what_may_be_lost_is_counted_and_nothing_else_is_forgiven(truth: tuple[History, Stored]) -> None:
    history, kept = lost_entry(*truth)
    at_s = history.answered[-1].at_s
    history = copied(history)
    history.saw = [saw for saw in history.saw if saw.seq <= len(kept.ids)]
    forgiven = check(history, kept, Loss(at_s - 0.001, at_s + 0.001))
    assert (forgiven.faults, forgiven.lost) == ([], 1)
    assert check(history, kept, Loss(at_s + 0.001, at_s + 1)).faults != []


def test_what_was_lost_may_have_had_more_rolls_and_each_was_the_committed_one(truth: tuple[History, Stored]) -> None:
    history, whole = truth
    half = len(whole.ids) // 2
    kept, always = Stored(whole.ids[:half], whole.entries[:half]), Loss(0.0, 1e9)

    def of_dice(history: History, loss: Loss) -> list[str]:
        return [fault for fault in check(history, kept, loss).faults if "roll" in fault]

    assert of_dice(history, always) == []
    assert of_dice(history, Loss(0.0, history.saw[0].at_s)) != []
    other = copied(history)
    last = [saw for saw in other.saw if saw.view.dice][-1]
    high, low = last.view.dice
    view = replace(last.view, dice=(low, low) if high > low else (high, high % 6 + 1))
    other.saw = [saw._replace(view=view) if saw is last else saw for saw in other.saw]
    assert any("committed was" in fault for fault in of_dice(other, always))


def test_who_was_shown_an_end_that_is_lost_does_not_come_back(truth: tuple[History, Stored]) -> None:
    history, kept = lost_on_time(copied(truth[0]), truth[1])
    end = view_of(check(history, kept).record)
    seen = copied(history)
    seen.saw = [saw._replace(view=end) if saw.view.phase == "over" else saw for saw in seen.saw]
    assert history.saw != seen.saw, "they were shown another end than the journal has"

    def out_of_time(history: History, loss: Loss) -> bool:
        return any("ends the match: time" in fault for fault in check(history, kept, loss).faults)

    at_any_time, before = Loss(0.0, 1e9), Loss(0.0, history.saw[0].at_s)
    assert not out_of_time(history, at_any_time)
    assert out_of_time(history, before), "it was not allowed to lose that end"
    assert out_of_time(seen, at_any_time), "that end is not lost"


async def test_a_journal_that_is_read_before_its_end_has_come_back_is_read_again(
    server: ServerProcess, truth: tuple[History, Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    history, kept = truth
    key, aside = keys.MATCH_LOG(history.match), keys.MATCH_LOG(unique("m"))
    table = Table([server.url], server.store_url, random.Random(), 0.0)
    with contextlib.closing(redis_at(server.store_url)) as redis:
        redis.rename(key, aside)

        def early(store: str, match: str) -> Stored:
            found = stored(store, match)
            if redis.exists(aside):
                redis.rename(aside, key)
            return found

        monkeypatch.setattr(club, "stored", early)
        verdict = await table.judge(history)
    assert verdict.faults == []
    assert verdict.record == check(history, kept).record


# --- ratings ---


def test_ratings_are_found_that_were_applied_twice_or_not_at_all() -> None:
    white, black = (Person(name, name, "account", START_RATING) for name in ("ada", "bob"))
    tally = Tally(1, (4.0, -4.0), 3)
    matches = [records.Record("k3v7q2xa", players=(white, black), tally=tally)] * 2
    right = {"ada": Rated(1508.0, 6, 2), "bob": Rated(1492.0, 6, 2)}
    assert check_ratings(matches, right) == []
    for wrong in (Rated(1512.0, 9, 3), Rated(1504.0, 3, 1), Rated(1508.0, 6, 3), Rated(1508.1, 6, 2)):
        assert len(check_ratings(matches, {**right, "ada": wrong})) == 1
