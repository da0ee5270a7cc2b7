"""Commitments of players to their seeds."""

from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused


def check_differs(commitment: str, *others: str) -> None:
    """Raises: Refused for a commitment that another has: who copies one could repeat its seed, once it is shown."""
    if commitment and commitment in others:
        text = "another player here has committed to the same seed: commit to a fresh one of your own"
        raise Refused(ErrorCode.BAD_COMMITMENT, text)
