"""Problem types of the operations on a desk's setup and visits, in addition to their form's."""

from collections.abc import Mapping

_AT_DESK = (
    *("GET desks/{slug}", "PATCH desks/{slug}"),
    *("GET desks/{slug}/widget", "PATCH desks/{slug}/widget"),
    *("GET desks/{slug}/queues", "POST desks/{slug}/queues"),
    *("GET desks/{slug}/closures", "POST desks/{slug}/closures"),
    *("GET desks/{slug}/agents", "POST desks/{slug}/agents", "GET desks/{slug}/candidates"),
    *("GET desks/{slug}/skills", "POST desks/{slug}/skills"),
    *("GET desks/{slug}/replies", "PUT desks/{slug}/replies/{shortcut}"),
    *("GET desks/{slug}/outcomes", "POST desks/{slug}/outcomes"),
    "POST desks/{slug}/outcomes/usual",
    *("GET desks/{slug}/languages", "PUT desks/{slug}/languages"),
    *("GET desks/{slug}/signing-secrets", "POST desks/{slug}/signing-secrets"),
    *("GET desks/{slug}/blocked", "POST desks/{slug}/blocked"),
    *("DELETE desks/{slug}/skills/{skill}", "DELETE desks/{slug}/replies/{shortcut}"),
    *("DELETE desks/{slug}/outcomes/{outcome}", "POST desks/{slug}/outcomes/{outcome}/up"),
    "DELETE desks/{slug}/signing-secrets/{secret}",
    "DELETE desks/{slug}/blocked/{blocked}",
    "GET desks/{slug}/visits",
)
_MORE = {
    "POST desks/{slug}/queues": "unknown-queue",
    "GET desks/{slug}/closures": "unknown-queue",
    "POST desks/{slug}/closures": "unknown-queue",
    "GET desks/{slug}/agents": "unknown-queue",
    "POST desks/{slug}/agents": "unknown-queue unknown-agent",
    "PUT desks/{slug}/languages": "unknown-skill",
    "POST desks/{slug}/blocked": "unknown-visit",
    "DELETE desks/{slug}/skills/{skill}": "unknown-skill",
    "DELETE desks/{slug}/replies/{shortcut}": "unknown-reply",
    "DELETE desks/{slug}/outcomes/{outcome}": "no-such-outcome",
    "POST desks/{slug}/outcomes/{outcome}/up": "no-such-outcome",
    "DELETE desks/{slug}/signing-secrets/{secret}": "unknown-secret",
    "DELETE desks/{slug}/blocked/{blocked}": "unknown-address",
    "GET desks/{slug}/visits": "unknown-queue",
}
SETUP_OPERATIONS: Mapping[str, str] = {
    **{name: f"unknown-desk {_MORE.get(name, '')}".strip() for name in _AT_DESK},
    **dict.fromkeys(
        (
            *("GET desks/{slug}/queues/{queue}", "PATCH desks/{slug}/queues/{queue}"),
            *("GET desks/{slug}/queues/{queue}/topics", "PUT desks/{slug}/queues/{queue}/topics"),
            "PUT desks/{slug}/queues/{queue}/closures/{day}",
        ),
        "unknown-desk unknown-queue",
    ),
    "DELETE desks/{slug}/queues/{queue}/closures/{day}": (
        "unknown-desk unknown-queue unknown-closure"
    ),
    "GET desks/{slug}/agents/{agent}": "unknown-desk unknown-agent",
    "PATCH desks/{slug}/agents/{agent}": "unknown-desk unknown-agent unknown-queue",
    "POST desks/{slug}/agents/{agent}/archive": "unknown-desk unknown-agent agent-online",
    "POST desks/{slug}/agents/{agent}/restore": "unknown-desk unknown-agent",
    "GET desks/{slug}/visits/{visit}": "unknown-visit",
    "POST desks/{slug}/visits/{visit}/move": (
        "unknown-desk unknown-visit unknown-queue visit-ended queue-full no-room not-yours"
    ),
    "POST desks/{slug}/visits/{visit}/outcome": (
        "unknown-desk unknown-visit no-such-outcome not-yours outcome-closed"
    ),
    "GET agent/history": "unknown-agent",
    "GET agent/history/{visit}": "unknown-agent unknown-visit not-yours outcome-closed",
}
