"""docs/reference/dispatch/redis.md describes all that the operations take, answer and store."""

import re
from pathlib import Path

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import reasons

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/reference/dispatch/redis.md").read_text(encoding="utf-8")
FOLDER = ROOT / "queueing" / "dispatch" / "lua"
ALL_LUA = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("*.lua")))
PREFIXES = {reasons.SCRIPT_OUTDATED, reasons.MALFORMED, reasons.OTHER_GENERATION}
SAID_ELSEWHERE = {
    *(reasons.SCRIPT_OUTDATED, reasons.CLOSED_BY_PEER),
    *(reasons.CONNECTION_LOST, reasons.SERVER_STOPPED),
}
WORDS = {
    value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)
}


def test_every_key_and_channel_is_told() -> None:
    for suffix in dispatcher.SCRIPTS["start"].keys:
        assert f"`{{disp.x}}{suffix}`" in PAGE, suffix
    assert f"`{dispatcher.GroupKeys('x').wake_channel}`" in PAGE
    assert f"`{dispatcher.process_channel('<process>')}`" in PAGE


def test_every_script_takes_the_same_keys_and_is_told() -> None:
    for name, script in dispatcher.SCRIPTS.items():
        assert script.keys == dispatcher.SCRIPTS["start"].keys, name
        assert f"`{name}`" in PAGE[PAGE.index("## Operations") :], name


def test_every_reason_is_told_and_said() -> None:
    for reason in WORDS:
        ending = " <" if reason in PREFIXES else "`"
        assert f"`{reason}{ending}" in PAGE, reason
        assert f"'{reason}" in ALL_LUA or reason in SAID_ELSEWHERE, reason


def test_every_field_of_the_groups_hash_is_told() -> None:
    written = set(re.findall(r"\bgroup\.(?:count|set|field)\('([a-z_]+)'", ALL_LUA))
    for line in re.findall(
        r"'(?:HSET|HINCRBY|HMGET|HGET|HDEL)', (?:group\.)?tag,(.*?)\)\n", ALL_LUA, re.DOTALL
    ):
        written |= {word for word in re.findall(r"'([a-z_]+)'", line) if len(word) > 1}
    assert {"conf", "opens_at", "started", "freed", "turn", "turns", "woken"} <= written
    for field in written:
        assert f"`{field}`" in PAGE, field


def test_every_event_is_told() -> None:
    table = PAGE[PAGE.index("## History") :]
    for event in dispatcher.EVENTS:
        assert f"`{event}`" in table, event


def test_every_kind_of_frame_is_told() -> None:
    kinds = set(re.findall(r"push\(\w+, '([a-z-]+)'", ALL_LUA))
    assert {"started", "message", "end", "deliver", "refused", "peer-lost", "free"} <= kinds
    assert "start" in kinds
    for kind in kinds:
        assert f"`{kind}`" in PAGE, kind


def test_every_number_of_a_peer_is_told() -> None:
    letters = set(re.findall(r"'([a-z])' \.\. ?\w+\.key", ALL_LUA)) - {"b", "f"}
    assert letters == {"i", "o", "a", "n", "e", "w"}
    row = next(line for line in PAGE.splitlines() if line.startswith("| `{disp.x}:seqs`"))
    for letter in letters:
        assert f"`{letter}`" in row


def test_records_have_the_columns_that_are_told() -> None:
    from tests.dispatch.dispatcher.group_laws import HEALTH, NAME, PEER, ROUTE

    def columns(key: str) -> int:
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{{disp.x}}:{key}`"))
        told = re.sub(r"\([^)]*\)", "", row.split("→")[1])
        return sum(2 if " and " in part else 1 for part in told.split(","))

    assert columns("names") == len(NAME)
    assert columns("peers") == len(PEER)
    assert columns("routes") == len(ROUTE)
    assert columns("health") == len(HEALTH)


def test_the_columns_are_those_of_the_settings() -> None:
    assert len("o" + dispatcher.GroupSettings().columns()) == 79
    assert "columns 41–50" in PAGE
