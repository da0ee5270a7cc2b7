"""The ledger of one player: the seed of each match, what was asked for and seen, and how it ended; on disk if need be.

An entry is there as soon as we commit to a seed, and stays when its match is over. Later it goes, and a number stays.
"""

import contextlib
import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace
from tavla_engine.dice import commitment

from tavla_client.files import write_whole

SEED_BYTES = 32  # of our own randomness in each match's dice
KEPT_S = 90 * 24 * 3600  # a match may rest for long; the seed of a request that came to nothing is not wanted again
KEPT = 1000  # entries of matches that are over: a program may play one a minute
UNDER_WAY_S = 24 * 3600.0  # since a match was seen: a server that has no archive forgets it later
RECENT_S = 3600.0  # within which lines rarely fail twice
TALLY = "counts"  # a file beside the entries: a letter for each entry that is gone, since two programs may append to it
LETTERS = {"A": "A", "B": "B", "put_back": "P"}  # of how matches ended; "." for all others

End = Literal["", "played", "void", "A", "B", "put_back"]


class Counts(NamedTuple):
    """Counts of matches at a server for which we have revealed a seed, and of those that ended before the first roll.

    no_seed: for want of the other player's seed. by_server: by the server's doing. put_back: since a backup was put
    back.
    """

    matches: int
    no_seed: int = 0
    by_server: int = 0
    put_back: int = 0

    @property
    def text(self) -> str:
        """The counts in sentences; "" without a match."""
        if not self.matches:
            return ""
        texts = [
            f"Of {self.matches} match{'es' * (self.matches > 1)} here {self.no_seed or 'none'} ended before the first"
            f" roll because no seed came from the other player, and {self.by_server or 'none'} by the server's doing."
        ]
        if self.put_back:
            texts.append(f"{self.put_back} more ended because a backup was put back.")
        if self.no_seed:
            texts.append("Lines fail: some of the first kind are usual.")
        if self.by_server:
            texts.append("The second kind is not usual: if there are more of them, play elsewhere.")
        return " ".join(texts)


class Pledge(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pledge, an entry of the ledger: a seed of ours, in hex, with what we asked for, and its match.

    asked: options of the rules. opponent: the name of the one that we asked for, "" = anybody. terms, seat: those that
    we saw before we revealed it.
    fault: what was wrong with that match. taken: the server has the seed. epoch, seq, rolls: the newest version of the
    match that was written down. shown: the server's newest seed then, in hex. losses: how often it was shown as it was
    earlier. player: our id. seen_ms: when that was written, in ms since 1970.
    end: how it ended, "" = not yet: `played` (somebody has won), `void`, `A` (no seed came from the other player), `B`
    (by the server's doing), `put_back` (a backup was). ended_ms: when, in ms since 1970.
    """

    seed: str
    asked: dict[str, bool | int | str] = {}
    opponent: str = ""
    match: str = ""
    terms: str = ""
    seat: int = 0
    fault: str = ""
    taken: bool = False
    epoch: int = 0
    seq: int = 0
    rolls: int = 0
    shown: str = ""
    losses: int = 0
    player: str = ""
    seen_ms: int = 0
    end: End = ""
    ended_ms: int = 0

    @property
    def commitment(self) -> str:
        """Hash of the seed, shown before the seed is revealed."""
        return commitment(bytes.fromhex(self.seed))

    @property
    def commitments(self) -> tuple[str, ...]:
        """Commitments in the terms: the server's, white's, black's; () = it is not revealed."""
        return tuple(self.terms.split("\n")[5:8])


class Pledges:
    """All pledges of one player, by their commitments; in a folder, if they are to outlive this program.

    One file a pledge, so that two programs of one player never write the same one.
    now: seconds since 1970, for tests. Raises, everywhere: OSError when the folder cannot be used.
    """

    def __init__(self, folder: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._folder, self._now = folder, now
        self._tally = ""  # without a folder
        self._known = dict[str, Pledge]()
        for pledge, written_s in self._read():
            self._known[pledge.commitment] = pledge
            if now() - written_s > KEPT_S:
                self._fold(pledge)

    @property
    def counts(self) -> Counts:
        """Counts of all matches, also of those whose entries are gone, and those of other programs."""
        tally = self._tally
        if self._folder is not None:
            with contextlib.suppress(FileNotFoundError):
                tally = (self._folder / TALLY).read_text("ascii", "replace")
        kept = self._known.values() if self._folder is None else [pledge for pledge, _ in self._read()]
        ends = Counter([*tally, *(_letter(pledge) for pledge in kept if pledge.match)])
        return Counts(ends.total(), ends["A"], ends["B"], ends["P"])

    def has_failed_again(self) -> bool:
        """True if no seed came from the other player in two of the matches that ended within the last hour."""
        since_ms = (self._now() - RECENT_S) * 1000
        return sum(pledge.end == "A" and pledge.ended_ms > since_ms for pledge in self._known.values()) > 1

    def is_under_way(self, pledge: Pledge, player: str) -> bool:
        """True if a match that this player has seen within a day was not over then."""
        seen_s = self._now() - pledge.seen_ms / 1000
        return not pledge.end and pledge.player == player and seen_s < UNDER_WAY_S

    def make(
        self, seed: str | None = None, asked: Mapping[str, bool | int | str] | None = None, opponent: str = ""
    ) -> str:
        """Commit to a seed, a fresh one if None; the commitment. asked: options of the rules that we ask for."""
        return self._keep(Pledge(seed or secrets.token_hex(SEED_BYTES), dict(asked or {}), opponent)).commitment

    def find(self, commitment_: str) -> Pledge | None:
        """The pledge of a commitment, if it is ours."""
        return self._known.get(commitment_)

    def is_secret(self, commitment_: object, match: str) -> bool:
        """True if a commitment is ours, and its seed was revealed for no other match."""
        pledge = self.find(commitment_) if isinstance(commitment_, str) else None
        return pledge is not None and pledge.match in ("", match)

    def revealed_for(self, match: str) -> Pledge | None:
        """The pledge that was revealed for a match."""
        return next((pledge for pledge in self._known.values() if pledge.match == match), None)

    def bind(self, pledge: Pledge, match: str, terms: str, seat: int, player: str = "") -> Pledge | None:
        """Note what we see before we reveal, for good. None if it was revealed for another match, or for other terms:
        a player who has seen the seed could have chosen a commitment by it.
        """
        if pledge.match:
            return pledge if (pledge.match, pledge.terms, pledge.seat) == (match, terms, seat) else None
        seen_ms = int(self._now() * 1000)
        return self._keep(replace(pledge, match=match, terms=terms, seat=seat, player=player, seen_ms=seen_ms))

    def renew(self, commitment_: str) -> str:
        """A commitment for another match: the same one, unless its seed is known by now."""
        pledge = self.find(commitment_)
        is_secret = pledge is not None and not pledge.match
        if is_secret or pledge is None:
            return commitment_ if is_secret else self.make()
        return self.make(asked=pledge.asked, opponent=pledge.opponent)

    def note(self, before: Pledge, after: Pledge) -> Pledge:
        """Note what has become of a match, if it tells more than the version of it. The first fault and end stay."""
        after = replace(after, fault=before.fault or after.fault, end=before.end or after.end)
        if after == replace(before, epoch=after.epoch, seq=after.seq, rolls=after.rolls):
            return before
        after = replace(after, seen_ms=int(self._now() * 1000))
        if after.end and not before.end:
            after = replace(after, ended_ms=after.seen_ms)
            over = [pledge for pledge in self._known.values() if pledge.end]
            for oldest in sorted(over, key=lambda pledge: pledge.ended_ms)[: max(0, len(over) + 1 - KEPT)]:
                self._fold(oldest)
        return self._keep(after)

    def forget(self, commitment_: str) -> None:
        """The match never was. One for which the seed was revealed stays."""
        pledge = self.find(commitment_)
        if pledge is not None and not pledge.match:
            self._fold(pledge)

    def _fold(self, pledge: Pledge) -> None:
        """Throw an entry away; a letter stays of a match. Of two programs, the one that removes the file counts it."""
        del self._known[pledge.commitment]
        if self._folder is None:
            self._tally += _letter(pledge) if pledge.match else ""
            return
        with contextlib.suppress(FileNotFoundError):
            (self._folder / pledge.commitment).unlink()
            if pledge.match:
                handle = os.open(self._folder / TALLY, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with os.fdopen(handle, "w", encoding="ascii") as tally:
                    tally.write(_letter(pledge))

    def _keep(self, pledge: Pledge) -> Pledge:
        self._known[pledge.commitment] = pledge
        if self._folder is not None:
            write_whole(self._folder / pledge.commitment, msgspec.json.encode(pledge))
        return pledge

    def _read(self) -> Iterator[tuple[Pledge, float]]:
        """The entries in the folder, each with the time when it was written, in s since 1970."""
        if self._folder is None or not self._folder.is_dir():
            return
        for path in self._folder.iterdir():
            if path.name != TALLY and not path.name.startswith("."):
                with contextlib.suppress(FileNotFoundError, msgspec.DecodeError, ValueError):
                    pledge = msgspec.json.decode(path.read_bytes(), type=Pledge)
                    if pledge.commitment == path.name:
                        yield pledge, path.stat().st_mtime


def _letter(pledge: Pledge) -> str:
    return LETTERS.get(pledge.end, ".")
