"""Example values for the management routes: settings, numbers, imports, rules."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT

NUMBER: Final = "+8613800000000"
SECOND: Final = "+8613800000001"
CHANGED: Final = {"cooldown_seconds": 120, "daily_cap": 150}
RULE: Final = {
    "name": "Few answers",
    "enabled": True,
    "measure": "asr",
    "direction": "below",
    "threshold": 20.0,
    "least_calls": 50,
    "window": "24h",
    "action": "rest",
    "rest_hours": 24,
    "daily_limit": 10,
    "pool_percent": 20.0,
    "notify": True,
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "PoolIn": {"slug": "retail-west", "name": "Retail West", "account": "acme", **CHANGED},
    "PoolChangeIn": {**CHANGED, "reason": "Carrier's limit"},
    "ReconciledOut": {"numbers": 47, "differences": {"not in Redis": 1}},
    "NewNumber": {"number": "138 0000 0000", "label": "Main line", "tags": ["vip"]},
    "NumbersAddIn": {"reason": "New contract"},
    "AddedOut": {"number": NUMBER, "status": 201, "type": None, "detail": ""},
    "NumbersAddedOut": {"added": 1},
    "RangeIn": {"first": "13800000000", "last": "13800000999", "tags": ["vip"]},
    "RangeAddedOut": {"added": 998, "in_this_pool": 2, "in_other_pools": 0, "in_calls": 0},
    "NumberChangeIn": {"label": "Main line", "tags": ["promotion", "vip"]},
    "NumbersChangeIn": {
        "action": "quarantine",
        "numbers": [NUMBER, SECOND],
        "reason": "Reported as spam",
    },
    "NumbersChangedOut": {
        "changed": 1,
        "unchanged": {SECOND: "The number is not in this pool."},
        "job": None,
    },
    "PoolCallOut": {
        "direction": "out",
        "agent": "1042",
        "switch": "fs-01",
        "started_at": AT,
        "ended_at": "2026-03-01T02:34:15.006310+00:00",
        "ended_how": "hangup",
        "answered": True,
        "talk_seconds": 94,
        "cause": "16",
    },
    "NumberEventOut": {
        "event": "call",
        "state_before": "idle+up",
        "state_after": "busy+up",
        "switch": "fs-01",
        "agent": "1042",
        "direction": "out",
        "reason": "",
    },
    "TwinOut": {"stored_as": NUMBER, "pool": "retail-east", "label": "Main line"},
    "TwinGroupOut": {
        "rows": [
            {"stored_as": NUMBER, "pool": "retail-east", "label": "Main line"},
            {"stored_as": "13800000000", "pool": "retail-west", "label": ""},
        ],
        "hidden": 0,
    },
    "TwinsMergedOut": {"merged": 3, "unchanged": {}, "job": None},
    "ImportIn": {"csv": "number,label\n13800000000,Main line\n", "file_name": "numbers.csv"},
    "ImportOut": {
        "id": 412,
        "name": "imp-0412",
        "pool": "retail-east",
        "file_name": "numbers.csv",
        "by": "Mei Lin",
        "state": "previewed",
        "problem": "",
        "unchanged": 940,
        "cleaned": 55,
        "suspicious": 3,
        "refused": 2,
        "to_import": 995,
        "imported": 0,
        "removed": 0,
        "can_confirm": True,
        "can_undo": False,
        "can_discard": True,
        "progress": None,
        "finished_at": None,
    },
    "ImportRowOut": {
        "row": 17,
        "kind": "suspicious",
        "text": "13800000000.0",
        "number": "",
        "label": "",
        "region": "",
        "reason": "A spreadsheet added a decimal point to this number.",
        "remedy": "Format the column as text.",
    },
    "HealthRuleOut": {**RULE, "id": 7, "held": 2},
    "HealthRuleIn": RULE,
    "HealthRuleChangeIn": {"threshold": 25.0, "enabled": True},
    "HealthActionOut": {
        "id": 93,
        "rule": "Few answers",
        "action": "rest",
        "reason": "answer rate 12 % over 60 calls in 24h, rule Few answers",
        "value": 12.0,
        "calls": 60,
        "until": "2026-03-02T02:32:07.481920+00:00",
        "returned_at": None,
        "returned_how": "",
    },
}
