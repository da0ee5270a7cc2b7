"""Files of tournaments that are kept, and accounts that are closed: no file keeps a name."""

import asyncio

from tavla_protocol import messages as m
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import Player
from tests.support.players.tournaments import arena_of, one_match, record_of
from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey


async def test_a_file_that_was_kept_is_made_anew_without_the_name_of_who_has_left(own_valkey: Valkey) -> None:
    timings = Timings(pairing_round_s=0.05, leftovers_s=0.1)
    async with inside(own_valkey.url, timings) as url, Player(url) as eve, Player(url) as ada, Player(url) as bob:
        tournament = await arena_of(eve)
        await registered(ada)
        await one_match(tournament, ada, bob)
        async with asyncio.timeout(PATIENCE_S):
            while not all(pairing.over for pairing in (await record_of(eve, tournament)).pairings):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
        for kind in ("mat", "json"):
            assert str(ada.name) in (await asyncio.to_thread(page, url, f"/t/{tournament}.{kind}"))[1]
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        async with asyncio.timeout(PATIENCE_S):
            while ada.name in [name for name, _ in (await record_of(eve, tournament)).players]:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
        for kind in ("mat", "json"):
            status, text = await asyncio.to_thread(page, url, f"/t/{tournament}.{kind}")
            assert (status, str(ada.name) in text, "someone" in text) == (200, False, True), kind
