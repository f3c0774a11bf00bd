"""The system's own card on the overview."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import timers
from poolsite.history import selectors as history_selectors
from poolsite.jobs import presence, sweeping
from poolsite.operations import health, tags_and_notes
from poolsite.operations.registry import (
    Card,
    CardData,
    Figure,
    register_card,
    register_search,
)


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_card(
        Card(
            "system",
            gettext_lazy("System"),  # type: ignore[arg-type]  # translated where it is shown
            system_card,
            order=90,
            url="/system/",
            icon="monitor_heart",
        )
    )
    register_search("tags", tags_and_notes.find_by_tag)


def system_card(principal: Any) -> CardData | None:
    """Redis, SQL, timers, workers, beat and how far SQL is behind; for operators."""
    if not principal.is_operator:
        return None
    workers = [worker for worker in presence.workers() if worker.alive]
    lags = history_selectors.lags()
    backlog = sum(lag.backlog for lag in lags)
    fullest = max((lag.percent for lag in lags), default=0.0)
    timing = timers.read_state()
    beat = sweeping.beat_alive()
    sql = health.missing_migrations()
    paused = sweeping.paused_reason()
    figures = [
        Figure(_("Redis"), _("Up")),
        Figure(
            _("SQL"), _("Migrations missing") if sql else _("Up"), severity="critical" * bool(sql)
        ),
        Figure(
            _("Timers"),
            _("Up") if timing.running else _("Silent"),
            severity="" if timing.running else "critical",
        ),
        Figure(_("Workers"), str(len(workers)), severity="" if workers else "critical"),
        Figure(
            _("Scheduler"), _("Up") if beat else _("Silent"), severity="" if beat else "critical"
        ),
        Figure(
            _("Not yet in SQL"),
            f"{backlog:,}",
            _("entries"),
            severity="critical" if fullest >= 100 else "warning" if fullest >= 80 else "",
        ),
    ]
    if paused:
        figures.append(Figure(_("Sweeps"), _("Paused"), severity="critical"))
    worst = {figure.severity for figure in figures}
    severity = "critical" if "critical" in worst else "warning" if "warning" in worst else ""
    return CardData(figures, severity=severity, url="/system/")
