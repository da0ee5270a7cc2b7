"""A hostile server: every message of the protocol, each text in it commands for a terminal, and any value it likes.

Messages are made from their types: a new field is hostile by itself.
"""

import contextlib
import threading
import types
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from tavla_client.lists import ROWS
from tavla_engine.position import row
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.view import FIELDS, View
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

COMMANDS = "\x1b]0;EVIL\x07\x1b[2JEVIL\x9b31mEVIL\x00\x08\x7f\u202eEVIL\u2066\u200f\u2028\r\nFORGED"
FORBIDDEN = ("\x1b]0;", "\x1b[2JEVIL", "EVIL\x07", "\x9b", "\x00", "\x08\x7f", "\u202e", "\u2066", "\u200f", "\u2028")
START = row(p24=2, p13=5, p8=3, p6=5)
SANE: dict[str, Any] = {  # what has to be as usual, so that the rest is shown: `Type.field` -> its value
    "Welcome.token": "t0ken",
    "Welcome.name": "ada",
    "Snapshot.epoch": 1,
    "Snapshot.seq": 5,
    "Snapshot.seat": None,
    "Snapshot.view": {},
    "Plays.seq": 5,
    "View.phase": "roll",
    "View.turn": 0,
    "View.dice": (),
    "View.points": START + START,
    "View.last": ((0, 3, 1, 8, 5, 6, 5),),
    "View.rules": {"length": 3, COMMANDS: COMMANDS},
    "View.offer": None,
    "View.resignation": None,
    "View.outcome": None,
    "View.clock": None,
    "View.seeds": ("", ""),
    "View.seed": "",
    "View.aborts": (None, None),
    "View.used": None,
    "View.ready": (False, False),
    "View.spectators": True,
    "Unchallenged.challenge": "another",
    "Played.next": None,
    "Collected.next": None,
    "Recorded.next": None,
    "Recorded.events": [[1, 0, COMMANDS, COMMANDS]],
    "Error.retry_after": 0.0,
}
PUSHED = (  # what comes unasked
    m.Plays,
    m.Presence,
    m.Seated,
    m.Ended,
    m.Challenged,
    m.Unchallenged,
    m.Friend,
    m.Said,
    m.Watchers,
    m.Notice,
    m.Unpaired,
    m.Called,
)


def hostile(type_: Any, text: str = COMMANDS, place: str = "") -> Any:
    """A value of a type, with this text wherever there is one."""
    if place in SANE:
        return SANE[place]
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return hostile(arguments[0], text)
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return hostile(str if str in arguments else arguments[0], text)
    if origin is list:
        return [hostile(arguments[0], text)]
    if origin is dict:
        return {text: hostile(arguments[1], text)}
    if origin is tuple:
        return tuple(hostile(one, text) for one in arguments if one is not Ellipsis)
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        return struct(type_, text)
    if isinstance(type_, type) and issubclass(type_, tuple):  # a named one
        return [hostile(hint, text) for hint in get_type_hints(type_).values()]
    values = {str: text, int: 1, float: 1.0, bool: True, bytes: b"", Any: text}
    return values[type_]


def struct(type_: type[msgspec.Struct], text: str = COMMANDS) -> dict[str, Any]:
    """A struct's fields by name; a message has its type, too."""
    hints = get_type_hints(type_, include_extras=True)
    fields = {name: hostile(hints[name], text, f"{type_.__name__}.{name}") for name in type_.__struct_fields__}
    tag = type_.__struct_config__.tag
    return {"type": tag, **fields} if tag else fields


class HostileServer:
    """A server that answers each request with a message of the right type, and pushes all others after a snapshot.

    text: what each text is. spoil: changes a message before it leaves, by its type's name. answers: whether it says
    anything after welcome. closes: it ends the connection at each request. takes_names: every name is taken. view: of
    a view, what differs. hellos: how many came.
    """

    def __init__(self) -> None:
        self.url = ""
        self.text = COMMANDS
        self.spoil: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.answers, self.closes, self.takes_names = True, False, False
        self.view: dict[str, Any] = {}
        self.hellos = 0

    def serve(self, socket: ServerConnection) -> None:
        """Serve one connection."""
        with contextlib.suppress(ConnectionClosed):
            for frame in socket:
                assert isinstance(frame, bytes)
                request = msgspec.msgpack.decode(frame)
                self.hellos += request["type"] == "hello"
                if request["type"] != "hello" and self.closes:
                    return
                if request["type"] == "hello" or self.answers:
                    for message in self._answers(request):
                        socket.send(pack(message))

    def make(self, type_: type[msgspec.Struct], **sane: Any) -> dict[str, Any]:
        """A message, spoilt if it is to be."""
        message = struct(type_, self.text) | sane
        self.spoil.get(type_.__name__, _leave)(message)
        return message

    def _answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any] | list[Any]]:
        id_, match = request["id"], request.get("table") or request.get("match") or self.text
        match request["type"]:
            case "hello" if self.takes_names:
                yield self.make(m.Error, id=id_, code="name_taken")
            case "hello":
                yield self.make(m.Welcome, id=id_)
            case "list" | "subscribe":
                what = request.get("what", "tables")
                rows = {"1" if what == "chat" else self.text: self.make(ROWS[what])}
                yield self.make(m.Listing, id=id_, what=what, rows=rows, tournament=request.get("tournament", ""))
            case "profile":
                yield self.make(m.Career, id=id_)
            case "top":
                yield self.make(m.Leaders, id=id_)
            case "friends":
                yield self.make(m.Following, id=id_)
            case "dice":
                yield self.make(m.Rolls, id=id_)
            case "create_tournament":
                yield self.make(m.Organised, id=id_)
            case "tournament_record":
                yield self.make(m.TournamentRecorded, id=id_)
            case "past_tournaments":
                yield self.make(m.Held, id=id_)
            case "history":
                yield self.make(m.Played, id=id_)
            case "record":
                yield self.make(m.Recorded, id=id_, view=self._view())
            case "reports":
                yield self.make(m.Reported, id=id_)
            case "fair_play":
                yield self.make(m.Figures, id=id_)
            case "inspect":
                yield self.make(m.Inspected, id=id_)
            case "attach" | "join" | "create" | "answer":
                yield self.make(m.Snapshot, id=id_, match=match, view=self._view())
                for type_ in PUSHED:
                    own = {"match": match} if "match" in type_.__struct_fields__ else {}
                    yield self.make(type_, **({"id": None} if type_ is m.Challenged else {}), **own)
            case "report" | "say" | "chat":
                yield self.make(m.Error, id=id_)
            case _:
                yield self.make(m.Ok, id=id_)

    def _view(self) -> dict[str, Any]:
        """As a snapshot has it: what is as in the empty view is left out."""
        view = struct(View, self.text) | self.view
        self.spoil.get("View", _leave)(view)
        return view


def _leave(_: dict[str, Any]) -> None:
    """A message as it is."""


@contextlib.contextmanager
def hostile_server() -> Iterator[HostileServer]:
    """A hostile server on a free port, in threads of its own."""
    server = HostileServer()
    with serve(server.serve, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)], ping_interval=None) as listening:
        server.url = "ws://{}:{}".format(*listening.socket.getsockname()[:2])
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield server
        listening.shutdown()
        thread.join()


assert set(FIELDS) == set(View.__struct_fields__), "a view is made from its fields"
