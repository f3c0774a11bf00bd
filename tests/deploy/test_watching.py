"""Alert rules, their runbook and the dashboards: they agree with /metrics and with each other."""

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from numbers import overview as pools
from poolsite.api import measuring
from poolsite.operations import metrics
from poolsite.operations.models import Incident
from poolsite.operations.registry import CHECKS, COLLECTORS
from queueing.admission import overview as gates
from queueing.dispatch import overview as groups
from queueing.line import overview as desks
from tests.deploy.promql import grouping, selectors
from tests.house import dashboards
from tests.house.source import ROOT

PROMETHEUS = ROOT / "deploy" / "prometheus"
RUNBOOK = "docs/operations/alerts.md"
OF_PROMETHEUS = {"up": {"job", "instance"}, "ALERTS": {"job", "alertname", "alertstate"}}
OF_ALERTS = {"alertname", "severity"}
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
# The values of a label, where the product has a list of them.
VALUES: dict[tuple[str, str], Any] = {
    ("poolsite_pool_numbers", "state"): pools.STATES,
    ("poolsite_pool_calls_total", "outcome"): pools.COUNTERS,
    ("poolsite_gate_permits", "what"): gates.LEVELS,
    ("poolsite_gate_events_total", "event"): gates.COUNTERS,
    ("poolsite_line_queue", "what"): desks.LEVELS,
    ("poolsite_dispatch_level", "what"): groups.LEVELS,
    ("poolsite_dispatch_events_total", "event"): groups.COUNTERS,
    ("poolsite_http_request_duration_seconds_count", "area"): measuring.AREAS,
    ("poolsite_http_request_duration_seconds_count", "status"): measuring.STATUSES,
    ("poolsite_http_request_duration_seconds_bucket", "area"): measuring.AREAS,
    ("poolsite_incidents_open", "severity"): Incident.Severity.values,
    ("poolsite_health_up", "check"): {*CHECKS, "redis:.+", "redis.*"},
}


@cache
def rules() -> dict[str, Any]:
    """Return every alert rule by its name."""
    told = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())
    found = [rule for group in told["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in found}) == len(found)
    return {rule["alert"]: rule for rule in found}


def boards() -> dict[str, Any]:
    """Return every dashboard by its file's name, as Grafana reads it."""
    folder = ROOT / "deploy" / "grafana" / "dashboards"
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def queries() -> Iterator[tuple[str, str]]:
    """Yield the location of each query, and the query."""
    yield from ((name, rule["expr"]) for name, rule in rules().items())
    for name, board in boards().items():
        for panel in board["panels"]:
            yield from ((f"{name}: {panel['title']}", each["expr"]) for each in panel["targets"])


def promtool(*words: str) -> str:
    """Return promtool's output. The command must succeed."""
    command = ["promtool", *words]
    done = subprocess.run(
        command, cwd=PROMETHEUS, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.processes
@pytest.mark.needs("prometheus")
def test_each_alert_fires_when_it_should_and_stays_silent_before():
    assert "SUCCESS" in promtool("test", "rules", "alerts_test.yml")
    tested = (PROMETHEUS / "alerts_test.yml").read_text()
    assert [name for name in rules() if f'alertname="{name}"' not in tested] == []


@pytest.mark.processes
@pytest.mark.needs("prometheus")
def test_prometheus_takes_the_example_and_every_query(tmp_path):
    for name in ("prometheus.yml", "alerts.yml"):
        (tmp_path / name).write_text((PROMETHEUS / name).read_text())
    (tmp_path / "metrics-token").write_text("secret")
    told = [
        {"record": f"query:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, (_, query) in enumerate(queries())
    ]
    panels = {"groups": [{"name": "dashboards", "rules": told}]}
    (tmp_path / "panels.yml").write_text(yaml.safe_dump(panels))
    promtool("check", "config", str(tmp_path / "prometheus.yml"))
    assert f"{len(told)} rules" in promtool("check", "rules", str(tmp_path / "panels.yml"))


@pytest.mark.parametrize("name", rules())
def test_each_alert_says_how_bad_it_is_and_where_its_runbook_stands(name):
    rule = rules()[name]
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert all(rule["annotations"][name] for name in ("summary", "description"))
    assert rule["annotations"]["runbook_url"] == f"{RUNBOOK}#{name.lower()}"


def test_the_runbook_has_a_section_for_each_alert_and_its_anchors_exist():
    text = (ROOT / RUNBOOK).read_text()
    assert re.findall(r"^### (\w+)$", text, re.MULTILINE) == list(rules())
    anchors = set(re.findall(r"\]\(#([\w-]+)\)", text))
    assert anchors - {name.lower() for name in rules()} == set()


def test_every_section_says_what_to_do_and_when_it_ends():
    sections = re.split(r"^### (\w+)$", (ROOT / RUNBOOK).read_text(), flags=re.MULTILINE)[1:]
    told = dict(zip(sections[::2], sections[1::2], strict=True))
    assert [name for name, text in told.items() if "\n1. " not in text] == []
    assert [name for name, text in told.items() if "\nEnds " not in text] == []


@pytest.mark.django_db
def test_every_metric_and_label_of_a_query_is_exported():
    known = exported()
    wrong = []
    for place, query in queries():
        labels: set[str] = set(OF_ALERTS) if "ALERTS" in query else set()
        for each in selectors(query):
            own = known.get(each.metric)
            if own is None:
                wrong.append(f"{place}: no metric {each.metric}")
                continue
            labels |= own
            wrong += [f"{place}: {each.metric} has no {name}" for name in each.labels.keys() - own]
            for name, values in each.labels.items():
                allowed = VALUES.get((each.metric, name))
                if allowed is not None and not set(values) <= set(allowed):
                    wrong.append(f"{place}: {name} of {each.metric} is never {values}")
        wrong += [f"{place}: no label {name}" for name in grouping(query) - labels]
    assert wrong == []


def exported() -> dict[str, set[str]]:
    """Return the labels of each metric of /metrics, and those that Prometheus adds."""
    found = dict(OF_PROMETHEUS)
    families = [family for each in [*metrics.BUILT_IN.values(), *COLLECTORS.values()]
                for family in each()]  # fmt: skip
    own = {"poolsite_collector_up": ("gauge", ("collector",))}
    own |= {family.name: (family.type, family._labelnames) for family in families}
    for collector in {*REGISTRY._names_to_collectors.values()}:
        named = getattr(collector, "_labelnames", ())
        own |= {family.name: (family.type, named) for family in collector.collect()}
    for name, (kind, labels) in own.items():
        for suffix in SUFFIXES.get(kind, ("",)):
            more = {"le"} if suffix == "_bucket" else set()
            found[name + suffix] = {"job", "instance", *labels} | more
    return found


@pytest.mark.django_db
@pytest.mark.processes
@pytest.mark.needs("prometheus")
def test_the_names_of_the_metrics_follow_prometheus_conventions():
    text = metrics.render()
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")


def test_the_dashboards_are_what_their_panels_say():
    folder = ROOT / "deploy" / "grafana" / "dashboards"
    stored = {path.stem: path.read_text() for path in folder.glob("*.json")}
    assert stored == dashboards.texts(), "run: .venv/bin/python -m tests.house.dashboards"


@pytest.mark.parametrize("name", boards())
def test_a_dashboard_has_what_grafana_asks_for(name):
    board = boards()[name]
    assert board["uid"] == f"poolsite-{name}"
    assert board["title"].startswith("Poolsite: ")
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({panel["title"] for panel in panels}) == len(panels)
    assert {panel["datasource"]["uid"] for panel in panels} == {"${datasource}"}
    places = [panel["gridPos"] for panel in panels]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    assert [pair for pair in combinations(places, 2) if overlap(*pair)] == []


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    """Return whether two panels overlap."""
    apart = (
        one["x"] + one["w"] <= other["x"]
        or other["x"] + other["w"] <= one["x"]
        or one["y"] + one["h"] <= other["y"]
        or other["y"] + other["h"] <= one["y"]
    )
    return not apart
