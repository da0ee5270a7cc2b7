"""Claim of a server: what it says of a match, for the engine's referee."""

from typing import Any

from tavla_engine.claim import Claim, terms_of
from tavla_engine.errors import BadText
from tavla_engine.terms import binding

from tavla_protocol.messages import Recorded
from tavla_protocol.view import View, from_fields


def claim_of(record: Recorded) -> Claim:
    """Claim of a record. Raises: BadText, when its view is none."""
    try:
        view = from_fields(record.view)
    except ValueError as error:
        raise BadText(f"its view is none: {error}") from None
    return _claim(record.match, view, record.events)


def terms_in(match: str, view: View) -> str:
    """The terms that a view shows; "" while a seat is free, or a name has gone."""
    return terms_of(_claim(match, view, [])) if all(view.salts) else ""


def binding_of(match: str, view: View) -> str:
    """SHA-256 of the terms that a view shows, in hex; "" while there are none."""
    return binding(terms) if (terms := terms_in(match, view)) else ""


def _claim(match: str, view: View, events: list[list[Any]]) -> Claim:
    return Claim(
        match=match,
        rules=view.rules,
        commitment=view.commitment,
        commitments=view.commitments,
        seeds=view.seeds,
        seed=view.seed,
        over=view.phase == "over",
        events=events,
        players=view.players,
        kinds=view.kinds,
        salts=view.salts,
    )
