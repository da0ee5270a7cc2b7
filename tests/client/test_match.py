"""A match stays in step with the server, whatever is lost, repeated or broken on the way."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from tavla_client import Change, Client, Refused
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import checksum

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, VIEW, Following, change, heartbeat, scripted, snapshot


async def test_updates_in_order_are_patched_in(following: Following) -> None:
    view, diff = change(VIEW, phase="move", dice=(5, 3), rolls=2)
    await following.connection.update(6, diff)
    await following.reaches(6)
    assert following.match.view == view
    assert following.match.to_act


async def test_an_update_known_already_is_passed_over(following: Following) -> None:
    await following.connection.update(5, [3, "over"])
    view, diff = change(VIEW, phase="move", dice=(5, 3), rolls=2)
    await following.connection.update(6, diff)
    await following.reaches(6)
    assert following.match.view == view
    assert await following.connection.silent()


async def test_a_gap_is_filled_once_from_the_version_at_hand(following: Following) -> None:
    first, diff_1 = change(VIEW, phase="move", dice=(5, 3), rolls=2)
    second, diff_2 = change(first, phase="roll", dice=(), turn=1)
    third, diff_3 = change(second, phase="move", dice=(6, 6), rolls=3)
    connection = following.connection
    await connection.update(7, diff_2)
    await connection.update(8, diff_3)
    request = await connection.expect(m.Attach)
    assert (request.table, request.epoch, request.seq, request.checksum) == (MATCH, 1, 5, checksum(VIEW))
    assert await connection.silent(), "one request is enough"
    await connection.send(m.Ok(id=request.id, seq=8))
    for seq, diff in ((6, diff_1), (7, diff_2), (8, diff_3)):
        await connection.update(seq, diff)
    await following.reaches(8)
    assert following.match.view == third


async def test_while_it_attaches_again_another_gap_is_no_reason_to_ask_and_afterwards_it_is(
    following: Following,
) -> None:
    connection = following.connection
    await connection.update(7, [8, 7])
    ours = await connection.expect(m.Attach)
    task = asyncio.create_task(following.client.attach(MATCH))
    other = await connection.expect(m.Attach)
    await connection.send(m.Ok(id=other.id, seq=5))  # to the caller's attach, not to the one for the gap
    assert await within(task) is following.match
    await connection.update(8, [8, 8])
    assert await connection.silent(), "the gap is being filled"
    await connection.send(m.Ok(id=ours.id, seq=5))
    await connection.update(9, [8, 9])
    assert (await connection.expect(m.Attach)).seq == 5, "this gap is another one"


async def test_an_answer_to_a_match_that_was_left_does_not_bring_it_back(following: Following) -> None:
    connection = following.connection
    await connection.update(7, [8, 7])
    attach = await connection.expect(m.Attach)
    await connection.answer(following.match.detach(), m.Detach, m.Ok)
    await connection.send(snapshot(attach.id, seq=7), heartbeat(VIEW, 9))
    assert await connection.silent()
    assert following.client.following == []


async def test_a_gap_may_be_filled_by_a_snapshot(following: Following) -> None:
    view, _ = change(VIEW, score=(2, 1), game=4)
    await following.connection.update(70, [3, "roll"])
    request = await following.connection.expect(m.Attach)
    await following.connection.send(snapshot(request.id, view, 71))
    await following.reaches(71)
    assert following.match.view == view


@pytest.mark.parametrize("diff", [[3], [3, 17], [6, b"\xff\x01"], [6, "text"], ["phase", "roll"]])
async def test_a_broken_diff_is_answered_by_asking_for_everything(following: Following, diff: list[object]) -> None:
    await following.connection.update(6, diff)
    request = await following.connection.expect(m.Attach)
    assert (request.epoch, request.seq, request.checksum) == (0, 0, None)
    view, good = change(VIEW, phase="move", dice=(2, 1), rolls=2)
    await following.connection.update(7, good)  # must not be patched into a view that is not to be trusted
    await following.connection.send(snapshot(request.id, view, 7))
    await following.reaches(7)
    assert following.match.view == view


HEARTBEATS = [  # epoch, seq and score of the server; what is asked for
    (1, 5, (0, 0), None, "in step"),
    (1, 6, (0, 0), (1, 5), "an update was lost"),
    (1, 4, (0, 0), (1, 5), "the server knows less: it will say what holds"),
    (2, 5, (0, 0), (1, 5), "another epoch"),
    (1, 5, (1, 0), (0, 0), "the same version, and another state: nothing of ours can be trusted"),
]


@pytest.mark.parametrize(("epoch", "seq", "score", "asked", "why"), HEARTBEATS, ids=[row[-1] for row in HEARTBEATS])
async def test_a_heartbeat_finds_what_was_silently_lost(
    following: Following, epoch: int, seq: int, score: tuple[int, int], asked: tuple[int, int] | None, why: str
) -> None:
    await following.connection.send(heartbeat(change(VIEW, score=score)[0], seq, epoch))
    if asked is None:
        assert await following.connection.silent(), why
    else:
        request = await following.connection.expect(m.Attach)
        assert (request.epoch, request.seq) == asked, why


async def test_one_heartbeat_may_set_several_matches_right(following: Following) -> None:
    second = {"match": "m2", "epoch": 1, "seq": 3, "online": (True, True), "view": {}}
    await following.connection.answer(following.client.attach("m2"), m.Attach, m.Snapshot, **second)
    await following.connection.send(m.Heartbeat(matches=[(MATCH, 1, 6, 0), ("m2", 1, 4, 0), ("unknown", 1, 1, 0)]))
    assert {(await following.connection.expect(m.Attach)).table for _ in range(2)} == {MATCH, "m2"}


async def test_an_unasked_snapshot_is_taken(following: Following) -> None:
    view, _ = change(VIEW, score=(1, 0))
    await following.connection.send(snapshot(None, view, 9))
    await following.reaches(9)
    assert following.match.view == view


async def test_what_a_newer_server_adds_is_passed_over(following: Following) -> None:
    await following.connection.socket.send(pack({"type": "fanfare", "volume": 11}))
    await following.connection.update(6, [200, "new", 3, "move", 5, (2, 1)])
    await following.reaches(6)
    assert following.match.view.phase == "move"


async def test_every_change_reaches_a_slow_reader_and_the_newest_a_screen(following: Following) -> None:
    every, newest = following.match.changes(), following.match.changes(newest=True)
    assert (await within(anext(every))).seq == (await within(anext(newest))).seq == 5
    for seq in range(6, 40):
        await following.connection.update(seq, [8, seq])
    await following.reaches(39)
    assert [(await within(anext(every))).view.rolls for _ in range(6, 40)] == list(range(6, 40))
    assert (await within(anext(newest))).seq == 39


async def test_changes_end_with_the_match(following: Following) -> None:
    changes = following.match.changes()
    await following.connection.update(6, [3, "over"])
    seen = [change async for change in _within(changes)]
    assert [(change.what, change.view.phase) for change in seen] == [("snapshot", "roll"), ("update", "over")]
    assert await within(following.match.next_change()) is None


async def test_a_reader_that_gives_up_does_not_end_the_others(following: Following) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(following.match.next_change(), 0.01)
    other = asyncio.create_task(following.match.next_change())
    await asyncio.sleep(0)
    await following.connection.update(6, [8, 7])
    after = await within(other)
    assert after is not None
    assert after.view.rolls == 7


async def test_presence_and_being_replaced_are_changes(following: Following) -> None:
    changes = following.match.changes()
    await following.connection.send(m.Presence(match=MATCH, seat=1, online=False), m.Replaced(match=MATCH))
    seen = [await within(anext(changes)) for _ in range(3)]
    assert [change.what for change in seen] == ["snapshot", "presence", "replaced"]
    assert seen[1].online == (True, False)
    assert following.match.seat is None
    assert not following.match.to_act


async def test_plays_belong_to_their_version(following: Following) -> None:
    attaching = following.client.attach(MATCH, plays=True)
    request, attached_to = await following.connection.answer(attaching, m.Attach, m.Ok, seq=5)
    assert (request.plays, request.seq) == (True, 5)
    assert attached_to is following.match
    await following.connection.update(6, [3, "move", 5, (2, 1)])
    await following.connection.send(m.Plays(match=MATCH, seq=6, plays=[((8, 6), (6, 5))]))
    changes = following.match.changes()
    while (await within(anext(changes))).what != "plays":
        pass
    assert following.match.plays == [((8, 6), (6, 5))]
    await following.connection.update(7, [3, "roll", 5, ()])
    await following.reaches(7)
    assert following.match.plays == []


async def test_a_match_that_was_left_hears_nothing_more(following: Following) -> None:
    task = asyncio.create_task(following.match.detach())
    request = await following.connection.expect(m.Detach)
    await following.connection.update(6, [8, 7])
    await following.connection.send(m.Ok(id=request.id))
    await within(task)
    await following.connection.update(9, [8, 9])
    await following.connection.send(snapshot(None, VIEW, 12))
    assert await following.connection.silent()
    assert following.match.seq == 6


async def test_to_leave_a_match_that_was_left_already_is_no_error(following: Following) -> None:
    left = {"code": ErrorCode.NOT_ATTACHED, "text": "you do not follow it"}  # as after a cut: it had been done before
    await following.connection.answer(following.match.detach(), m.Detach, m.Error, **left)
    assert following.client.following == []


async def test_a_match_that_cannot_be_read_ends_with_a_sentence(following: Following) -> None:
    odd = {"match": "m2", "epoch": 1, "seq": 3, "online": (True, True), "view": {"phase": 7}}
    with pytest.raises(Refused, match="update"):
        await following.connection.answer(following.client.attach("m2"), m.Attach, m.Snapshot, **odd)


async def test_a_match_that_becomes_unreadable_is_followed_no_longer(following: Following) -> None:
    changed = asyncio.create_task(following.match.next_change())
    await following.connection.send(
        m.Snapshot(id=None, match=MATCH, epoch=2, seq=3, online=(True, True), view={"phase": 7})
    )
    with pytest.raises(Refused, match="a match that cannot be read"):
        await within(changed)
    assert following.client.following == []


async def test_who_lingers_is_told_of_the_next_match(following: Following) -> None:
    following.match.lingers = True
    changes = following.match.changes()
    await following.connection.update(6, [3, "over"])
    await following.connection.send(m.Rematched(match=MATCH, next="m2"))
    assert [(await within(anext(changes))).what for _ in range(3)] == ["snapshot", "update", "rematched"]
    assert following.match.next == "m2"
    assert following.client.following == [following.match]


async def _within(changes: AsyncIterator[Change]) -> AsyncIterator[Change]:
    while True:
        try:
            yield await within(anext(changes))
        except StopAsyncIteration:
            return


async def test_talk_and_who_watches_are_changes(following: Following) -> None:
    changes = following.match.changes()
    said = m.Said(match=MATCH, name="bob", seat=1, to="players", text="Good luck!", phrase="gl")
    watchers = m.Watchers(match=MATCH, names=["eve"], count=1)
    await following.connection.send(said, watchers)
    seen = [await within(anext(changes)) for _ in range(3)]
    assert [(change.what, change.said) for change in seen] == [("snapshot", None), ("said", said), ("watchers", None)]
    assert following.match.watchers == watchers


async def test_a_player_talks_to_players_and_anyone_to_those_whom_they_name(following: Following) -> None:
    request, _ = await following.connection.answer(following.match.say("well played"), m.Say, m.Ok)
    assert (request.match, request.to, request.text, request.phrase) == (MATCH, "players", "well played", None)
    await following.connection.send(m.Replaced(match=MATCH))
    await within(following.match.next_change())
    request, _ = await following.connection.answer(following.match.say(phrase="gg"), m.Say, m.Ok)
    assert (request.to, request.text, request.phrase) == ("watchers", "", "gg")
    with pytest.raises(Refused, match="wait 2 s"):
        await following.connection.answer(following.match.say("gg"), m.Say, m.Error, code="too_many", text="wait 2 s")


async def test_the_watchers_can_be_hushed(following: Following) -> None:
    request, _ = await following.connection.answer(following.match.hush(), m.Attach, m.Ok, seq=5)
    assert (request.hush, request.seq) == (True, 5)
    assert following.match.attach_request(1).hush, "and stay so when the connection is lost"


# --- clocks ---

CLOCKED = replace(VIEW, clock=(900_000, 400_000, 600_000))  # reserves and the free time of a turn, in milliseconds
ELAPSED: list[tuple[str, float]] = [  # what tells how long the turn has lasted, and how long that is in seconds
    ("snapshot", 7.0),
    ("ok", 1000.0),
    ("update", 0.0),
]


@pytest.mark.parametrize(("told_by", "elapsed_s"), ELAPSED)
async def test_the_time_left_is_counted_on_from_what_the_server_told(told_by: str, elapsed_s: float) -> None:
    now = asyncio.get_running_loop().time
    async with scripted() as server, Client(server.url, name="ada") as client:
        connection = await server.accept()
        began = now()
        attaching = asyncio.create_task(client.attach(MATCH))
        attach = await connection.expect(m.Attach)
        await connection.send(snapshot(attach.id, CLOCKED, elapsed=7000))
        match = await within(attaching)
        if told_by == "ok":
            await connection.answer(client.attach(MATCH), m.Attach, m.Ok, seq=5, elapsed=1_000_000)
        elif told_by == "update":
            await connection.update(6, change(CLOCKED, phase="move", dice=(2, 1))[1])
            await within(match.next_change())
        left, waiting = match.time_left(0), match.time_left(1)
        longest = now() - began
        assert left is not None
        spent_s = 600 + 900 - left.free - left.reserve
        assert elapsed_s <= spent_s <= elapsed_s + longest
        assert (left.free > 0) is (elapsed_s < 600), "first the turn's own time, then the reserve"
        assert waiting == (0.0, 400.0), "it does not run"
        async with asyncio.timeout(PATIENCE_S):
            while (later := match.time_left(0)) == left:  # noqa: ASYNC110 - until time has passed
                await asyncio.sleep(0)
        assert later is not None
        assert sum(later) < sum(left)


async def test_without_a_clock_there_is_no_time(following: Following) -> None:
    assert following.match.time_left(0) is None
