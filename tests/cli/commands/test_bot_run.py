"""`tavla bot run` as its user has it: a file in a folder, a command, a summary."""

import asyncio
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from tavla_client import Client

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import clients
from tests.support.players.plain import unique
from tests.support.players.programs import Machine
from tests.support.servers.processes import ServerProcess, script

pytestmark = pytest.mark.slow  # each starts programs

CAUTIOUS = """
from tavla_client import Bot, Turn

class Cautious(Bot):
    def choose_play(self, turn: Turn):
        return min(turn.plays, key=lambda play: play.after.blots)
"""
HARM = "raise SystemExit('the wrong module was imported')\n"


async def run(folder: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `tavla bot run`, in a folder."""
    roots = ("engine", "protocol", "clients/python", "clients/cli", "clients/bots")
    here = Path(__file__).parents[3]
    process = await asyncio.create_subprocess_exec(
        *script("tavla"),
        *("bot", "run", *arguments),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(here / root) for root in roots),
            "TAVLA_CONFIG_DIR": str(folder / "config"),
            "TAVLA_SERVER": url,
        },
    )
    async with asyncio.timeout(PATIENCE_S):
        out, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


async def test_the_ten_line_bot_plays_ten_matches_beside_files_of_any_name(
    server: ServerProcess, tmp_path: Path
) -> None:
    (tmp_path / "cautious.py").write_text(CAUTIOUS)
    for name in ("engine", "random", "websockets", "tavla_engine", "msgspec"):
        (tmp_path / f"{name}.py").write_text(HARM)
    table = unique("t")
    arguments = ("cautious:Cautious", "--table", table, "--matches", "10", "--json")
    runs = await asyncio.gather(*(run(tmp_path, server.url, *arguments) for _ in range(2)))
    summaries: list[dict[str, Any]] = []
    for code, out, errors in runs:
        assert code == 0, errors
        assert f"is at {server.url}, and waits for a match\n" in errors, "before the first match is over"
        assert len(re.findall(r" match \w+ against bot-cautious2?\n", errors)) == 10, "as each begins"
        summaries.append(json.loads(out))
    assert [summary["matches"] for summary in summaries] == [10, 10]
    assert summaries[0]["won"] + summaries[1]["won"] == 10
    assert {result["ending"] for result in summaries[0]["results"]} == {"borne_off"}
    assert {result["opponent"] for summary in summaries for result in summary["results"]} == {
        "bot-cautious",
        "bot-cautious2",
    }, "both are the same class, on one machine"


ABSENT = """
from tavla_client import Bot

class Absent(Bot):
    @classmethod
    def missing(cls):
        return "its engine is not here: install it"
"""


async def test_a_bot_that_cannot_play_on_this_machine_keeps_no_other_from_playing(
    server: ServerProcess, tmp_path: Path
) -> None:
    (tmp_path / "absent.py").write_text(ABSENT)
    where = ("--table", unique("t"), "--matches", "1")
    code, _, errors = await run(tmp_path, server.url, "absent.py", *where)
    assert (code, "its engine is not here: install it" in " ".join(errors.split())) == (2, True)
    (code, _, errors), (other, *_) = await asyncio.gather(
        run(tmp_path, server.url, "absent.py", "random", *where), run(tmp_path, server.url, "random", *where)
    )
    assert (code, other) == (0, 0), errors
    assert "absent.py does not play: its engine is not here: install it" in errors


WRONG = [  # arguments, what is said; tests/cli/bots/test_loading.py has other bots that there are not
    (("nobot:Nobot", "--available"), "there is no nobot.py in"),
    (("random",), "say where it shall play"),
    (("random", "--available", "--pool", "5"), "say where it shall play"),
    (("random", "--pool", "length=x"), "length is a whole number"),
    (("random", "--table", "sofa", "--max-concurrent", "2"), "one match at a time"),
    (("random", "--challenge", "ada", "--max-concurrent", "2"), "one match at a time"),
    (("random", "expert", "--name", "fine", "--available"), "one name is for one bot"),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG, ids=[text for _, text in WRONG])
def test_a_wrong_command_line_says_what_to_do(tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    ended = Machine(tmp_path, "ws://127.0.0.1:1").run("bot", "run", *arguments)
    assert ended.code == 2
    assert text in " ".join(ended.errors.split())


FAULTY = """
from tavla_client import Bot

class Faulty(Bot):
    def choose_play(self, turn):
        raise RuntimeError("no idea")
"""


async def test_failed_decisions_are_told_at_the_end_and_make_the_exit_code_1(
    server: ServerProcess, tmp_path: Path
) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    arguments = ("faulty.py", "--table", unique("t"), "--matches", "1")
    (code, out, errors), (json_code, json_out, _) = await asyncio.gather(
        run(tmp_path, server.url, *arguments), run(tmp_path, server.url, *arguments, "--json")
    )
    assert (code, json_code) == (1, 1)
    assert out.startswith("1 match")
    assert errors.count("Traceback") == 1
    assert re.search(r"Faulty\.choose_play failed \d+ times: RuntimeError: no idea", errors)
    (failure,) = json.loads(json_out)["failures"]
    assert (failure["hook"], failure["reason"]) == ("Faulty.choose_play", "RuntimeError: no idea")
    assert failure["times"] > 1


async def test_a_name_that_was_asked_for_and_is_taken_is_an_error(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "fine.py").write_text("from tavla_client import Bot\n\nclass Fine(Bot):\n    pass\n")
    async with Client(server.url, name=unique("b")) as other:
        assert other.me.name is not None
        code, _, errors = await run(tmp_path, server.url, "fine.py", "--available", "--name", other.me.name)
    assert code == 1
    assert f"someone is called {other.me.name}: choose another name" in errors


async def test_a_server_that_is_not_there_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "cautious.py").write_text(CAUTIOUS)
    code, out, errors = await run(tmp_path, "ws://127.0.0.1:1", "cautious:Cautious", "--available", "--json")
    assert code == 1
    assert "no server answers" in errors
    assert "no server answers" in json.loads(out)["error"]


async def test_ctrl_c_stops_every_bot_and_says_what_they_have_done(server: ServerProcess, tmp_path: Path) -> None:
    async with clients(server.url, "p") as (person,), person.lobby.lists("people") as lists:
        before = {*lists.rows["people"]}  # other tests' bots may not have gone yet
        process = await asyncio.create_subprocess_exec(
            *script("tavla"),
            *("bot", "run", "beginner", "expert", "--available", "--json", "--server", server.url),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "TAVLA_CONFIG_DIR": str(tmp_path)},
        )
        while sum(one.places > 0 for name, one in lists.rows["people"].items() if name not in before) < 2:
            await lists.wait_for_change()
        process.send_signal(signal.SIGINT)
        out, errors = await process.communicate()
    assert process.returncode == 1
    summaries = [json.loads(line) for line in out.decode().splitlines()]
    assert [summary["matches"] for summary in summaries] == [0, 0]
    assert [summary["error"] for summary in summaries] == ["stopped", "stopped"]
    assert "Traceback" not in errors.decode()
