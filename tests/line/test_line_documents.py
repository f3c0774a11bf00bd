"""docs/reference/line/redis.md describes all that the scripts take, answer and store."""

import re
from pathlib import Path

from poolsite.hotpath.library import library_of
from queueing.line import desk
from queueing.line.admin_words import EVENTS
from queueing.line.desk.reading import VISIT_STATES
from queueing.line.desk.replies import PENDING, STATES
from queueing.line.desk.settings import MODES, NO_AGENT

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/line/redis.md").read_text(encoding="utf-8")
LUA = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "queueing/line/lua").rglob("*.lua"))
)
CODE = re.sub(r"--\[\[.*?\]\]", "", LUA, flags=re.DOTALL)


def part(title: str) -> str:
    """Return one section of the page."""
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_every_key_and_channel_is_told() -> None:
    keys = desk.DeskKeys("x")
    for key in (*keys.all, keys.wake_channel):
        assert f"`{key}`" in PAGE, key
    for channel in re.findall(r"'(live:to:\w+:)'", CODE):
        assert f"`{channel}<" in PAGE, channel


def test_every_script_is_told_once() -> None:
    told = re.findall(r"`(\w+)`", "".join(row[1] for row in rows(part("Scripts"))))
    assert sorted(told) == sorted(desk.SCRIPTS)


def test_what_only_looks_may_run_where_nothing_can_be_written() -> None:
    library = library_of(desk.SCRIPTS["place"])
    assert library is not None
    flags = re.findall(r"register\('line_(\w+)', operation, \{(.*?)\}\)", library.text)
    row = next(row for row in rows(part("Scripts")) if row[2].strip() == "read only")
    looks = {name for name, its in flags if "no-writes" in its}
    assert sorted(looks) == sorted(re.findall(r"`(\w+)`", row[1]))


def test_every_field_of_the_hash_is_told() -> None:
    written = set(
        re.findall(r"redis.call\('(?:HINCRBY|HGET|HSET|HDEL)', desk.tag, '([a-z_]+)'", CODE)
    )
    written |= set(re.findall(r"desk.(?:field|set)\('([a-z_]+)'", CODE))
    for call in re.findall(r"'HMGET', (?:desk\.)?tag, ([^()]*)\)", CODE):
        written |= set(re.findall(r"'([a-z_]+)'", call))
    assert {"conf", "ticket", "front", "calls", "walked", "opens_in"} <= written
    for name in written:
        assert f"`{name}`" in PAGE, name
    for prefix in set(re.findall(r"desk.(?:tag, |field\(|set\()'([a-z]+:)' \.\.", CODE)):
        assert f"`{prefix}<" in PAGE, prefix


def test_every_kind_of_entry_is_told() -> None:
    kinds = set(re.findall(r"\b(?:desk|visits)\.log(?:_with)?\('(\w+)'", CODE))
    kinds |= set(re.findall(r"'k', '(\w+)'", CODE))
    kinds |= set(re.findall(r"rooms\.requeue\(\w+, '(\w+)'", CODE))
    kinds |= set(re.findall(r"offers\.pass_on\(\w+, \w+, '(\w+)'", CODE))
    kinds |= set(re.findall(r"presence\.take_offline\(\w+, '(\w+)'", CODE))
    kinds |= {"returned", "withdrawn", "transfer", "move"}  # chosen by a condition
    table = part("History").partition("| kinds | of |")[2]
    told = set(re.findall(r"`(\w+)`", "".join(row[1] for row in rows(table))))
    assert kinds == told


def test_every_answer_is_told() -> None:
    said = set(re.findall(r"return \{ '([a-z_ ]+)'", CODE)) | set(VISIT_STATES.values())
    said |= set(re.findall(r"\b(?:desk\.answer|\w+\.(?:short_)?reply)\('([a-z_]+)'", CODE))
    said |= set(re.findall(r"return nil, '([a-z_]+)'", CODE))
    assert {"ok", "late", "over", "no such desk", "in_use", "offline", "no_agent"} <= said
    for answer in said:
        ending = "malformed <" if answer.startswith("malformed") else f"{answer}`"
        assert f"`{ending}" in part("Answers"), answer


def test_every_letter_of_a_record_is_told() -> None:
    records = part("Records")
    for letter in {*VISIT_STATES, *STATES, *MODES.values(), *NO_AGENT.values(), *PENDING} - {"k"}:
        assert f"`{letter}`" in records, letter
    timers = re.findall(r"^timers\.[A-Z_]+ = '(\w)'", CODE, flags=re.MULTILINE)
    assert len(timers) == 8
    for letter in timers:
        assert f"`{letter}<" in records, letter


def test_the_records_have_as_many_fields_as_the_page_names() -> None:
    """Visit, agent and queue: the patterns that parse them, and the tables."""
    records = part("Records")
    for name, count in (("A visit", 10), ("An agent", 11), ("A queue", 16)):
        table = records.partition(f"### {name}\n")[2].partition("\n### ")[0]
        numbered = re.findall(r"^\| (\d+) \|", table, flags=re.MULTILINE)
        assert numbered == [str(number) for number in range(1, count + 1)], name
    queue = desk.QueueSettings().words()
    assert len(queue.split()) == 16


def rows(text: str) -> list[list[str]]:
    """Return the cells of each row of the tables in a text, without their headers."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [line.split("|") for line in lines]
    return [row for row in cells if "---" not in row[1] and "`" in row[1]]


def test_two_kinds_of_entries_have_two_names_in_the_admin() -> None:
    names = [str(name) for name in EVENTS.values()]
    assert sorted(names) == sorted(set(names))
