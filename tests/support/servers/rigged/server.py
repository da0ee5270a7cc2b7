"""A server that cheats, for tests of those who should notice: the real one in a process of its own, with a hand in it.

Most tests take the fixture `rigged` (one process for all modes): a match is rigged if a player is called
`friend("skip")`, in that mode and for that player; all others are honest. The modes are `MODES` in `rigged/modes.py`;
`rigged/partner.py` has a friend who plays by itself.

In `no_commitments` the friend opens the table, or quick match does: who else opens it has a commitment by then.
Players have to commit to seeds, as all our clients do, where a mode is about seeds.
"""

import secrets
import sys

NAME_LENGTH = 20  # of a player's name, at most


def friend(mode: str) -> str:
    """A name for the player who is helped, which no other player has; it says in which mode the match is rigged."""
    return f"{mode}-{secrets.token_hex(8)}"[:NAME_LENGTH]


def command() -> list[str]:
    """The command that starts a rigged server, for `ServerProcess`."""
    return [sys.executable, "-m", "tests.support.servers.rigged.program"]
