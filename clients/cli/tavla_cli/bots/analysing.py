"""Analysis of a match by what is installed, in a thread of its own, which ends with the task that waits for it."""

import asyncio
import importlib
import threading
from collections.abc import Callable
from typing import Any

import click
from tavla_engine.analysis import Analysis
from tavla_engine.match import Match

from tavla_cli.bots.loading import SHIPPED
from tavla_cli.records.record import Record

JUDGES = ("sage", "gnubg", "house")  # as `tavla_bots.analysis` knows them, the best first


async def analyse_record(record: Record, progress: Callable[[int, int], None], judge: str = JUDGES[0]) -> Analysis:
    """Judge a record. progress: is told, in that thread, how many plays of how many are judged. judge: one of
    JUDGES. Cancel it to give up.

    Raises: click.ClickException, where nothing is installed that could, or for a match that cannot be judged.
    """
    found = _analysis()
    stop = threading.Event()
    try:
        analysis: Analysis = await asyncio.to_thread(
            found.analyse, record.start, record.events, progress, stop, judge=judge
        )
    except found.CannotAnalyse as error:
        raise click.ClickException(str(error)) from None
    finally:
        stop.set()
    return analysis


async def analyse_position(match: Match, judge: str = JUDGES[0]) -> Any:
    """Judge the decision in a position: by, plays and cube, as `tavla_bots.analysis` has them.

    Raises: click.ClickException.
    """
    found = _analysis()
    try:
        return await asyncio.to_thread(found.judge_position, match, judge)
    except found.CannotAnalyse as error:
        raise click.ClickException(str(error)) from None


def _analysis() -> Any:
    try:
        return importlib.import_module(f"{SHIPPED}.analysis")
    except ModuleNotFoundError as error:
        text = f"the bots of Tavla are not installed: pip install 'tavla[bots]' ({error})"
        raise click.ClickException(text) from None
