"""Analysis of a match by what is installed, in a thread of its own, which ends with the task that waits for it."""

import asyncio
import importlib
import threading
from collections.abc import Callable
from typing import Any

import click
from tavla_engine.analysis import Analysis

from tavla_cli.bots.loading import SHIPPED
from tavla_cli.records.record import Record


async def analyse_record(record: Record, progress: Callable[[int, int], None]) -> Analysis:
    """Judge a record. progress: is told, in that thread, how many games of how many are done. Cancel it to give up.

    Raises: click.ClickException, where nothing is installed that could, or for a match that cannot be judged.
    """
    judge = _judge()
    stop = threading.Event()
    try:
        analysis: Analysis = await asyncio.to_thread(judge.analyse, record.start, record.events, progress, stop)
    except judge.CannotAnalyse as error:
        raise click.ClickException(str(error)) from None
    finally:
        stop.set()
    return analysis


def _judge() -> Any:
    try:
        return importlib.import_module(f"{SHIPPED}.analysis")
    except ModuleNotFoundError as error:
        text = f"the bots of Tavla are not installed: pip install 'tavla[bots]' ({error})"
        raise click.ClickException(text) from None
