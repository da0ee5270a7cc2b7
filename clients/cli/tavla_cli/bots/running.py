"""Bots at work: each comes to a server as the player that it was before, and plays."""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from tavla_client import Bot, Client, ClientError, Failures, Finder, Pace, Refused, Result, Runner, Summary
from tavla_protocol.codes import ErrorCode

from tavla_cli.identity import Identities, connect_as
from tavla_cli.text.cleaning import clean


class Job(NamedTuple):
    """The job of a bot at a server. name: as which it plays. own_name: it was given by the user, and no other will do.
    matches: after how many it stops, None = never. on_result: called after each. pace: see `Pilot`.
    """

    server: str
    name: str
    own_name: bool
    new_bot: type[Bot]
    find: Finder
    matches: int | None
    max_concurrent: int
    on_result: Callable[[Result], None]
    pace: Pace | None


async def run_side_by_side(jobs: list[Job]) -> list[tuple[Summary, str]]:
    """Results of `_run`, in order. A fault of one ends all, so that the supervisor of this process learns of it."""
    working = [asyncio.create_task(_run(job)) for job in jobs]
    left = set(working)
    try:
        while left:
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            if any(fault for _, fault in (task.result() for task in done)):
                break
    except asyncio.CancelledError:
        pass  # Ctrl-C
    for task in left:
        task.cancel()
    return list(await asyncio.gather(*working))


async def _run(job: Job) -> tuple[Summary, str]:
    """Play until it is enough, or the user stops it (then matches go on later). Gives any fault, too."""
    summary = Summary([], {}, Failures())
    identities = Identities(job.server)
    try:
        client = await sign_in(identities, job.server, job.name, job.own_name)
        logging.info("%s is at %s, and waits for a match", client.me.name, job.server)
        try:
            how = job.find, job.matches, job.max_concurrent, job.on_result, job.pace
            runner = Runner(client, job.new_bot, *how)
            summary = runner.summary
            await runner.run()
        finally:
            await client.__aexit__(None, None, None)
    except ClientError as error:
        return summary, str(error)
    except asyncio.CancelledError:
        return summary, "stopped"
    finally:
        identities.release()
    return summary, ""


async def sign_in(identities: Identities, server: str, name: str, own_name: bool) -> Client:
    """A bot's connected client, the same player as in an earlier run; for a second one at a time the name is numbered,
    unless it is the user's own choice.

    Raises: ClientError.
    """
    if own_name:
        if not identities.acquire(name):
            raise ClientError(f"another program here plays as {name}: stop it, or choose another --name")
        return await connect_as(identities, server, name, bot=True)
    for candidate in (name, *(f"{name[:18]}{number}" for number in range(2, 100))):
        if not identities.acquire(candidate):
            continue
        try:
            return await connect_as(identities, server, candidate, bot=True)
        except Refused as refused:
            if refused.code != ErrorCode.NAME_TAKEN:
                raise
    raise ClientError(f"{name} and the names like it are taken: choose another with --name")


def log_result(result: Result) -> None:
    """A line for a match that is over."""
    verdict = {True: "won", False: "lost", None: "ended"}[result.won]
    logging.info("%s against %s, %d to %d (%s)", verdict, clean(result.opponent), *result.score, result.ending)
