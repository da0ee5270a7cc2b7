"""Ways to cheat with seeds and commitments."""

from collections import Counter
from hashlib import sha256
from typing import Any

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.dice import commitment
from tavla_engine.values import with_one
from tavla_protocol.view import View
from tavla_server.record.events import Agreed, Cancelled, Event, Revealed, Seated
from tavla_server.record.projection import agreed_text
from tavla_server.record.state import Record, apply

from tests.support.servers.rigged.dice import agreed_anew, liked_salt, liked_seed, margin, truth
from tests.support.servers.rigged.mode import Mode
from tests.support.servers.rigged.retelling import Entries, with_events

VOIDS = 2  # matches of a victim that are void whatever the dice
# --- seeds ---


def _drop_commitments(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The server's seed alone is in the dice, and the last salt is drawn until they please."""
    if not isinstance(event, Seated):
        return [event]
    silent = replace(event, commitment="")
    return [silent if record.players[1 - event.seat] is None else liked_salt(record, silent, friend)]


def _change_own(record: Record, event: Event, friend: Seat) -> list[Event]:
    """A seed of the server's stands in the place of the victim's, and is revealed when both have sat down."""
    if not isinstance(event, Seated) or record.players[1 - event.seat] is None:
        return [event]
    return [event, Revealed(1 - friend, sha256(f"fake {record.id}".encode()).hexdigest()[:32])]


def _commitment_of_seed(_before: Record, after: Record, event: Event) -> Record:
    if isinstance(event, Revealed) and event.seat is not None:
        committed = commitment(bytes.fromhex(event.seed))
        return replace(after, commitments=with_one(after.commitments, event.seat, committed))
    return after


def is_last(record: Record, event: Event) -> bool:
    """True if this seed is the last that a match waits for."""
    return isinstance(event, Revealed) and record.missing_seeds == (event.seat,)


def _commit_again(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Another seed of the server's, tried when both players' are known."""
    if not is_last(record, event):
        return [event]
    known = apply(record, event)
    seed = liked_seed(known, friend)
    return [event, Revealed(None, seed.hex()), Agreed(agreed_text(agreed_anew(known, seed)))]


def _new_commitment(before: Record, after: Record, event: Event) -> Record:
    if isinstance(event, Revealed) and event.seat is None and not before.match.game and not before.cancelled:
        return agreed_anew(after, after.shown)
    return after


def _without_early_seed(record: Record, entries: Entries, _friend: Seat) -> Entries:
    *early, last = entries
    terms = [event for _, entry in early for event in entry.events if isinstance(event, Agreed)]

    def is_early(event: Event) -> bool:
        return event in terms[:-1] or (isinstance(event, Revealed) and event.seat is None)

    return [*with_events(early, lambda event: [] if is_early(event) else [event]), last]


_held_back: dict[str, Revealed] = {}  # by match: what the victim has revealed, and no client is told
_voids = Counter[str]()  # by victim's id


def _void_and_blame(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The match is void as if the victim had not revealed, again and again until the dice please."""
    if not isinstance(event, Revealed) or event.seat is None:
        return [event]
    if event.seat != friend:
        _held_back[record.id] = event
        if friend in record.missing_seeds:
            return []
        known, own = apply(record, event), list[Event]()
    elif record.id in _held_back:
        known, own = apply(apply(record, event), _held_back[record.id]), [event]
    else:
        return [event]
    if _pleases_at_last(known, friend):
        return [*own, _held_back[record.id]]
    return [*own, Cancelled()]


def _pleases_at_last(record: Record, friend: Seat) -> bool:
    """True if a match is played of which all seeds are known. The first ones of a victim are void whatever the dice."""
    victim = record.players[1 - friend]
    assert victim is not None, "both have sat down"
    if _voids[victim.id] >= VOIDS and margin(truth(record), friend) > 0:
        return True
    _voids[victim.id] += 1
    return False


def _close_in_silence(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The match is closed when all seeds are known, and nobody is named, again and again until the dice please."""
    if not is_last(record, event) or _pleases_at_last(apply(record, event), friend):
        return [event]
    return [event, Cancelled()]


def _no_seed(_record: Record, view: View, _friend: Seat) -> View:
    return replace(view, seed="")


def _without_seed(_record: Record, entries: Entries, _friend: Seat) -> Entries:
    return with_events(entries, lambda event: [] if isinstance(event, Revealed) and event.seat is None else [event])


# --- what is in the place of hex ---

BAD: dict[str, Any] = {
    "text": "zz" * 32,
    "odd": "abc",
    "long": "ab" * 10_000,
    "wide": "\uff11" * 64,  # digits, but of another kind
    "esc": "\x1b]0;tavla\x07",
    "part": "0a:0b",
    "int": 7,
    "nil": None,
    "list": ["0a", 1],
}


def _bad_commitment(value: Any) -> Mode:
    return Mode(shown=lambda _, view, _friend: replace(view, commitment=value))


def _bad_commitments(value: Any) -> Mode:
    """The friend's."""
    return Mode(
        shown=lambda _, view, friend: (
            replace(view, commitments=with_one(view.commitments, friend, value)) if view.players[friend] else view
        )
    )


def _bad_seeds(value: Any) -> Mode:
    """The friend's, once it is revealed."""
    return Mode(
        shown=lambda _, view, friend: (
            replace(view, seeds=with_one(view.seeds, friend, value)) if view.seeds[friend] else view
        )
    )


def _bad_seed(value: Any) -> Mode:
    """The server's, at the end."""
    return Mode(shown=lambda _, view, _friend: replace(view, seed=value) if view.seed else view)


BAD_FIELDS = {"hash": _bad_commitment, "hashes": _bad_commitments, "seeds": _bad_seeds, "seed": _bad_seed}


SEED_MODES = {
    "no_commitments": Mode(_drop_commitments),
    "changed_own": Mode(_change_own, applied=_commitment_of_seed),
    "no_seed": Mode(shown=_no_seed, told=_without_seed),
    "late_commitment": Mode(_commit_again, told=_without_early_seed, applied=_new_commitment),
    "void_blame": Mode(_void_and_blame),
    "void_silent": Mode(_close_in_silence),
    **{f"bad_{field}_{name}": make(value) for field, make in BAD_FIELDS.items() for name, value in BAD.items()},
}
