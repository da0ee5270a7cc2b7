"""`tavla verify`: whether the dice of an exported match are those that everybody had committed to."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from tavla_engine.proof import SIDES, faults_of

from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import CODE, WHAT, is_file, load
from tavla_cli.records.files import proof_in
from tavla_cli.text.words import clean, plural


@click.command()
@WHAT
@CODE
@common
async def verify(options: Options, what: str, code: str) -> None:
    """Check the dice of a match that is over.

    Of a FILE that was exported as JSON, without asking any server; or of what the server says of MATCH.
    """
    proof = _read(Path(what)) if is_file(what) else await _asked(options, what, code)
    try:
        faults = faults_of(proof)
        count = len(proof["rolls"])
        silent = [side for side, committed in zip(SIDES, proof["commitments"], strict=True) if not committed]
    except (KeyError, TypeError, ValueError) as error:
        raise click.ClickException(f"{what} holds no match that is over, with its dice: {clean(repr(error))}") from None
    for fault in faults:
        click.secho(f"WARNING: {fault}", fg="red", bold=True)
    if faults:
        sys.exit(1)
    click.secho(f"{plural(count, 'roll')}: all follow from the seeds that were committed to", fg="green")
    for side in silent:
        click.echo(f"{side} committed to no seed")


async def _asked(options: Options, match: str, code: str) -> dict[str, Any]:
    """Raises: ClientError, click.ClickException."""
    proof = proof_in(await load(options, match, code))
    if proof is None:
        raise click.ClickException(f"the dice of {clean(match)} can be checked when the match is over")
    return proof


def _read(file: Path) -> dict[str, Any]:
    """Raises: click.ClickException."""
    try:
        proof = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise click.ClickException(f"cannot read {file}: {error.strerror}") from None
    except ValueError:
        proof = None
    if not isinstance(proof, dict):
        raise click.ClickException(f"{file} is no match exported as JSON")
    return proof


COMMANDS = (verify,)
