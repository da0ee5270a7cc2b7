"""Errors of the engine: an action that the rules refuse, and text that cannot be read."""

import enum


class Reason(enum.StrEnum):
    """Reasons to refuse an action. The values are stable: they are the error codes on the wire."""

    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    ILLEGAL_PLAY = "illegal_play"
    NO_DOUBLE = "no_double"
    NO_RESIGNATION = "no_resignation"


class IllegalAction(ValueError):
    """The rules refuse this action now. The match is unchanged and may continue.

    reason: the stable code that the wire carries. str(error): a sentence that tells the player what to do.
    """

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class BadText(ValueError):
    """A text (play, ID or match record) that cannot be read. str(error) says where and what."""
