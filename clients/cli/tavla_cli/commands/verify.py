"""`tavla verify`: whether the dice of an exported match are those that everybody had committed to."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from tavla_engine.proof import SIDES, faults_of

from tavla_cli.text.words import clean, plural


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
def verify(file: Path) -> None:
    """Check the dice of an exported match. No server is asked."""
    proof = _read(file)
    try:
        faults = faults_of(proof)
        count = len(proof["rolls"])
        silent = [side for side, committed in zip(SIDES, proof["commitments"], strict=True) if not committed]
    except (KeyError, TypeError, ValueError) as error:
        raise click.ClickException(f"{file} holds no match that is over, with its dice: {clean(repr(error))}") from None
    for fault in faults:
        click.secho(f"WARNING: {fault}", fg="red", bold=True)
    if faults:
        sys.exit(1)
    click.secho(f"{plural(count, 'roll')}: all follow from the seeds that were committed to", fg="green")
    for side in silent:
        click.echo(f"{side} committed to no seed")


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
