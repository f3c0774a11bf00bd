"""Logs: one line per event, with telephone numbers and bodies masked, whatever code logs them."""

import io
import json
import logging

import pytest
import structlog

from poolsite.access import context
from poolsite.operations import logs


@pytest.fixture
def lines():
    """The logged lines as JSON objects, from structlog as well as logging."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.formatter("json"))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("call +8613812345678 ended", "call +86***78 ended"),
        ("13812345678", "13***78"),
        ("138 1234 5678", "13***78"),
        ("008613812345678", "00***78"),
        ("１３８１２３４５６７８", "１３***７８"),
        ("+44 (20) 7946-0958", "+44***58"),
        ("/api/v1/pools/east/numbers/+8613812345678", "/api/v1/pools/east/numbers/+86***78"),
        ("pool 123456 has 999999 numbers", "pool 123456 has 999999 numbers"),
        ("2026-11-21 05:28:10.123456", "2026-11-21 05:28:10.123456"),
        ("127.0.0.1:8000", "127.0.0.1:8000"),
        (
            "Not Found: /join/psi_Zm9vYmFyYmF6cXV1eHh5enp5MDEyMzQ1Njc4OTAxMjM/",
            "Not Found: /join/psi_***/",
        ),
        ("Bearer ps_Zm9vYmFyYmF6cXV1eHh5enp5MDEyMzQ1Njc4", "Bearer ps_***"),
        ("?token=psv_eyJhIjoxfQ:1tK2bC:Zm9vYmFyYmF6cXV1eHg&x=1", "?token=psv_***&x=1"),
        ("tokens begin with ps_ and gps_position", "tokens begin with ps_ and gps_position"),
        (
            "sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        ),
    ],
)
def test_telephone_numbers_are_masked_and_other_figures_are_not(text, masked):
    assert logs.mask_text(text) == masked


def test_an_event_is_one_json_line_with_its_request(lines):
    with context.serving("req-12345678", "127.0.0.1"):
        structlog.get_logger("poolsite.test").info(
            "call.ended", pool="east", callee="+8613812345678"
        )
    (line,) = lines()
    assert line["event"] == "call.ended"
    assert line["pool"] == "east"
    assert line["callee"] == "+86***78"
    assert line["request_id"] == "req-12345678"
    assert line["level"] == "info"
    assert line["timestamp"].endswith("Z")


def test_the_standard_librarys_records_are_masked_too(lines):
    logging.getLogger("some.library").warning("could not call %s", "13812345678")
    (line,) = lines()
    assert line["event"] == "could not call 13***78"


def test_bodies_and_secrets_are_hidden_however_deep(lines):
    structlog.get_logger("t").info(
        "sent", message={"body": "meet me at nine", "to": ["13812345678"]}, token="abc", body=""
    )
    (line,) = lines()
    assert line["message"] == {"body": "[hidden]", "to": ["13***78"]}
    assert line["token"] == "[hidden]"
    assert line["body"] == ""


def test_a_traceback_is_masked_and_stays_in_its_line(lines):
    try:
        raise ValueError("no such number 13812345678")
    except ValueError:
        structlog.get_logger("t").exception("failed")
    (line,) = lines()
    assert "ValueError: no such number 13***78" in line["exception"]


def test_values_of_any_type_can_be_logged(lines):
    structlog.get_logger("t").info(
        "odd", raw=b"\xff13812345678", nothing=None, flag=True, many={"13812345678"}, obj=object
    )
    (line,) = lines()
    assert "13***78" in line["raw"]
    assert line["many"] == ["13***78"]
    assert line["flag"] is True


def test_an_unknown_format_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="json or console"):
        logs.formatter("xml")


def test_the_console_form_is_masked_too():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.formatter("console"))
    logger = logging.getLogger("console.form")
    logger.addHandler(handler)
    try:
        raise ValueError("13812345678")
    except ValueError:
        logger.exception("failed for 13812345678")
    logger.removeHandler(handler)
    assert "13812345678" not in stream.getvalue()
    assert "ValueError: 13***78" in stream.getvalue()
