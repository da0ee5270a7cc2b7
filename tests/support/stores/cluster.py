"""A cluster of three masters, each with its replica."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from redis.crc import key_slot

from tests.support.servers.processes import free_port
from tests.support.stores.redises import DETECTION_MS, OPTIONS, Instance, Replicated, synced, until

SLOTS = 16384
IN_CLUSTER = (
    f"--cluster-enabled yes --cluster-node-timeout {DETECTION_MS} --cluster-require-full-coverage no"
    " --cluster-allow-replica-migration no --cluster-replica-validity-factor 0"
)


class Cluster(Replicated):
    """Three masters, and a replica of each."""

    def __init__(self, folder: Path) -> None:
        options = [*OPTIONS.split(), *IN_CLUSTER.split()]
        self._buses = [free_port() for _ in range(6)]
        self.instances = [Instance(folder, *options, "--cluster-port", str(bus)) for bus in self._buses]
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{instance.port}" for instance in self.instances[:3])

    def start(self) -> None:
        for instance in self.instances:
            instance.start()
        first, masters, replicas = self.instances[0], self.instances[:3], self.instances[3:]
        for number, master in enumerate(masters):
            ends = (SLOTS * number // 3, SLOTS * (number + 1) // 3 - 1)
            master.ask("CLUSTER", "ADDSLOTSRANGE", *map(str, ends))
            master.ask("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
        for instance, bus in zip(self.instances[1:], self._buses[1:], strict=True):
            first.ask("CLUSTER", "MEET", "127.0.0.1", str(instance.port), str(bus))
        until(
            lambda: all(_flags(instance) == ["master"] * 6 for instance in self.instances), "nodes that know each other"
        )
        for replica, master in zip(replicas, masters, strict=True):
            replica.ask("CLUSTER", "REPLICATE", master.ask("CLUSTER", "MYID").decode())
        self.until_whole()

    def serving(self, key: str = "") -> Instance:
        slot = key_slot(key.encode())
        port = next(port for start, end, port in self._ranges() if start <= slot <= end)
        return next(instance for instance in self.instances if instance.port == port)

    def masters(self) -> list[Instance]:
        ports = {port for *_, port in self._ranges()}
        return [instance for instance in self.instances if instance.port in ports]

    @contextlib.contextmanager
    def moving(self, key: str) -> Iterator[Instance]:
        """A key's slot moves to another master; it. All keys are there when this begins, all know it when this ends."""
        before = self.serving(key)
        after = next(master for master in self.masters() if master is not before)
        slot = str(key_slot(key.encode()))
        ids = {instance: instance.ask("CLUSTER", "MYID").decode() for instance in (before, after)}
        after.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[before])
        before.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[after])
        while keys := before.ask("CLUSTER", "GETKEYSINSLOT", slot, "1"):
            before.ask("MIGRATE", "127.0.0.1", str(after.port), keys[0].decode(), "0", "5000")
        yield after
        for instance in (after, before, *self.masters()):
            instance.ask("CLUSTER", "SETSLOT", slot, "NODE", ids[after])

    def start_alone(self, instance: Instance) -> None:
        """Start one that was killed, and that reaches no other: it knows what it knew then."""
        instance.replace("nodes.conf", r"@[0-9]+", "@1")
        instance.start("--cluster-port", str(free_port()))

    def _ranges(self) -> list[tuple[int, int, int]]:
        """First slot, last slot, port of their master, as one that is not away has it."""
        asked = next(instance for instance in self.instances if not instance.away)
        return [(start, end, port) for start, end, (_, port, *_), *_ in asked.ask("CLUSTER", "SLOTS")]

    def _whole(self) -> bool:
        states = [instance.replication() for instance in self.instances]
        masters = {instance.port: instance for instance in self.instances if instance.replication()["role"] == "master"}
        pairs = [
            (masters.get(state["master_port"]), instance)
            for state, instance in zip(states, self.instances, strict=True)
            if state["role"] == "slave"
        ]
        return (
            all(sorted(_flags(instance)) == ["master"] * 3 + ["slave"] * 3 for instance in self.instances)
            and all(b"cluster_state:ok" in master.ask("CLUSTER", "INFO") for master in masters.values())
            and len(masters) == len({master for master, _ in pairs}) == 3
            and all(master is not None and synced(master, [replica]) for master, replica in pairs)
        )


def _flags(instance: Instance) -> list[str]:
    """Flags of each instance of a cluster, as one of them sees it: "master", "slave", "fail,master" ..."""
    lines = instance.ask("CLUSTER", "NODES").decode().splitlines()
    return [line.split()[2].removeprefix("myself,") for line in lines]
