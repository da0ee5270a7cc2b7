"""Whatever several clients say to a server, in whatever order: what must hold, holds.

One machine of hypothesis, four people, real sockets, and a server in this process on a real store. `python -m
tests.fuzz.conversations SECONDS` runs it for a while; a failure prints the steps that lead to it.
"""

import asyncio
import contextlib
import random
import secrets
import sys
import time
from collections import Counter
from typing import Any

import msgpack
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from structlog.testing import capture_logs
from tavla_engine.errors import Reason
from tavla_protocol import messages as m
from tavla_protocol.codec import encode
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_protocol.view import View
from websockets.exceptions import ConnectionClosed

from tests.support.players.plain import LOST, Player, unique
from tests.support.players.turns import choose, waits_for
from tests.support.servers.lifetimes import own_store
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.wire.messages import REQUESTS

PEOPLE = 4
STEPS = 40
CODES = {*ErrorCode, *Reason}
CLOSES = {None, CloseCode.TEXT_FRAME, CloseCode.NOT_MSGPACK, CloseCode.TOO_BIG, CloseCode.PROTOCOL_ERROR}
Action = tuple[type[m.MatchAction], dict[str, Any]]
ACTIONS: list[Action] = [
    (m.Roll, {}),
    (m.Double, {}),
    (m.Take, {}),
    (m.Drop, {}),
    (m.Resign, {"value": 1}),
    (m.Accept, {}),
    (m.Refuse, {}),
    (m.Ready, {}),
    (m.Move, {"moves": [(8, 5), (6, 5)]}),
    (m.Auto, {"what": "play", "on": True}),
    (m.Forfeit, {}),
    (m.Abort, {}),
]

people = st.integers(0, PEOPLE - 1)


class Conversations(RuleBasedStateMachine):
    """Four people and what they know.

    seats: who sits where, by match. acknowledged: the version up to which each match was said to be. shown: what each
    version of a match looks like, to whoever sees it. private: words that some people may hear and no others. answers:
    how many there were of each kind.
    """

    def __init__(self, valkey: Valkey, answers: Counter[str]) -> None:
        super().__init__()
        self.valkey, self.answers = valkey, answers
        self.runner = asyncio.Runner()
        self.stack = contextlib.AsyncExitStack()
        self.logs = self.stack.enter_context(capture_logs())
        url = self.run(self.stack.enter_async_context(inside(valkey.url)))
        self.people = [Player(url) for _ in range(PEOPLE)]
        self.seats: dict[str, dict[int, int]] = {}
        self.acknowledged: dict[str, int] = {}
        self.shown: dict[tuple[str, int, int], View] = {}
        self.private: list[tuple[str, set[int]]] = []
        self.heard = [0] * PEOPLE  # messages that were looked at
        for player in self.people:
            self.run(player.open())

    def run(self, what: Any) -> Any:
        return self.runner.run(what)

    @initialize()
    def begin(self) -> None:
        """Two play; the others may want to."""
        self.create(0, private=False)
        (match,) = self.seats
        joined = self.ask(1, m.Join, table=match)
        assert isinstance(joined, m.Snapshot), joined
        self.seats[match][1] = 1

    # --- what people do ---

    @rule(person=people, private=st.booleans())
    def create(self, person: int, private: bool) -> None:
        rules = {"preset": "club", "length": 3}
        made = self.ask(person, m.Create, name=unique("t"), rules=rules, private=private, side="white")
        if isinstance(made, m.Snapshot):
            self.seats[made.match] = {0: person}
            self.acknowledged[made.match] = made.seq
            if private:
                self.private.append((self.people[person].matches[made.match].view.code, {person}))

    @precondition(lambda self: self.seats)
    @rule(person=people, data=st.data())
    def join(self, person: int, data: st.DataObject) -> None:
        match = self.draw_match(data)
        joined = self.ask(person, m.Join, table=match)
        if isinstance(joined, m.Snapshot) and person not in self.seats[match].values():
            assert set(self.seats[match]) == {0}, "there was a seat"
            self.seats[match][1] = person
            self.acknowledged[match] = max(self.acknowledged[match], joined.seq)

    @precondition(lambda self: self.seats)
    @rule(person=people, data=st.data())
    def attach(self, person: int, data: st.DataObject) -> None:
        match = self.draw_match(data)
        answer = self.ask(person, m.Attach, table=match)
        if isinstance(answer, m.Snapshot):
            self.check_seat(person, answer)
            assert answer.seq >= self.acknowledged[match], "nothing that was acknowledged is lost"

    @precondition(lambda self: self.seats)
    @rule(person=people, data=st.data(), action=st.sampled_from(ACTIONS), off=st.sampled_from([0, 0, 0, -1, 1, 7]))
    def act(
        self, person: int, data: st.DataObject, action: tuple[type[m.MatchAction], dict[str, Any]], off: int
    ) -> None:
        """Anything, in turn or out of it; often at another version than the newest."""
        match = self.draw_match(data)
        seen = self.people[person].matches.get(match)
        seq = max(0, (seen.seq if seen else 0) + off)
        self.submit(person, action[0], match, seq, action[1])

    @precondition(lambda self: self.seats)
    @rule(data=st.data(), chance=st.integers(0, 2**32), turns=st.integers(1, 12), twice=st.booleans())
    def play_on(self, data: st.DataObject, chance: int, turns: int, twice: bool) -> None:
        """Play turns by the rules, for the player to act; each is perhaps sent twice."""
        match, rng = self.draw_match(data), random.Random(chance)
        for _ in range(turns):
            self.take_turn(match, rng, twice)

    def take_turn(self, match: str, rng: random.Random, twice: bool) -> None:
        for seat, person in self.seats[match].items():
            player = self.people[person]
            if match in player.matches and (view := player.matches[match].view) and waits_for(view, seat):
                request, fields = choose(view, seat, rng)
                seq, id_ = player.matches[match].seq, player.new_id()
                first = self.submit(person, request, match, seq, {**fields, "id": id_})
                if twice and isinstance(first, m.Ok):
                    again = self.submit(person, request, match, seq, {**fields, "id": id_})
                    assert isinstance(again, m.Ok), again
                    assert again.seq == first.seq, "it has acted once"

    def submit(self, person: int, request: type[m.MatchAction], match: str, seq: int, fields: dict[str, Any]) -> Any:
        answer = self.ask(person, request, match=match, seq=seq, **fields)
        if isinstance(answer, m.Ok):
            assert person in self.seats[match].values(), "only who sits there acts"
            self.acknowledged[match] = max(self.acknowledged[match], answer.seq or 0)
        return answer

    @precondition(lambda self: self.seats)
    @rule(person=people, data=st.data())
    def whisper(self, person: int, data: st.DataObject) -> None:
        """Say something to the players alone: a client that has never followed the match does not hear it."""
        match, words = self.draw_match(data), f"psst {secrets.token_hex(8)}"
        followers = {one for one, player in enumerate(self.people) if match in player.matches}
        self.private.append((words, followers))
        self.ask(person, m.Say, match=match, to="players", text=words)

    @rule(person=people)
    def be_cut_off_and_come_back(self, person: int) -> None:
        player = self.people[person]
        before, name = player.id, player.name
        player.socket.transport.abort()
        self.run(player.open())
        assert (player.id, player.name) == (before, name)
        for match in player.playing:
            if match in self.seats:
                assert person in self.seats[match].values(), "who comes back has the seats that one had"

    # --- and who means harm ---

    @rule(person=people, request=st.sampled_from(REQUESTS), data=st.data())
    def twist(self, person: int, request: Any, data: st.DataObject) -> None:
        """A request with one field made something else, as near or as far as it may be."""
        if isinstance(request, m.Logout | m.CloseAccount | m.Password | m.Register):
            return
        fields = msgpack.unpackb(encode(request), strict_map_key=False)
        at = data.draw(st.sampled_from(sorted(fields)))
        strange = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40)
        fields[at] = data.draw(strange | st.binary(max_size=9) | st.lists(strange, max_size=5))
        if "match" in fields and self.seats and data.draw(st.booleans()):
            fields["match"] = self.draw_match(data)
        self.send_raw(person, msgpack.packb(fields, unicode_errors="surrogatepass"))

    @rule(person=people, frame=st.binary(max_size=80) | st.text(max_size=20))
    def send_anything(self, person: int, frame: bytes | str) -> None:
        self.send_raw(person, frame)

    def send_raw(self, person: int, frame: bytes | str) -> None:
        """Send a frame that is answered, or ends this connection, which is then made anew."""
        player = self.people[person]
        with contextlib.suppress(ConnectionClosed):
            self.run(player.socket.send(frame))
            self.run(player.sync())
        assert player.socket.close_code in CLOSES, player.socket.close_code
        if player.socket.close_code is not None:
            self.look(person)
            self.run(player.open())

    # --- what holds ---

    def draw_match(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.seats)))

    def ask(self, person: int, request: type[m.RequestBase], **fields: Any) -> Any:
        """Ask; and the other players are still answered."""
        answer = self.run(self.people[person].ask(request, **fields))
        self.answers[type(answer).__name__.lower()] += 1
        if isinstance(answer, m.Error):
            assert answer.code in CODES, answer
            assert answer.text
        for other, player in enumerate(self.people):
            if other != person:
                self.run(player.sync())
        for one in range(PEOPLE):
            self.look(one)
        assert not [line for line in self.logs if line["log_level"] == "error"]
        return answer

    def look(self, person: int) -> None:
        """Take in what a player was sent since the last look."""
        player = self.people[person]
        for message in player.log[self.heard[person] :]:
            said = repr(message)
            for words, whose in self.private:
                assert words not in said or person in whose, "what is private stays so"
            for other in self.people:
                assert other is player or not other.token or other.token not in said, "a token is its owner's"
            if isinstance(message, m.Snapshot):
                self.check_seat(person, message)
        self.heard[person] = len(player.log)
        for match, seen in player.matches.items():
            known = self.shown.setdefault((match, seen.epoch, seen.seq), seen.view)
            assert known == seen.view, "all see the same"
            assert bool(seen.view.seed) <= (seen.view.phase == "over"), "nobody knows what will be rolled"
            if seen.view.seed:
                self.check_hidden_before(match, seen.view.seed)

    def check_hidden_before(self, match: str, seed: str) -> None:
        """The server's seed was in nothing that was sent while dice were to come."""
        for (known, _, _), view in self.shown.items():
            assert known != match or view.phase == "over" or seed not in repr(view)

    def check_seat(self, person: int, snapshot: m.Snapshot) -> None:
        """Seats keep their owners."""
        if (seats := self.seats.get(snapshot.match)) is not None:
            mine = [seat for seat, who in seats.items() if who == person]
            assert snapshot.seat in (None, *mine) or not mine, (snapshot.seat, seats)

    def teardown(self) -> None:
        """A server that is started anew knows all that was acknowledged."""
        for player in self.people:
            with contextlib.suppress(*LOST):
                self.run(player.close())
        self.run(self.stack.aclose())
        self.run(self.check_kept())
        self.runner.close()

    async def check_kept(self) -> None:
        async with inside(self.valkey.url) as url:
            for person, player in enumerate(self.people):
                again = Player(url, token=player.token)
                await again.open()
                for match, seats in self.seats.items():
                    if person in seats.values():
                        found = await again.ask(m.Attach, table=match)
                        assert isinstance(found, m.Snapshot | m.Error), found
                        if isinstance(found, m.Snapshot):
                            assert found.seq >= self.acknowledged[match], (found.seq, self.acknowledged[match])
                            assert found.seat in [seat for seat, who in seats.items() if who == person]
                await again.close()


def converse(valkey: Valkey, examples: int, steps: int = STEPS) -> Counter[str]:
    """Let so many conversations take place, of so many steps at most. Returns the kinds of answers that there were."""
    answers = Counter[str]()
    run_state_machine_as_test(
        lambda: Conversations(valkey, answers),  # type: ignore[arg-type] # it is called, and that is all
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
            report_multiple_bugs=False,
        ),
    )
    return answers


def main() -> None:
    """Converse for some seconds."""
    until, examples, answers = time.monotonic() + float(sys.argv[1]), 0, Counter[str]()
    with own_store() as valkey:
        while time.monotonic() < until:
            answers += converse(valkey, 5)
            examples += 5
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(answers.items()))
    print(f"conversations: {examples}, answered by {told}")


if __name__ == "__main__":
    main()
