"""Exported matches changed afterwards: `tampered("sixes_in_events", exported)`, where exported is the JSON of a
match that is over, as `tavla export` writes it. `TAMPERINGS` names all ways; none leaves the file as it was.
"""

import copy
from collections.abc import Callable
from typing import Any

Exported = dict[str, Any]
TYPE, SEAT = 2, 3  # of an event [seq, ms since 1970, type, ...]: where these stand; after a seat follow dice or moves


def tampered(how: str, exported: Exported) -> Exported:
    """A copy of an exported match, changed in one of the ways of `TAMPERINGS`."""
    forged = copy.deepcopy(exported)
    TAMPERINGS[how](forged)
    assert forged != exported, f"{how}: nothing was changed"
    return forged


def _at(forged: Exported, type_: str) -> int:
    """Index of an event of this type, somewhere in the middle. Of rolls, one that is not 6-6."""
    found = [
        at
        for at, event in enumerate(forged["events"])
        if event[TYPE] == type_ and event[-2:] != [6, 6] and event[-2:] != [[], True]
    ]
    return found[len(found) // 2]


def _number(forged: Exported, at: int) -> int:
    """Of the roll at this place among the events: its place among the rolls."""
    return sum(event[TYPE] in ("rolled", "opening_rolled") for event in forged["events"][:at])


def _sixes_in_events(forged: Exported) -> None:
    forged["events"][_at(forged, "rolled")][-2:] = [6, 6]


def _sixes_in_rolls(forged: Exported) -> None:
    forged["rolls"][_number(forged, _at(forged, "rolled"))][1:3] = [6, 6]


def _sixes_in_both(forged: Exported) -> None:
    _sixes_in_rolls(forged)
    _sixes_in_events(forged)


def _roll_removed(forged: Exported) -> None:
    """From the events and the rolls, so that numbers do not jump."""
    at = _at(forged, "rolled")
    del forged["rolls"][_number(forged, at)]
    forged["rolls"] = [[number, *dice] for number, (_, *dice) in enumerate(forged["rolls"], 1)]
    del forged["events"][at]


def _event_removed(forged: Exported) -> None:
    del forged["events"][_at(forged, "rolled")]


def _play_removed(forged: Exported) -> None:
    del forged["events"][_at(forged, "moved")]


def _play_twice(forged: Exported) -> None:
    at = _at(forged, "moved")
    forged["events"].insert(at, forged["events"][at])


def _roll_twice(forged: Exported) -> None:
    at = _at(forged, "rolled")
    forged["events"].insert(at, forged["events"][at])


def _events_swapped(forged: Exported) -> None:
    """A roll, and the play before it."""
    events, at = forged["events"], _at(forged, "rolled")
    events[at - 1], events[at] = events[at], events[at - 1]


def _rolls_swapped(forged: Exported) -> None:
    """The dice of two rolls, in the events alone."""
    events, at = forged["events"], _at(forged, "rolled")
    other = next(i for i, event in enumerate(events) if event[TYPE] == "rolled" and event[-2:] != events[at][-2:])
    events[at][-2:], events[other][-2:] = events[other][-2:], events[at][-2:]


def _dice_turned(forged: Exported) -> None:
    """The two dice of the opening roll change places, and so the player who starts."""
    event = next(one for one in forged["events"] if one[TYPE] == "opening_rolled" and one[-1] != one[-2])
    event[-2:] = event[:-3:-1]


def _another_player(forged: Exported) -> None:
    event = forged["events"][_at(forged, "rolled")]
    event[SEAT] = 1 - event[SEAT]


def _play_changed(forged: Exported) -> None:
    """The first checker of a play goes one point further."""
    event = forged["events"][_at(forged, "moved")]
    source, target = event[SEAT + 1][0]
    event[SEAT + 1][0] = [source, target - 1 if target else 1]


def _winner_changed(forged: Exported) -> None:
    event = forged["events"][_at(forged, "match_ended")]
    event[SEAT] = 1 - event[SEAT]


def _points_changed(forged: Exported) -> None:
    forged["events"][_at(forged, "game_ended")][SEAT + 1] += 1


def _end_removed(forged: Exported) -> None:
    """All events from the middle on."""
    del forged["events"][_at(forged, "rolled") :]


def _no_events(forged: Exported) -> None:
    forged["events"] = []


def _score_changed(forged: Exported) -> None:
    """In the view alone."""
    forged["view"]["score"] = forged["view"]["score"][::-1]


def _seed_changed(forged: Exported) -> None:
    forged["seed"] = forged["view"]["seed"] = "11" * 32


def _player_seed_changed(forged: Exported) -> None:
    forged["seeds"] = forged["view"]["seeds"] = ["11" * 16, forged["seeds"][1]]


def _commitment_changed(forged: Exported) -> None:
    forged["commitment"] = forged["view"]["commitment"] = "11" * 32


def _commitments_dropped(forged: Exported) -> None:
    forged["commitments"] = forged["view"]["commitments"] = ["", ""]


def _seed_in_view(forged: Exported) -> None:
    """Give the view another seed than the proof has."""
    forged["view"]["seed"] = "11" * 32


def _match_changed(forged: Exported) -> None:
    forged["match"] = forged["match"][::-1] + "a"


TAMPERINGS: dict[str, Callable[[Exported], None]] = {
    "sixes_in_events": _sixes_in_events,
    "sixes_in_rolls": _sixes_in_rolls,
    "sixes_in_both": _sixes_in_both,
    "roll_removed": _roll_removed,
    "event_removed": _event_removed,
    "play_removed": _play_removed,
    "play_twice": _play_twice,
    "roll_twice": _roll_twice,
    "events_swapped": _events_swapped,
    "rolls_swapped": _rolls_swapped,
    "dice_turned": _dice_turned,
    "another_player": _another_player,
    "play_changed": _play_changed,
    "winner_changed": _winner_changed,
    "points_changed": _points_changed,
    "end_removed": _end_removed,
    "no_events": _no_events,
    "score_changed": _score_changed,
    "seed_changed": _seed_changed,
    "player_seed_changed": _player_seed_changed,
    "commitment_changed": _commitment_changed,
    "commitments_dropped": _commitments_dropped,
    "seed_in_view": _seed_in_view,
    "match_changed": _match_changed,
}
