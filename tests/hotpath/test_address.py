"""REDIS_URL in all its forms."""

import pytest

from poolsite.hotpath.address import parse_address


@pytest.mark.parametrize(
    ("url", "shown", "expected"),
    [
        ("redis://localhost", "single localhost:6379", {"db": None}),
        ("redis://:secret@h:1/2", "single h:1", {"db": 2, "password": "secret"}),
        ("rediss://u:p%40w@h:1", "single h:1", {"username": "u", "password": "p@w"}),
        ("redis://[::1]:7/1", "single ::1:7", {"db": 1}),
        ("unix:///run/redis.sock", "single /run/redis.sock", {"db": None}),
        ("unix://:pw@/run/r.sock?db=3", "single /run/r.sock", {"db": 3, "password": "pw"}),
        ("redis+sentinel://:pw@a:1,b/hot", "sentinel a:1,b:26379 (hot)", {"password": "pw"}),
        ("redis+sentinel://a:1/hot/4", "sentinel a:1 (hot)", {"db": 4}),
        ("redis+cluster://u:pw@a:1,b:2", "cluster a:1,b:2", {"username": "u", "password": "pw"}),
        ("rediss+cluster://[::1]:7,b", "cluster ::1:7,b:6379", {}),
    ],
)
def test_every_form_is_understood(url: str, shown: str, expected: dict[str, object]) -> None:
    address = parse_address(url)
    assert str(address) == shown
    assert {name: address.options.get(name) or None for name in expected} == expected
    assert address.tls == url.startswith("rediss")


def test_neither_message_nor_repr_shows_a_password() -> None:
    address = parse_address("redis+sentinel://u:secret@a/hot?sentinel_password=hidden")
    assert address.sentinel_options == {"password": "hidden"}
    assert "secret" not in f"{address} {address!r}"
    assert "hidden" not in f"{address} {address!r}"


def test_timeouts_have_defaults_and_can_be_set() -> None:
    assert parse_address("redis://h").options["socket_timeout"] == 3.0
    options = parse_address("redis://h?socket_timeout=0.5&socket_connect_timeout=2").options
    assert (options["socket_timeout"], options["socket_connect_timeout"]) == (0.5, 2.0)
    assert parse_address("redis+cluster://h?timeout=7").options["socket_timeout"] == 7.0


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://h", "must start with one of"),
        ("", "must start with one of"),
        ("h:6379", "must start with one of"),
        ("redis://:secret@a:1,b:2", "redis\\+cluster"),
        ("redis://:secret@a:port", "is not host:port"),
        ("redis://:secret@a:99999", "is not host:port"),
        ("redis://:secret@a/zero", "not a database number"),
        ("redis://:secret@a/1/2", "not a database number"),
        ("redis+cluster://:secret@a/1", "only database 0"),
        ("redis+cluster://", "names no host"),
        ("redis+sentinel://:secret@a:1", "names no service"),
        ("redis+sentinel://:secret@a:1/hot/0/1", "names no service"),
        ("redis://:secret@a?retry_on_timeout=yes", "must not set retry_on_timeout"),
        ("redis://:secret@a?decode_responses=no", "must not set decode_responses"),
        ("redis://:secret@a?socket_timeout=soon", "socket_timeout"),
    ],
)
def test_a_wrong_url_is_refused_in_one_sentence_without_the_password(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as raised:
        parse_address(url)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)
