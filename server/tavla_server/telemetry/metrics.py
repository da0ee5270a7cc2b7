"""Metrics: each with its name for Prometheus, its label and all values of that.

A counter is a plain number that goes up where things happen; it is read for a snapshot (`snapshots`), as gauges are.

To add to a number takes Python 600 to 1,000 instructions, to append to a list 150, and to count a list next to nothing.
So what happens in each action is noted in lists (`note_...`), and counted ten times a second, when the loop's lag is
measured; and how long an action takes is measured of the first one after that (`due`).

What clients send never becomes the value of a label: of whatever is not known beforehand it is `other`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Literal

from tavla_engine.errors import Reason
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_protocol.messages import REPLIES, REQUESTS, MatchAction

OTHER = "other"
# From a round trip to a store on this machine to one beyond all patience.
LATENCIES_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
WAITS_S = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)  # of players

# By name of a metric and value of its label: one number, or for a histogram the sum and the counts.
Snapshot = dict[str, dict[str, list[float]]]

METRICS: list["Metric"] = []


class Metric:
    """A metric. label: its name; "" = it has none. values: all that the label can have."""

    def __init__(self, name: str, what: str, label: str = "", values: Sequence[str] = ("",)) -> None:
        self.name, self.what, self.label, self.values = name, what, label, values
        METRICS.append(self)

    def samples(self) -> dict[str, list[float]]:
        """The values as in a `Snapshot`."""
        return {}


class Counter(Metric):
    """A counter: a number that only goes up, for each value of the label."""

    def __init__(self, name: str, what: str, label: str = "", values: Sequence[str] = ("",)) -> None:
        super().__init__(name, what, label, values)
        self.counts: dict[str, float] = dict.fromkeys(values, 0)

    def add(self, value: str = "", by: float = 1) -> None:
        """Count. value: of the label."""
        self.counts[value if value in self.counts else OTHER] += by

    def samples(self) -> dict[str, list[float]]:
        return {value: [count] for value, count in self.counts.items()}


class Histogram(Metric):
    """A histogram of durations. bounds: of its buckets, in seconds, each included; one more has the rest.

    due: the next one is to be measured, where that is not done with all.
    """

    def __init__(self, name: str, what: str, bounds: Sequence[float]) -> None:
        super().__init__(name, what)
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0
        self.due = True

    def observe(self, seconds: float) -> None:
        """Count one that took so long."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.sum += seconds

    def samples(self) -> dict[str, list[float]]:
        return {"": [self.sum, *self.counts]}


class Gauge(Metric):
    """A gauge: a number that goes up and down, read on demand.

    of_all: what several processes make of it: the sum of theirs, or the most if all speak of the same.
    """

    def __init__(
        self, name: str, what: str, of_all: Literal["sum", "max"], label: str = "", values: Sequence[str] = ("",)
    ) -> None:
        super().__init__(name, what, label, values)
        self.of_all = of_all


class Traffic:
    """The traffic: messages of one type, and their bytes."""

    __slots__ = ("bytes", "messages")

    def __init__(self) -> None:
        self.messages = self.bytes = 0


class TrafficCounter(Metric):
    """A counter of messages or of bytes, by type: a half of `Traffic`."""

    def __init__(self, name: str, what: str, traffic: Mapping[str, Traffic], field: str) -> None:
        super().__init__(name, what, "type", tuple(traffic))
        self._traffic, self._field = traffic, field

    def samples(self) -> dict[str, list[float]]:
        return {kind: [getattr(traffic, self._field)] for kind, traffic in self._traffic.items()}


# --- connections ---

CONNECTIONS = Gauge(
    "tavla_connections", "Open connections.", "sum", "role", ("new", "onlooker", "guest", "account", "bot")
)
ROOM = Gauge(
    "tavla_connections_room",
    "Connections that there may be: by --max-connections, and the system's limit of open files.",
    "sum",
)
RESPONSES = Counter(
    "tavla_http_responses_total",
    "Answers to HTTP on the public port; 101 is a handshake that has worked.",
    "code",
    (
        *("101", "200", "304", "400", "403", "404", "405", "413", "414", "421"),
        *("426", "429", "431", "500", "501", "503", "505", OTHER),
    ),
)
TLS = Counter(
    "tavla_tls_handshakes_total",
    "Handshakes of TLS with clients. A client that does not accept the certificate is one that failed.",
    "how",
    ("agreed", "failed"),
)
CLOSES = Counter(
    "tavla_closes_total",
    "WebSockets that have ended, by close code; 1006 is one that was lost.",
    "code",
    tuple(dict.fromkeys(["1000", "1001", "1005", "1006", *(str(int(code)) for code in CloseCode), OTHER])),
)
SLOW = Counter(
    "tavla_slow_consumers_total",
    "Clients that did not read: players who were closed, and whoever was cut since nothing was read any more.",
    "what",
    ("closed", "cut"),
)

# --- messages ---

received: dict[str, Traffic] = {kind: Traffic() for kind in (*sorted(REQUESTS), OTHER)}
sent: dict[str, Traffic] = {kind: Traffic() for kind in (*sorted(REPLIES), "update", OTHER)}
_sent_by_tag = {kind.encode(): traffic for kind, traffic in sent.items()}
received_by_class = {cls: received[kind] for kind, cls in REQUESTS.items()}
sent_other = sent[OTHER]
_UPDATE, _WIDE = 0x93, 0xDE  # an array of three; a map of more than fifteen fields, whose count takes two bytes
_LONG = 126  # the first length of a frame that stands elsewhere

RECEIVED = TrafficCounter("tavla_messages_received_total", "Messages from clients.", received, "messages")
RECEIVED_BYTES = TrafficCounter("tavla_received_bytes_total", "Their bytes, without framing.", received, "bytes")
SENT = TrafficCounter("tavla_messages_sent_total", "Messages to clients, each receiver counted.", sent, "messages")
SENT_BYTES = TrafficCounter("tavla_sent_bytes_total", "Their bytes, with framing.", sent, "bytes")

_CODES = tuple(dict.fromkeys([*(str(code) for code in ErrorCode), *(reason.value for reason in Reason)]))
ACTIONS = Counter(
    "tavla_actions_total",
    "Actions in matches, by what became of them: ok, or the code of the error.",
    "outcome",
    ("ok", *_CODES, OTHER),
)
REFUSALS = Counter(
    "tavla_refusals_total", "All other requests that were refused, by the code of the error.", "code", (*_CODES, OTHER)
)
LIMITS = Counter(
    "tavla_limit_hits_total",
    "How often somebody met a limit; docs/limits.md has them.",
    "limit",
    (
        *("accounts", "actions", "address", "challenges", "chat", "collected", "collected-by-address", "connections"),
        *("cost-address", "cost-network", "cost-player", "entries", "flood", "follow", "friends", "guests"),
        *("handshakes", "logins-by-address", "logins-by-known", "logins-by-name", "logins-by-player", "looks"),
        *("looks-by-address", "offers", "open-challenges", "open-tables", "open-tournaments", "open_files", "pages"),
        *("passwords", "pending", "pieces", "puzzles", "reports", "requests", "reviews", "reviews-by-address"),
        *("reviews-by-player", "say", "shows", "tables", "tables-by-address", "tables-by-player"),
        *("tournaments-by-player", "watchers_say", OTHER),
    ),
)
DELIVERY = Histogram(
    "tavla_delivery_seconds",
    "From the decision of an action until all here were sent what came of it; ten a second at most.",
    LATENCIES_S,
)
RESYNCS = Counter(
    "tavla_resyncs_total",
    "Whole matches shown: to who attaches without enough of it, to who was slow, to all after a new epoch.",
    "why",
    ("attach", "slow", "epoch"),
)

# --- matches ---

SESSIONS = Gauge("tavla_sessions", "Matches in this server's memory.", "sum")
MATCHES = Gauge(
    "tavla_matches",
    "Matches that are not over, on all servers: open tables, those that have not begun, those that are played.",
    "max",
    "state",
    ("open", "awaited", "running"),
)
BEGUN = Counter("tavla_matches_begun_total", "Matches whose first game has begun here.")
ENDED = Counter("tavla_matches_ended_total", "Matches that have ended here.", "how", ("played", "void"))
SEEDED = Counter(
    "tavla_matches_seeded_total",
    "Matches for which seeds were due, each counted on one server; and those that are void, for want of one or by a "
    "moderator.",
    "how",
    ("due", "void"),
)
EPOCHS = Counter("tavla_epochs_total", "Matches of which the store has lost what was shown.")
RESTORED = Counter("tavla_journals_restored_total", "Journals that were given back what the store had forgotten.")
WAITING = Gauge("tavla_matchmaking_waiting", "Tickets that wait for a quick match.", "sum")
WAITS = Histogram("tavla_matchmaking_wait_seconds", "Until a quick match was found.", WAITS_S)
RESULTS = Gauge("tavla_results_waiting", "Matches whose results wait for ratings, of all servers.", "max")
ARCHIVED = Counter("tavla_matches_archived_total", "Matches that were moved to the archive.")
BACKLOG = Gauge("tavla_archive_backlog", "Matches that wait to be archived, of all servers.", "max")
ARCHIVE_AWAY = Gauge("tavla_archive_away", "1 while the archive cannot be reached.", "max")
UNANALYSED = Gauge("tavla_analysis_backlog", "Matches that wait to be judged (--analysis), of all servers.", "max")

# --- tournaments ---

TOURNAMENTS = Gauge(
    "tavla_tournaments",
    "Tournaments of all servers: to come, running, and over but not archived yet.",
    "max",
    "state",
    ("coming", "running", "unarchived"),
)
TOURNAMENT_PLAYERS = Gauge(
    "tavla_tournament_players",
    "Players of tournaments of all servers who wait for a match, and who play one.",
    "max",
    "state",
    ("waiting", "playing"),
)
PAIRED = Counter("tavla_tournament_pairings_total", "Matches of tournaments that were made here.")
PAIRING = Histogram("tavla_tournament_pairing_seconds", "Until those who wait were paired, in a process.", LATENCIES_S)

# --- the server ---

QUEUES = Gauge(
    "tavla_queue_length",
    "What waits: actions for their match, commands for the store and its answer, handshakes, ends and bulk of "
    "connections for their turn, passwords, and effects of matches.",
    "sum",
    "queue",
    ("actions", "store", "handshakes", "ends", "slices", "passwords", "effects"),
)
LAG = Histogram("tavla_loop_lag_seconds", "How late the event loop was, ten times a second.", LATENCIES_S)
GC = Histogram("tavla_gc_pause_seconds", "Looks for cyclic garbage, which stop everything.", LATENCIES_S)
DRAINING = Gauge("tavla_draining", "How many processes are stopping.", "sum")
LOG_LINES = Counter("tavla_log_lines_total", "Lines of the log that want to be read.", "level", ("warning", "error"))
RESTARTS = Counter("tavla_worker_restarts_total", "Workers that have ended and were replaced.")
WORKERS = Gauge("tavla_workers", "Processes that have answered: one, or those of --workers.", "sum")
CPU = Counter("process_cpu_seconds_total", "CPU of all processes of this server, without its store.")
MEMORY = Gauge("process_resident_memory_bytes", "Memory of all processes of this server, without its store.", "sum")

# --- the store ---

APPEND = Histogram(
    "tavla_append_seconds",
    "From the decision of an action until the store has it, the group before it included; ten a second at most.",
    LATENCIES_S,
)
CONFLICTS = Counter("tavla_append_conflicts_total", "Appends before which another server had been.")
STORE_ERRORS = Counter(
    "tavla_store_errors_total",
    "Connections to Redis that were lost, commands that could not be sent or were not answered, and those refused.",
    "what",
    ("disconnected", "unreachable", "unanswered", "refused"),
)
STORE_AWAY = Gauge("tavla_store_masters_away", "Masters of Redis that cannot be reached.", "max")
CERTIFICATES = Gauge(
    "tavla_certificate_end_timestamp_seconds",
    "The end of the server's own certificate, and of the store's, if they have one.",
    "max",
    "whose",
    ("server", "store"),
)
NODES = Gauge("tavla_nodes", "Server processes with a heartbeat, of all servers.", "max")
RETRIED = Counter("tavla_effects_retried_total", "Effects of matches (ratings, rows) that had to be tried again.")


_action_frames = {cls: list[bytes]() for cls in received_by_class if issubclass(cls, MatchAction)}
_ok_frames, _update_frames, _receivers = list[bytes](), list[bytes](), list[int]()
note_action = {cls: frames.append for cls, frames in _action_frames.items()}  # by class: an action's frame has come
note_ok = _ok_frames.append  # the reply to an accepted action
note_update = _update_frames.append  # an update frame was written to subscribers,
note_receivers = _receivers.append  # to so many of them


def count_notes() -> None:
    """Count what was noted."""
    for cls, frames in _action_frames.items():
        if frames:
            traffic = received_by_class[cls]
            traffic.messages += len(frames)
            traffic.bytes += sum(map(len, frames))
            frames.clear()
    sent["ok"].messages += len(_ok_frames)
    sent["ok"].bytes += sum(map(len, _ok_frames))
    ACTIONS.counts["ok"] += len(_ok_frames)
    _ok_frames.clear()
    sent["update"].messages += sum(_receivers)
    sent["update"].bytes += sum(map(mul, map(len, _update_frames), _receivers))
    _update_frames.clear()
    _receivers.clear()


def count_received(cls: type | None, frame: bytes) -> None:
    """Count a request. cls: of the message; None: it is none of ours."""
    traffic = received[OTHER] if cls is None else received_by_class[cls]
    traffic.messages += 1
    traffic.bytes += len(frame)


def count_sent(frame: bytes, receivers: int = 1) -> None:
    """Count a framed message: an update is an array, of all others the type is the map's first field."""
    at = 2 if frame[1] < _LONG else 4 if frame[1] == _LONG else 10
    tag = at + (9 if frame[at] == _WIDE else 7)
    kind = b"update" if frame[at] == _UPDATE else frame[tag : tag + (frame[tag - 1] & 0x1F)]
    traffic = _sent_by_tag.get(kind, sent_other)
    traffic.messages += receivers
    traffic.bytes += receivers * len(frame)
