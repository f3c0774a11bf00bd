"""Operations' own events: incidents, and the test event of an endpoint."""

from django.utils.translation import gettext_lazy as _

from poolsite.operations.webhooks.event_types import TEST, EventType, declare

GROUP, ENDPOINTS = _("Incidents"), _("Webhooks")
_INCIDENT = {
    "incident": 318,
    "type": "numbers.full",
    "object": "retail-east",
    "severity": "warning",
    "title": "Pool Retail East is full",
    "detail": "All 200 numbers are in calls.",
    "remedy": "Add numbers.",
    "since": "2026-03-01T02:10:00.117302+00:00",
    "until": None,
}


def register() -> None:
    """Declare the events. AppConfig.ready() calls this once."""
    declare(
        EventType(
            *("incident.opened", GROUP, _("Incident opened")),
            _("Something is wrong with the platform or with an object."),
            _INCIDENT,
        ),
        EventType(
            *("incident.escalated", GROUP, _("Incident escalated")),
            _("A warning became critical."),
            {**_INCIDENT, "severity": "critical"},
        ),
        EventType(
            *("incident.closed", GROUP, _("Incident closed")),
            _("The problem is over, or a person resolved it."),
            {**_INCIDENT, "until": "2026-03-01T02:32:07.481920+00:00"},
        ),
        EventType(
            *(TEST, ENDPOINTS, _("Test event")),
            _("A person sent a test event. Every endpoint can get one."),
            {"endpoint": "we-5f1c0a9b7d3e"},
        ),
    )
