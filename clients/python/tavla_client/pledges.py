"""The seeds that we have committed to and may have to reveal: kept until their match is over, on disk if need be."""

import contextlib
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace
from tavla_engine.dice import commitment

from tavla_client.files import write_whole

SEED_BYTES = 32  # of our own randomness in each match's dice
KEPT_S = 90 * 24 * 3600  # a match may rest for long; the seed of a request that came to nothing is not wanted again


class Pledge(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seed of ours, in hex, with what we asked for, and for which match it was revealed.

    asked: options of the rules. opponent: the name of the one that we asked for, "" = anybody. terms, seat: those that
    we saw before we revealed it.
    fault: what was wrong with that match; such a pledge is kept, since it is the proof.
    """

    seed: str
    asked: dict[str, bool | int | str] = {}
    opponent: str = ""
    match: str = ""
    terms: str = ""
    seat: int = 0
    fault: str = ""

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
    Raises, everywhere: OSError when the folder cannot be used.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, Pledge] = {}
        if folder is not None and folder.is_dir():
            for path in folder.iterdir():
                self._load(path)

    def make(
        self, seed: str | None = None, asked: Mapping[str, bool | int | str] | None = None, opponent: str = ""
    ) -> str:
        """Commit to a seed, a fresh one if None; the commitment. asked: options of the rules that we ask for."""
        return self._keep(Pledge(secrets.token_hex(SEED_BYTES) if seed is None else seed, dict(asked or {}), opponent))

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

    def bind(self, pledge: Pledge, match: str, terms: str, seat: int) -> Pledge | None:
        """Note what we see before we reveal, for good. None if it was revealed for another match, or for other terms:
        a player who has seen the seed could have chosen a commitment by it.
        """
        if pledge.match:
            return pledge if (pledge.match, pledge.terms, pledge.seat) == (match, terms, seat) else None
        bound = replace(pledge, match=match, terms=terms, seat=seat)
        self._keep(bound)
        return bound

    def renew(self, commitment_: str) -> str:
        """A commitment for another match: the same one, unless its seed is known by now."""
        pledge = self.find(commitment_)
        is_secret = pledge is not None and not pledge.match
        if is_secret or pledge is None:
            return commitment_ if is_secret else self.make()
        return self.make(asked=pledge.asked, opponent=pledge.opponent)

    def accuse(self, pledge: Pledge, fault: str) -> Pledge:
        """Note what was wrong with the match that a pledge was for."""
        if not pledge.fault:
            pledge = replace(pledge, fault=fault)
            self._keep(pledge)
        return pledge

    def forget(self, commitment_: str) -> None:
        """The match is over, or never was."""
        if self._known.pop(commitment_, None) is not None and self._folder is not None:
            (self._folder / commitment_).unlink(missing_ok=True)

    def _keep(self, pledge: Pledge) -> str:
        self._known[pledge.commitment] = pledge
        if self._folder is not None:
            write_whole(self._folder / pledge.commitment, msgspec.json.encode(pledge))
        return pledge.commitment

    def _load(self, path: Path) -> None:
        with contextlib.suppress(FileNotFoundError, msgspec.DecodeError):
            if time.time() - path.stat().st_mtime > KEPT_S:
                path.unlink()
            elif not path.name.startswith("."):
                self._known[path.name] = msgspec.json.decode(path.read_bytes(), type=Pledge)
