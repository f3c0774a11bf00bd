"""Example values of the OpenAPI document: a pool of one account, and a call of an agent."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT, AT_US

NUMBER: Final = "+8613800000000"
CALLEE: Final = "+8613900000001"
CALL: Final = "8f14e45f@sip.example.com"
SWITCH: Final = "fs-01"
BOOT: Final = "boot-7c2e"
LISTED: Final = {"call_id": CALL, "number": NUMBER}
RUNNING: Final = {"outcome": "ok", "number": NUMBER, "state": "busy+up", "reason": ""}
FIGURES: Final = {
    "calls": 412,
    "not_told": 3,
    "answered": 251,
    "asr": 0.609,
    "unanswered_share": 0.391,
    "short_share": 0.072,
    "mean_talk_seconds": 94.5,
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "pools": {"slug": "retail-east", "number": NUMBER, "name": SWITCH, "window": "24h"},
    "numbers": {"at": "2026-03-01T10:32:07+08:00", "number": NUMBER},
    "Event": {
        "event": "call",
        "call_id": CALL,
        "switch": SWITCH,
        "incarnation": BOOT,
        "agent": "1042",
        "callee": CALLEE,
    },
    "Answer": {**RUNNING, "lease_seconds": 120, "as_of": AT_US},
    "EventItemAnswer": {**RUNNING, "as_of": AT_US, "status": 200},
    "LiveCall": LISTED,
    "LiveList": {"switch": SWITCH, "incarnation": BOOT, "as_of": AT_US},
    "LiveListAnswer": {
        "outcome": "ok",
        "renewed": 1,
        "adopted": [],
        "lease_without_call": [],
        "call_without_lease": [LISTED],
        "conflict": [],
        "released": [],
        "hang_up": [],
    },
    "Counts": {
        "idle_up": 31,
        "idle_down": 4,
        "busy_up": 12,
        "busy_down": 0,
        "quarantined": 1,
        "resting": 2,
        "pickable": 28,
        "offered": 18_204,
        "carried": 17_961,
        "carried_in": 1_406,
        "blocked": 243,
        "waiting": 0,
    },
    "PoolOut": {
        "slug": "retail-east",
        "name": "Retail East",
        "status_reason": "",
        "numbers": 47,
        "lease_seconds": 120,
        "suspect_seconds": 30,
        "switch_interval_seconds": 30,
        "cooldown_seconds": 60,
        "daily_cap": 200,
        "sticky_seconds": 86_400,
        "near": True,
        "home_country": "CN",
        "number_spelling": "e164",
        "charged": False,
        "added_by_script": "confirm",
    },
    "SwitchIn": {"name": "fs-02", "kind": "media"},
    "SwitchOut": {
        "name": SWITCH,
        "kind": "media",
        "kind_chosen": True,
        "incarnation": BOOT,
        "last_heard": AT,
    },
    "SwitchMadeOut": {
        "name": "fs-02",
        "kind": "media",
        "kind_chosen": True,
        "incarnation": "",
        "last_heard": None,
        "token": "ps_4kZr2xWc7LpTQm9v4kZr2xWc7LpTQm9v4kZr2xWc7Lp",
    },
    "NumberOut": {
        "stored_as": NUMBER,
        "pool": "retail-east",
        "label": "Main line",
        "tags": ["promotion", "vip"],
        "region": "Shanghai",
        "carrier": "China Mobile",
        "state": "busy+up",
        "pickable": False,
        "why_not": "busy",
        "pickable_from": None,
        "agent": "1042",
        "switch": SWITCH,
        "direction": "out",
        "since": AT_US - 95_000_000,
        "lease_until": AT_US + 85_000_000,
    },
    "HadOut": {
        "pool": "retail-east",
        "direction": "out",
        "agent": "1042",
        "switch": SWITCH,
        "started_at": AT,
        "ended_at": "2026-03-01T02:34:15.006310+00:00",
        "ended_how": "hangup",
    },
    "HealthFiguresOut": FIGURES,
    "HealthGroupOut": {"key": SWITCH},
    "PoolHealthOut": {
        "window": "24h",
        "short_call_seconds": 6,
        "regions": [{"key": "Shanghai", "figures": FIGURES}],
    },
    "NumberHealthOut": {
        "region": "Shanghai",
        "switch": SWITCH,
        "spam_sources": 1,
        "quarantined": False,
        "rests_until": None,
    },
    "WorstNumbersOut": {"next": ""},
    "HealthRuleOut": {
        "name": "Few answers",
        "enabled": True,
        "measure": "asr",
        "direction": "below",
        "threshold": 0.2,
        "least_calls": 50,
        "window": "24h",
        "action": "rest",
        "rest_hours": 24,
        "daily_limit": 10,
        "pool_percent": 20.0,
        "held": 2,
    },
    "SpamLabelIn": {"source": "Hiya", "label": "Spam risk"},
    "SpamLabelsOut": {"added": 1, "known": 0, "refused": []},
}
