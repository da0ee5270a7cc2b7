"""Files for Prometheus and Grafana: they name the metrics of a server, and an alert comes when a server is gone."""

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tavla_server.telemetry.metrics
from tavla_server.telemetry.metrics import CERTIFICATES

from tests.support.patience import PATIENCE_S
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess, free_port, kill, page
from tests.support.servers.prometheus import CONFIG, DEPLOY, RULES, Prometheus, promtool
from tests.support.servers.valkey import folder_in_memory

pytestmark = pytest.mark.long  # it starts programs

DASHBOARD = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
ALERTS = RULES.read_text(encoding="utf-8")
PAGE = (DEPLOY / "operate.md").read_text(encoding="utf-8")
METRIC = re.compile(r"\b((?:tavla|process)_[a-z_]+)")


class Watched(ServerProcess):
    """A server of two workers with metrics."""

    def __init__(self, data: Path) -> None:
        self.metrics_port = free_port()
        super().__init__(data, "--workers", "2", "--analysis", "--metrics-port", str(self.metrics_port))

    def scrape(self) -> dict[str, float]:
        """The samples, as Prometheus gets them, by name and labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=PATIENCE_S) as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    """A watched server for all tests here; the last test stops it."""
    with folder_in_memory() as folder, started(Watched(folder / "data")) as (server,):
        yield server


def test_promtool_has_nothing_against_the_files() -> None:
    promtool("check", "rules", RULES.name)
    promtool("check", "config", CONFIG.name)
    promtool("test", "rules", "alerts_test.yaml")


def test_each_alert_is_tried_and_explained() -> None:
    tried = (DEPLOY / "alerts_test.yaml").read_text(encoding="utf-8")
    alerts = re.findall(r"- alert: (\w+)", ALERTS)
    assert len(alerts) > 10
    for alert in alerts:
        assert f'alertname="{alert}"' in tried
        assert f"| `{alert}` |" in PAGE, "what it means, and what to do"


def test_the_dashboard_shows_every_metric_and_no_other_and_so_does_a_scrape(watched: Watched) -> None:
    panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())]
    there = {METRIC.match(name)[1] for name in watched.scrape() if METRIC.match(name)}  # type: ignore[index]
    named = set(METRIC.findall(" ".join(panels)))
    assert named <= there, named - there
    without = {CERTIFICATES.name}  # this server has none
    assert set(METRIC.findall(ALERTS)) <= there | without
    shown = {name.removesuffix("_bucket") for name in named}
    assert shown | without == {metric.name for metric in tavla_server.telemetry.metrics.METRICS}


def test_workers_are_added_up_and_the_counts_of_one_that_is_killed_stay(watched: Watched) -> None:
    asked = 20
    for _ in range(asked):
        assert page(watched.url, "/healthz")[0] == 200
    before = watched.scrape()
    assert before['tavla_http_responses_total{code="200"}'] == asked
    assert before["tavla_workers"] == 2
    lines = len(watched.lines)
    kill(watched.wait_for_event("worker_serving")["pid"])
    watched.wait_for_event("worker_serving", after=lines)
    after = watched.scrape()
    assert after['tavla_http_responses_total{code="200"}'] == asked
    assert after["tavla_worker_restarts_total"] == 1
    assert after['tavla_log_lines_total{level="error"}'] >= 1, "worker_ended"
    assert after["process_cpu_seconds_total"] >= before["process_cpu_seconds_total"]


def test_prometheus_fires_an_alert_when_a_node_is_gone(watched: Watched, tmp_path: Path) -> None:
    with Prometheus(tmp_path, watched.metrics_port) as prometheus:
        prometheus.until("targets", lambda said: [one["health"] for one in said["activeTargets"]] == ["up"])
        prometheus.until("alerts", lambda said: not down(said))
        watched.stop()  # a killed one looks the same from there, and leaves no coverage
        prometheus.until("alerts", lambda said: down(said) == {"TavlaDown", "TavlaAllDown"})


def down(said: Any) -> set[str]:
    """Of the alerts that fire, those that say so of a server."""
    return {
        name for one in said["alerts"] if one["state"] == "firing" and "Down" in (name := one["labels"]["alertname"])
    }
