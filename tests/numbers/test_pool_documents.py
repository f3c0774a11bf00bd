"""docs/reference/numbers/redis.md describes all that the scripts take, answer and store."""

import re
from pathlib import Path

from numbers import pool
from numbers.pool import reasons
from poolsite.hotpath.library import direct_libraries

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/numbers/redis.md").read_text(encoding="utf-8")
LUA = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "numbers" / "lua").rglob("*.lua"))
)
# Reasons of other scripts than the events', documented in their headers.
OTHERS = {reasons.EXISTS, reasons.STALE_LIST, reasons.OTHER_GENERATION, reasons.UNPAID}
PREFIXES = (reasons.SCRIPT_OUTDATED, reasons.MALFORMED)


def test_every_event_and_option_is_told() -> None:
    options = set(re.findall(r"name == '(\w+)' then event\.\w+ = value", LUA))
    assert {"call_id", "wait_ms", "near", "seq"} <= options
    for word in {*pool.EVENTS, *options} - {"event", "number"}:
        assert f"`{word}`" in PAGE


def test_every_function_of_a_switch_is_told() -> None:
    (library,) = direct_libraries()
    for name in pool.SWITCH_SCRIPTS:
        assert library.function(pool.SCRIPTS[name]) in PAGE


def test_every_reason_is_told() -> None:
    for reason in reasons.ALL - OTHERS:
        ending = " <" if reason in PREFIXES else "`"
        assert f"`{reason}{ending}" in PAGE, reason


def test_every_reason_is_one_that_a_script_says() -> None:
    said = set(re.findall(r"'([a-z][a-z ]+)'", LUA))
    for reason in reasons.ALL - {*PREFIXES, reasons.OTHER_GENERATION}:
        assert reason in said, reason


def test_every_key_and_channel_is_told() -> None:
    keys = pool.PoolKeys("pool")
    for key in (*keys.all, keys.charges, keys.wake_channel, keys.offers_channel):
        assert f"`{key}`" in PAGE


def test_every_kind_of_index_field_is_told() -> None:
    used = set(re.findall(r"'([a-zA-Z]):' \.\.", LUA))
    assert {"c", "w", "W", "s", "r", "t", "v", "a", "x", "g", "G", "l"} == used
    told = set(re.findall(r"`([a-zA-Z]):<", PAGE))
    assert used <= told


def test_every_pair_of_the_reply_is_told() -> None:
    for name in ("lease_seconds", "last_agent", "place", "retry_ms", "release"):
        assert f"'{name}'" in LUA
        assert f"`{name}`" in PAGE


def test_the_columns_are_those_of_the_settings() -> None:
    columns = "o" + pool.PoolSettings().columns()
    assert len(columns) == 103
    assert "| 94–103 | log limit |" in PAGE


def test_no_reply_word_is_unknown_to_python() -> None:
    said = set(re.findall(r"machine\.(?:done|fail|refuse)\w*\(.*?'([a-z ]+)'\)", LUA))
    assert {"conflict", "exhausted", "ended", "repeat"} <= said
    malformed = {word for word in said if word.startswith(reasons.MALFORMED)}
    assert said - malformed <= reasons.ALL
