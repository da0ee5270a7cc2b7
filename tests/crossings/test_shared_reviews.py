"""Shared reviews with what they show: private matches, and those that the archive alone has."""

from functools import partial
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.players.plain import Player, refused
from tests.support.servers.processes import Valkey, inside
from tests.support.stores.archiving import empty, played, until


@pytest.mark.parametrize("is_archived", [False, True])
async def test_the_code_of_a_private_match_is_in_the_scene_and_nowhere_else(
    own_valkey: Valkey, tmp_path: Path, is_archived: bool
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with inside(own_valkey.url, archive=archive) as url, connection_to(own_valkey.url) as redis:
        match, white, black = await played(url, {"length": 1}, private=True)
        code = str(white.matches[match].view.code)
        await until(partial(empty, redis))
        if is_archived:
            await redis.delete(keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match))
        begun = await white.get(m.Review, m.StartReview, scene=m.ReviewScene(match=match, code=code, decision=1))
        async with inside(own_valkey.url, archive=archive) as other, Player(other) as eve:
            assert refused(await eve.ask(m.Record, match=match)) == ErrorCode.PRIVATE
            scene = (await eve.get(m.Review, m.JoinReview, review=begun.review)).scene
            assert (await eve.get(m.Recorded, m.Record, match=scene.match, code=scene.code)).match == match
            await white.ask(m.ShowReview, scene=m.ReviewScene(match=match))
            left = await eve.find(lambda message: isinstance(message, m.Review) and not message.scene.code)
            assert isinstance(left, m.Review)
            assert left.scene == m.ReviewScene(match=match)
        await white.close()
        await black.close()
