"""`python -m tavla_server.features.collection.reader`: reads one match that a client has sent, in its own process.

Standard input is a line of base64, a match as clients hand it on; standard output a line of JSON, a `ReadMatch`.
"""

import base64
import os
import sys
from typing import Any

import msgspec
from msgspec.structs import replace
from tavla_engine.errors import BadText
from tavla_engine.match import Phase
from tavla_protocol.file_match import FileMatch, pack, told_events, unpack
from tavla_protocol.messages import Finding

from tavla_server.gateway.text_filter import clean
from tavla_server.record.projection import changed_options

MEMORY_BYTES, CPU_S = 512 << 20, 20
POLITENESS = 19  # the most there is: play goes first
MOST_LETTERS, MOST_TAGS, MOST_FINDINGS = 200, 50, 10_000
NAME_LETTERS = 40


class ReadMatch(msgspec.Struct, omit_defaults=True):
    """A match as the rules have decided it. document: packed anew. error: why it is none; "" = it is one."""

    players: tuple[str, str] = ("", "")
    rules: dict[str, Any] = {}
    score: tuple[int, int] = (0, 0)
    winner: int | None = None
    document: bytes = b""
    error: str = ""


def read(data: bytes) -> ReadMatch:
    """The match in some bytes."""
    try:
        sent = unpack(data)
        found = sent.record()
        if not found.match.rolls:
            raise BadText("nothing is played in this match")
        first, second = (clean(name)[:NAME_LETTERS] or "?" for name in sent.players)
        rules = changed_options(found.start.rules)
        match = FileMatch(
            players=(first, second),
            rules=rules,
            score=found.start.score,
            game=found.start.game,
            crawford_done=found.start.crawford_done,
            events=told_events(found.events),
            tags={_short(name): _short(sent.tags[name]) for name in list(sent.tags)[:MOST_TAGS]},
            verdicts=_short_findings(sent.verdicts),
            analysis=sent.analysis and replace(sent.analysis, by=_short(sent.analysis.by)),
            findings=_short_findings(sent.findings),
            cut=sent.cut,
            has_more=sent.has_more,
        )
        outcome = found.match.outcome
        winner = outcome.winner if outcome is not None and found.match.phase is Phase.OVER else None
        return ReadMatch(match.players, rules, found.match.score, winner, pack(match))
    except (BadText, ValueError, TypeError, RecursionError) as error:  # whatever it ends in, the match is at fault
        return ReadMatch(error=clean(str(error))[:MOST_LETTERS])


def _short(text: str) -> str:
    return clean(text)[:MOST_LETTERS]


def _short_findings(found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(one._replace(done=_short(one.done), best=_short(one.best)) for one in found[:MOST_FINDINGS])


def limit() -> None:
    """Let no match take the machine's memory or time."""
    os.nice(POLITENESS)
    if sys.platform == "linux":  # elsewhere there is no such limit, or none that holds
        import resource

        for what, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, CPU_S)):
            resource.setrlimit(what, (most, most))


def main() -> None:
    """Read the match on standard input."""
    limit()
    found = read(base64.b64decode(sys.stdin.buffer.readline()))
    sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")


if __name__ == "__main__":
    main()
