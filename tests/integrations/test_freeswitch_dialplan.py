"""FreeSWITCH's configuration: well-formed, and its requests are what the platform understands."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from numbers.pool import Event
from poolsite.api.problems import problem
from tests.integrations.dialplan import CONF, INBOUND, OUTBOUND, UUID, Answer, Channel

LENT = {"outcome": "ok", "number": "+8613800000007", "state": "busy+up", "reason": "", "as_of": 1}


def body_of(words: list[str]) -> dict[str, Any]:
    """Return the event in a curl line, as the platform's strict schema reads it."""
    return Event.model_validate_json(words[words.index("post") + 1]).model_dump(exclude_none=True)


def lent(_: list[str]) -> Answer:
    return 200, json.dumps(LENT, separators=(",", ":"))


def out(ask: Callable[[list[str]], Answer] = lent, **variables: str) -> Channel:
    given = {"destination_number": "+8613912345678", "sip_auth_username": "wang.fang"} | variables
    return Channel(OUTBOUND, ask, **given)


def incoming(ask: Callable[[list[str]], Answer]) -> Channel:
    return Channel(INBOUND, ask, destination_number="+8613800000007")


@pytest.mark.parametrize("path", sorted(CONF.rglob("*.xml")), ids=lambda path: path.name)
def test_every_file_is_well_formed_and_names_no_secret(path: Path) -> None:
    ElementTree.parse(path)
    assert "ClueCon" not in path.read_text()  # the password that everyone knows


def test_a_call_asks_once_and_leaves_with_the_number() -> None:
    call = out()
    (words,) = call.curls
    assert words[0] == "https://console.example.com/api/v1/pools/retail-east/events"
    assert words[1:5] == [
        "append_headers",
        "Authorization: Bearer PUT-THE-TOKEN-HERE",
        "content-type",
        "application/json",
    ]
    assert len(words) == 7
    assert body_of(words) == {
        "event": "call",
        "call_id": UUID,
        "agent": "wang.fang",
        "callee": "+8613912345678",
        "switch": "fs-01",
        "incarnation": "a-core",
    }
    assert call.variables["effective_caller_id_number"] == LENT["number"]
    assert call.variables["pool_number"] == LENT["number"]
    assert call.variables["pool_call"] == UUID
    assert {"pool_call", "pool_number", "sip_cid_type"} <= call.exported
    assert call.done == [("bridge", "sofia/gateway/carrier/+8613912345678")]
    assert (call.variables["curl_timeout"], call.variables["curl_connect_timeout"]) == ("1", "1")


def refused(kind: str, reason: str = "") -> Callable[[list[str]], Answer]:
    body = problem(kind, reason, outcome="error", number="", state="", reason=reason, as_of=1)
    return lambda _: (body["status"], json.dumps(body))


@pytest.mark.parametrize(
    ("ask", "times"),
    [
        (refused("exhausted", "exhausted"), 1),
        (refused("paused", "paused"), 1),
        (refused("forbidden"), 1),
        (refused("unauthenticated"), 1),
        (refused("unavailable"), 2),
        (refused("unknown-outcome"), 2),
        (lambda _: (0, ""), 2),
        (lambda _: (502, "<html>"), 2),
        (lambda _: (200, ""), 1),
        (lambda _: (200, '{"outcome":"ok","number":""}'), 1),
        (lambda _: (200, '{"outcome":"ok","number":"+1;tag=x"}'), 1),
        (lambda _: (200, '{"outcome":"ok","reason":",\\"number\\":\\"5551234567\\""}'), 1),
    ],
)
def test_without_a_number_the_caller_hears_503_and_nothing_is_dialled(
    ask: Callable[[list[str]], Answer], times: int
) -> None:
    call = out(ask)
    assert call.done == [
        ("respond", "503 All lines busy"),
        ("hangup", "NORMAL_CIRCUIT_CONGESTION"),
    ]
    assert len(call.curls) == times
    assert call.curls == call.curls[:1] * times  # the second request repeats the first
    # If a number may have been lent after all, the call's hang-up releases it.
    decided = call.variables["curl_response_code"].startswith("4")
    assert call.variables.get("pool_call") == (None if decided else UUID)


def test_a_second_question_may_bring_the_number() -> None:
    answers = iter([(0, ""), lent([])])
    assert out(lambda _: next(answers)).done[0][0] == "bridge"


HOSTILE = [
    '138","agent":"boss',
    "13800000000 post {}",
    "13800000000'",
    "1380000000\n0",
    "${global_getvar(poolsite_token)}",
    "%22%7d",
    "8613912345678;phone-context=x",
    "\u0661\u0663\u0668\u0661\u0663\u0668\u0661\u0663",
    "1" * 33,
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_caller_dials_reaches_no_request_unless_it_is_a_number(text: str) -> None:
    call = out(destination_number=text)
    assert (call.curls, call.done) == ([], [])  # the next extensions handle it


@pytest.mark.parametrize("text", [*HOSTILE, "a b", "a'b", 'a"b', "a" * 65])
def test_a_user_name_that_is_no_plain_name_is_left_out(text: str) -> None:
    call = out(sip_auth_username=text)
    plain = re.fullmatch(r"[A-Za-z0-9._-]{1,64}", text)
    assert body_of(call.curls[0])["agent"] == (text if plain else "unknown")
    assert len(call.curls[0]) == 7


def test_a_call_to_a_number_takes_it_and_names_who_used_it_last() -> None:
    call = incoming(
        lambda _: (200, json.dumps(LENT | {"agent": "wang.fang"}, separators=(",", ":")))
    )
    assert body_of(call.curls[0]) == {
        "event": "call",
        "direction": "in",
        "number": "+8613800000007",
        "call_id": UUID,
        "switch": "fs-01",
        "incarnation": "a-core",
    }
    assert call.variables["pool_last_agent"] == "wang.fang"
    assert call.variables["pool_number"] == "+8613800000007"
    assert call.done == []  # the extension that answers the calls comes next


def test_a_call_to_a_busy_number_is_refused_and_one_to_a_foreign_number_left_alone() -> None:
    busy = incoming(
        lambda _: (
            409,
            json.dumps({"type": "not-allowed", "reason": "busy"}, separators=(",", ":")),
        )
    )
    assert busy.done == [("respond", "486 Busy here"), ("hangup", "USER_BUSY")]
    foreign = incoming(refused("unknown-number"))
    assert foreign.done == []
    assert "pool_call" not in foreign.variables
    away = incoming(lambda _: (0, ""))
    assert away.done == []
    assert away.variables["pool_call"] == UUID  # the live list brings it to the pool
