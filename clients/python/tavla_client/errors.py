"""Errors that callers see. str(error) is always one sentence for people."""


class ClientError(Exception):
    """Any error of this library."""


class ConnectionFailed(ClientError):
    """The server cannot be reached, does not speak our protocol, or this client was closed.

    retry_after: seconds until another try makes sense, where the server says so.
    """

    def __init__(self, text: str, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class Refused(ClientError):
    """The server said no, and nothing has changed.

    code: stable, see the protocol's error codes. seq: the match's current version, for an action. retry_after: seconds
    until the same may be asked again, where a limit says so.
    """

    def __init__(self, code: str, text: str, seq: int | None = None, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.seq = seq
        self.retry_after = retry_after


class PlayStopped(ClientError):
    """The match showed something that cannot be with honest dice: nothing is sent until `Match.go_on`."""


class NoSeed(PlayStopped):
    """No seed came from the opponent, and not for the first time within an hour: seek again, or leave it."""
