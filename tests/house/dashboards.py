"""`python -m tests.house.dashboards`: deploy/grafana/panels.yml → dashboards/*.json."""

import json
from collections.abc import Iterator
from typing import Any

import yaml

from tests.house.source import ROOT

FOLDER = ROOT / "deploy" / "grafana"
COLUMNS = 24
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
VARIABLES = [
    {"name": "datasource", "type": "datasource", "label": "Data source", "query": "prometheus"},
    {
        "name": "job",
        "type": "query",
        "label": "Site",
        "datasource": DATASOURCE,
        "query": {"query": "label_values(poolsite_health_up, job)", "refId": "job"},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "current": {"text": ["All"], "value": ["$__all"]},
    },
]


def main() -> None:
    """Write every dashboard."""
    for name, text in texts().items():
        (FOLDER / "dashboards" / f"{name}.json").write_text(text)


def texts() -> dict[str, str]:
    """Return the text of each dashboard's file, by its name."""
    told = yaml.safe_load((FOLDER / "panels.yml").read_text())
    return {
        name: json.dumps(_dashboard(name, **each), indent=1) + "\n" for name, each in told.items()
    }


def _dashboard(name: str, title: str, panels: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the dashboard in Grafana's classic JSON model, which versions 9 and later import."""
    return {
        "uid": f"poolsite-{name}",
        "title": f"Poolsite: {title}",
        "tags": ["poolsite"],
        "schemaVersion": 39,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "links": [
            {"type": "dashboards", "title": "Poolsite", "tags": ["poolsite"], "asDropdown": True}
        ],
        "templating": {"list": VARIABLES},
        "panels": list(_placed(panels)),
    }


def _placed(panels: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the panels with positions, left to right. A full row is followed by a new one."""
    x = y = tallest = 0
    for number, panel in enumerate(panels, start=1):
        is_stat = panel.get("kind") == "stat"
        width, height = panel.get("width", 4 if is_stat else 8), 4 if is_stat else 8
        if x + width > COLUMNS:
            x, y, tallest = 0, y + tallest, 0
        yield _drawn(number, panel, {"x": x, "y": y, "w": width, "h": height})
        x, tallest = x + width, max(tallest, height)


def _drawn(number: int, panel: dict[str, Any], place: dict[str, int]) -> dict[str, Any]:
    kind, bad = panel.get("kind", "timeseries"), panel.get("bad")
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if bad is not None:
        steps.append({"color": "red", "value": bad})
    defaults: dict[str, Any] = {
        "unit": panel.get("unit", "short"),
        "thresholds": {"mode": "absolute", "steps": steps},
    }
    if kind == "timeseries":
        line = "off" if bad is None else "line"
        defaults |= {"min": 0, "custom": {"fillOpacity": 10, "thresholdsStyle": {"mode": line}}}
    return {
        "id": number,
        "type": kind,
        "title": panel["title"],
        "description": panel.get("about", ""),
        "datasource": DATASOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "targets": [
            {"refId": letter, "legendFormat": legend, "expr": query}
            for letter, (legend, query) in zip("ABCDEF", panel["queries"].items(), strict=False)
        ],
    }


if __name__ == "__main__":
    main()
