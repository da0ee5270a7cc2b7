"""Actions in a match, which are most of what a server reads."""

import msgspec

from tavla_protocol.messages import MatchAction, PlayerAction

_actions: msgspec.msgpack.Decoder[MatchAction] = msgspec.msgpack.Decoder(PlayerAction)


def decode_action(frame: bytes) -> MatchAction | None:
    """An action in a match, as `codec.decode_request` gives it, at a fifth of the cost; None for all else."""
    try:
        return _actions.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
