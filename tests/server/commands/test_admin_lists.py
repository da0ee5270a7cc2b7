"""`tavla-server admin` in this process: its lists, what an operator takes back, and what is refused."""

import json
import os
import pwd
import re
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_server.commands.administrator import administrator
from tavla_server.commands.printing import print_lines
from tavla_server.features.moderation.reports import Reports
from tavla_server.limits import DEFAULT_LIMITS
from tavla_server.options import Options
from tavla_server.store.client import Client

from tests.support.players.accounts import registered
from tests.support.players.lobby import until_listed
from tests.support.players.matches import at_match, new_match
from tests.support.players.operators import does, types
from tests.support.players.plain import Player
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


async def test_what_is_done_stands_in_a_list_until_it_is_taken_back(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url, Player(url) as eve, Player(url) as ada, Player(url) as bob:
        await registered(eve)
        names = [str(player.name) for player in (eve, ada, bob)]
        await does(own_valkey, "appoint", names[0], "knows everybody")
        assert names[0] in await does(own_valkey, "list", "moderators")
        assert f"{names[0]} is no moderator any more" in await does(own_valkey, "dismiss", names[0], "moves away")
        assert names[0] not in await does(own_valkey, "list", "moderators")
        for what, whom, shown in (("mute", names[2], names[2].lower()), ("ban", "192.0.2.7", "@192.0.2.7")):
            await does(own_valkey, what, whom, "shouts", "--for", "2h")
            (line,) = await does(own_valkey, "list", "penalties")
            assert re.match(rf"{what}  {shown}  until 20.* UTC  shouts  \(by operator ", line)
            assert f"{whom}: no {what} any more" in await does(own_valkey, f"un{what}", whom, "is quiet")
            assert not await does(own_valkey, "list", "penalties")
        match = await new_match(ada, bob)
        await until_listed(eve, match, "matches")
        name = ada.matches[match].view.name
        assert f"{match}  {name}  {names[1]} - {names[2]}  0-0" in await does(own_valkey, "list", "matches")
        await mute_and_read_objects(own_valkey, names, match)
        assert f"match {match}: void" in await does(own_valkey, "void", name, "a test")
        assert f"match {match}: void, as it was already" in await does(own_valkey, "void", match, "a test")


async def mute_and_read_objects(own_valkey: Valkey, names: list[str], match: str) -> None:
    """Each list as JSON has an object a line, with what the row is called by."""

    async def objects(*words: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in await does(own_valkey, *words, "--json")]

    (row,) = await objects("list", "matches")
    assert (row["match"], row["players"], row["score"]) == (match, names[1:], [0, 0])
    (node,) = await objects("list")
    assert sorted(node) == ["node", "people"]
    assert {row["name"]: (row["kind"], row["nodes"]) for row in await objects("list", "people")} == dict.fromkeys(
        names, ("guest", [node["node"]])
    ) | {names[0]: ("account", [node["node"]])}
    await does(own_valkey, "mute", names[2], "shouts", "--for", "2h")
    (penalty,) = await objects("list", "penalties")
    assert (penalty["what"], penalty["shown"], penalty["why"]) == ("mute", names[2], "shouts")
    (use,) = await objects("audit", "--last", "1")
    assert (use["what"], use["whom"], use["why"]) == ("mute", f"{names[2]} 2h", "shouts")
    await does(own_valkey, "unmute", names[2], "is quiet")


async def test_a_report_is_listed_with_its_words_and_once_closed_with_by_whom_and_why(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url, at_match(url) as (ada, bob, match):
        await bob.ask(m.Say, match=match, to="players", text="bad dice")
        await ada.next(m.Said)
        for reason in ("he shouts", "again"):
            assert isinstance(await ada.ask(m.Report, player=bob.name, reason=reason, match=match), m.Ok)
        said = "\n".join(await does(own_valkey, "list", "reports"))
        found = re.search(rf"(\S+)  20\S+ \S+  {ada.name} reports {bob.name} in match {match}: again\n", said)
        assert found is not None, said
        assert f"    earlier: he shouts\n    {bob.name}: bad dice" in said
        await does(own_valkey, "resolve", found[1], "talked to him")
        assert found[1] not in "\n".join(await does(own_valkey, "list", "reports"))
        said = "\n".join(await does(own_valkey, "list", "closed-reports"))
        assert re.search(
            rf"{ada.name} reports {bob.name} .*\n(.*\n)*    closed 20.* by operator .*: talked to him", said
        )


async def test_all_reports_are_listed_however_many_there_are(own_valkey: Valkey, own_redis: Client) -> None:
    reports = Reports(own_redis)
    for number in range(DEFAULT_LIMITS.report_page + 1):
        complaint = m.Complaint(by=f"by-{number}", about="bob", reason="r", time=1_789_000_000_000)
        await reports.add(complaint, complaint.by, complaint.about, f"192.{number}.2.1")
    said = await does(own_valkey, "list", "reports")
    assert [line.split()[3] for line in said] == [
        f"by-{number}" for number in range(DEFAULT_LIMITS.report_page, -1, -1)
    ]


REFUSED = [
    (("mute", "ada", "r", "--for", "soon"), "'soon' is no time: say 30m, 2h, 7d or ever"),
    (("ban", "ada", "r"), "Missing option '--for'. Say 30m, 2h, 7d or ever"),
    (("resolve", "1-0", "r"), "there is no open report 1-0: look at the list of them again"),
    (("mute", "ada", "\x1b[2J", "--for", "2h"), "say something that can be shown"),
    (("ban", "unknown", "r", "--for", "2h"), "unknown is no address"),
    (("ban", "127.0.0.1", "r", "--for", "2h"), "127.0.0.1 is no address, or this machine's own"),
    (("appoint", "nosuch", "r"), "nosuch has no account"),
    (("end-tournament", "nosuch", "r"), "there is no tournament nosuch: see tavla-server admin list tournaments"),
    (("void", "nosuch", "r"), "the store has no match nosuch"),
    (("adjudicate", "MATCH", "nosuch", "r"), "nosuch does not play this match: say white, black or a player's name"),
]


async def test_what_cannot_be_done_is_said_in_a_sentence(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url, at_match(url) as (_, _, match):
        for words, sentence in REFUSED:
            code, said = await types(own_valkey, *(match if word == "MATCH" else word for word in words))
            assert code in (1, 2)
            assert sentence in " ".join(said.split()), said
        assert not [line for line in await does(own_valkey, "audit") if "operator" in line], "a refusal is no use"
    own_valkey.kill()
    code, said = await types(own_valkey, "list")
    assert (code, "tavla-server: the store cannot be used: " in said) == (1, True), said


def test_who_may_not_open_the_data_folder_is_told_who_may(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "private" / "tavla"
    data.mkdir(parents=True)
    data.parent.chmod(0)
    options, root = Options(data=data), os.geteuid() == 0
    if root:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        with pytest.raises(SystemExit) as ended:
            print_lines(_listing(options))
    finally:
        if root:
            os.seteuid(0)
        data.parent.chmod(0o700)
    assert ended.value.code == 1
    said = f"{data}/appendonlydir: Permission denied: use sudo, or be the user that the server runs as"
    assert capsys.readouterr().err == f"tavla-server: {said}\n"


async def _listing(options: Options) -> list[str]:
    async with administrator(options):
        return []
