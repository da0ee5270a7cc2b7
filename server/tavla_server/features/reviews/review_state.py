"""The state of a shared review: who made and leads it, who is there, and what is shown. Pure."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec
from tavla_protocol import messages as m

VISIT = b"visit:"  # how the fields of visits begin
FIELDS = 4  # beside them
MAKER, LEADER, SCENE, NUMBER = "maker", "leader", "scene", "number"


class Visit(msgspec.Struct, frozen=True, array_like=True):
    """A visit of one connection. since: when it came, in ms since 1970. node: to which it is connected."""

    since: int
    node: str
    player: str
    name: str


_visits, _scenes = msgspec.msgpack.Decoder(Visit), msgspec.msgpack.Decoder(m.ReviewScene)


class ReviewState(NamedTuple):
    """The state of a shared review. number: of its changes. maker, leader: ids. visits: by field, the oldest first."""

    number: int
    maker: str
    leader: str
    scene: m.ReviewScene
    visits: Mapping[str, Visit]

    @property
    def people(self) -> dict[str, str]:
        """The players who are there, each once: id and name, in order of their coming."""
        return {visit.player: visit.name for visit in self.visits.values()}

    def may_take_lead(self, player: str) -> bool:
        """True for the maker; and if neither maker nor leader is there, for whoever has been there for longest."""
        people = [*self.people]
        return player == self.maker or (people[:1] == [player] and not {self.maker, self.leader} & {*people})

    def dead_visits(self, living: Collection[str], before_ms: int) -> list[str]:
        """The fields of visits to nodes that live no more, but for those that are younger than some time."""
        visits = self.visits.items()
        return [field for field, visit in visits if visit.node not in living and visit.since < before_ms]

    def as_message(self, review: str, id: int | None = None) -> m.Review:  # noqa: A002 - the field's name on the wire
        """The message to those who are there. id: of the request that it answers."""
        people = self.people
        maker, leader = people.get(self.maker, ""), people.get(self.leader, "")
        names = [*people.values()]
        return m.Review(id=id, review=review, people=names, maker=maker, leader=leader, scene=self.scene)


def state_of(fields: Mapping[bytes, bytes]) -> ReviewState | None:
    """The state out of a review's hash; None if there is none."""
    if not fields:
        return None
    visits = [(field.decode(), _visits.decode(value)) for field, value in fields.items() if field.startswith(VISIT)]
    return ReviewState(
        int(fields[NUMBER.encode()]),
        fields[MAKER.encode()].decode(),
        fields[LEADER.encode()].decode(),
        _scenes.decode(fields[SCENE.encode()]),
        dict(sorted(visits, key=lambda row: row[1].since)),
    )
