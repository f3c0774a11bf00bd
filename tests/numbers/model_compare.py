"""Redis' actual content, and its expected content by the model, in one comparable form."""

import json
from typing import Any

from numbers import pool
from tests.numbers.model import Model
from tests.numbers.model_base import KEPT
from tests.numbers.model_state import Call, Number
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest, index_of

BAND = 2**42
REGION = 2**40


def stored(bench: PoolUnderTest, now: int) -> dict[str, Any]:
    """Return everything that the pool's keys hold, read without any code of the product."""
    client = bench.client
    states = client.hgetall(KEYS.numstate)
    index = index_of(client)
    timers = client.zrange(KEYS.timers, 0, -1, withscores=True)
    idle = dict(client.zrange(KEYS.idle, 0, -1, withscores=True))
    leases = {name: int(score) for name, score in timers if name[0] not in "ow"}
    stones = {key[2:]: value for key, value in index.items() if key[0] == "t"}
    return {
        "numbers": {
            name: _number(name, text, index, leases.get(name)) for name, text in states.items()
        },
        "old calls": {name: _call(name, text, leases.get(name)) for name, text in stones.items()},
        "leases": set(leases),
        "idle": {name: int(score) for name, score in idle.items()},
        "near": {  # numbers that went down or were deleted may be in it, too
            name: (index[f"G:{int(score - 1.5e12) // REGION}"], int(score) % REGION)
            for name, score in client.zrange(KEYS.near, 0, -1, withscores=True)
            if name in idle
        },
        "offers": {name[1:]: int(score) % BAND for name, score in timers if name[0] == "o"},
        "waiting": [name[1:] for name, _ in timers if name[0] == "w"],
        "registrations": {
            name: int(score)
            for name, score in client.zrange(KEYS.registrations, 0, -1, withscores=True)
        },
        "index": {
            key: value
            for key, value in index.items()
            if key[0] in "csWr" and not expired(key, value, now, now)
        },
        "switches": {
            key[2:]: (value[14:], int(value[4:14])) for key, value in index.items() if key[0] == "w"
        },
        "figures": _figures(bench),
    }


def differing(ours: Any, theirs: Any) -> Any:
    """Return what differs, smallest first: pairs (Redis, model)."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
        return {key: differing(ours.get(key), theirs.get(key)) for key in keys}
    return ours, theirs


def expired(key: str, value: str, now: int, due: int) -> bool:
    """Return whether the sweep would forget it; `due` is now less the clock's lag."""
    if key[0] == "s":
        return int(value[:16]) <= now
    if key[0] == "x":
        return due - int(value[:16]) >= KEPT
    return key[0] == "c" and value[0] in "EB" and due - int(value[1:17]) >= KEPT


def _number(name: str, text: str, index: dict[str, str], lease: int | None) -> dict[str, Any]:
    raw = json.loads(text)
    region = index[f"G:{raw['region']}"] if "region" in raw else ""
    state = pool.parse_state(name, text, None, region)
    assert state is not None
    return {
        "state": state.name,
        "since": state.since_us,
        "held": sorted(state.held),
        "quarantine": state.quarantine_reason,
        "region": region,
        "used": (state.day, state.used_today),
        "last": (state.last_agent, state.last_until_us),
        "call": _call(name, text, lease) if state.busy else None,
    }


def _call(name: str, text: str, lease: int | None) -> tuple[Any, ...]:
    state = pool.parse_state(name, text)
    assert state is not None
    assert state.call is not None
    assert lease is not None
    assert lease // BAND == state.call.session
    call, raw = state.call, json.loads(text)
    return (
        *(call.call_id, call.switch, call.incarnation, call.agent, call.callee, call.direction),
        *(call.suspect, raw.get("ghost", 0), lease % BAND),
    )


def _figures(bench: PoolUnderTest) -> dict[str, int]:
    figures = bench.run(pool.show(SLUG))
    return {name: getattr(figures, name) for name in _COUNTED} | {"status": figures.status}


_COUNTED = (
    *("seq", "numbers", "idle_up", "idle_down", "busy_up", "busy_down", "quarantined", "resting"),
    *("pickable", "offered", "carried", "carried_in", "blocked", "waiting", "old_calls"),
)


def expected(model: Model) -> dict[str, Any]:
    """Return the expected content by the model."""
    numbers = model.numbers
    pickable = {name: number for name, number in numbers.items() if number.pickable}
    offered = {w.number: w.offer_until_ms for w in model.waiters.values() if w.number}
    near = model.settings.near
    return {
        "numbers": {name: _expected_number(number) for name, number in numbers.items()},
        "old calls": {name: _expected_call(call) for name, call in model.old_calls.items()},
        "leases": {name for name, number in numbers.items() if number.call} | set(model.old_calls),
        "idle": {name: number.since for name, number in pickable.items()},
        "near": {
            name: (number.region, -(-number.since // 1000) % REGION)
            for name, number in pickable.items()
            if near and number.region
        },
        "offers": offered,
        "waiting": [
            call_id
            for call_id, waiter in sorted(model.waiters.items(), key=lambda item: item[1].ticket)
            if not waiter.number
        ],
        "registrations": {
            name: number.next_expiry for name, number in numbers.items() if number.next_expiry
        },
        "index": _expected_index(model),
        "switches": {name: (s.incarnation, s.heard_s) for name, s in model.switches.items()},
        "figures": _expected_figures(model),
    }


def _expected_number(number: Number) -> dict[str, Any]:
    held = [
        *(("q", number.quarantine is not None), ("x", number.old_call)),
        *(("o", number.offered), ("u", number.unconfirmed)),
    ]
    return {
        "state": number.state,
        "since": number.since,
        "held": sorted(letter for letter, holds in held if holds),
        "quarantine": number.quarantine or "",
        "region": number.region,
        "used": (number.day, number.used),
        "last": (number.last_agent, number.last_until),
        "call": _expected_call(number.call) if number.call else None,
    }


def _expected_call(call: Call) -> tuple[Any, ...]:
    return (
        *(call.call_id, call.switch, call.incarnation, call.agent, call.callee, call.direction),
        *(call.suspect, call.ghost, call.deadline_ms),
    )


def _expected_index(model: Model) -> dict[str, str]:
    index = {f"c:{call_id}": f"L{name}" for call_id, name in model.live.items()}
    for call_id, (at, name) in model.ended.items():
        if model.now - at < KEPT:
            index[f"c:{call_id}"] = f"E{at}{name}"
    for call_id, at in model.counted_blocked.items():
        if model.now - at < KEPT:
            index[f"c:{call_id}"] = f"B{at}"
    for call_id, waiter in model.waiters.items():
        kind = "O" if waiter.number else "W"
        index[f"c:{call_id}"] = (
            f"{kind}{waiter.until}{waiter.ticket:014d}{waiter.counted:d}{waiter.number}"
        )
    for callee, (until, name) in model.sticky.items():
        if until > model.now:
            index[f"s:{callee}"] = f"{until}{name}"
    for name, switch in model.switches.items():
        if switch.superseded:
            index[f"W:{name}"] = "\t".join(switch.superseded)
    for name, number in model.numbers.items():
        if number.contacts is not None:
            index[f"r:{name}"] = "\n".join(
                f"{contact.until:016d}{'' if contact.seq is None else contact.seq} {contact_name}"
                for contact_name, contact in number.contacts.items()
            )
    return index


def _expected_figures(model: Model) -> dict[str, Any]:
    numbers = model.numbers.values()
    in_idle = [number for number in numbers if number.pickable]
    return {
        "seq": model.seq,
        "numbers": len(model.numbers),
        "idle_up": sum(not n.call and n.up for n in numbers),
        "idle_down": sum(not n.call and not n.up for n in numbers),
        "busy_up": sum(bool(n.call) and n.up for n in numbers),
        "busy_down": sum(bool(n.call) and not n.up for n in numbers),
        "quarantined": sum(n.quarantine is not None for n in numbers),
        "resting": sum(n.since > model.now for n in in_idle),
        "pickable": sum(n.since <= model.now for n in in_idle),
        "offered": model.carried + model.blocked - model.retried,
        "carried": model.carried,
        "carried_in": model.carried_in,
        "blocked": model.blocked,
        "waiting": sum(not waiter.number for waiter in model.waiters.values()),
        "old_calls": len(model.old_calls),
        "status": model.status,
    }
