"""`manage.py pool number`, `calls`, `rule`, `imports`, `delete`: what the API and the pages do."""

from pathlib import Path

import pytest
from django.core.management.base import CommandError

from numbers.models import HealthRule, Number, NumberImport, Pool
from numbers.services import imports
from poolsite.access.models import AuditEntry
from poolsite.jobs import runner
from tests.numbers.people import drain, make_pool, send
from tests.numbers.test_commands_pool import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

ONE, TWO = "+8613800000000", "+8613800000001"
WHY = ("--reason", "audit")


@pytest.fixture
def pool() -> Pool:
    return make_pool(numbers=2)


def in_sql(slug: str = "east") -> set[str]:
    return set(Number.objects.filter(pool__slug=slug).values_list("value", flat=True))


def test_numbers_are_added_listed_and_changed(pool: Pool) -> None:
    told = run("number", "add", "east", "13800000005", ONE, "abc", "--tag", "vip", *WHY)
    assert [line.partition(": ")[2] for line in told.splitlines()] == [
        "added",
        f"{ONE} is already in this pool.",
        "This is not a number.",
    ]
    assert "2 numbers added, 0 left out" in run(
        "number", "range", "east", "13800000008", "13800000009"
    )
    assert len(in_sql()) == 5
    run("number", "change", "east", "138 0000 0000", "--label", "Desk", "--carrier", "Mobile")
    one = Number.objects.get(value=ONE)
    assert (one.label, one.carrier) == ("Desk", "Mobile")
    assert run("number", "list", "east", "--tag", "vip").split()[:2] == [
        "+8613800000005",
        "idle+down",
    ]
    assert len(run("number", "list", "east", "--q", "138").splitlines()) == 5


def test_many_numbers_get_one_verb(pool: Pool) -> None:
    make_pool("west")
    assert "2 numbers changed" in run("number", "quarantine", "east", "13800000000", TWO, *WHY)
    assert run("number", "list", "east", "--quarantined").count("quarantined: audit") == 2
    assert "2 numbers changed" in run("number", "release", "east", ONE, TWO, *WHY)
    send("east", "call", ONE, call_id="a", agent="alice")
    drain(pool)
    assert "in progress" in run("calls", "east", "--number", "13800000000")
    assert run("calls", "east", "--agent", "bob") == ""
    told = run("number", "hangup", "east", ONE, TWO, *WHY)
    assert f"{TWO}: The number is not in a call." in told
    assert "1 numbers changed" in told
    assert "1 numbers changed" in run("number", "move", "east", ONE, "--to", "west", *WHY)
    assert "999: not in this pool" in run("number", "delete", "east", TWO, "999", *WHY)
    assert (in_sql(), in_sql("west")) == (set(), {ONE})
    assert AuditEntry.objects.filter(reason="audit", actor_name="manage.py pool").count() >= 4


def test_rules_are_added_set_and_deleted(pool: Pool) -> None:
    run("rule", "add", "east", "--name", "Few answers", "--threshold", "15")
    rule = HealthRule.objects.get()
    run("rule", "set", "east", str(rule.pk), "--no-enabled", "--least-calls", "9")
    rule.refresh_from_db()
    assert (rule.threshold, rule.enabled, rule.least_calls) == (15.0, False, 9)
    assert "Few answers" in run("rule", "list", "east")
    assert run("rule", "actions", "east") == ""
    run("rule", "delete", "east", str(rule.pk))
    assert not HealthRule.objects.exists()


def test_imports_are_listed_and_undone(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("number\n13800000007\n")
    run("import", "east", str(path), "--yes")
    made = NumberImport.objects.get()
    assert "done" in run("imports", "list", "east")
    assert "undoing" in run("imports", "undo", "east", str(made.pk), *WHY)
    runner.run(NumberImport.objects.get().job_id or 0)
    assert in_sql() == {ONE, TWO}
    preview = imports.preview_now(pool, path, "test")
    assert "discarded" in run("imports", "discard", "east", str(preview.pk))


def test_a_pool_is_deleted(pool: Pool) -> None:
    run("delete", "east", *WHY)
    assert not Pool.objects.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("delete", "east"),
        ("delete", "nowhere", *WHY),
        ("number", "add", "nowhere", ONE),
        ("number", "change", "east", "999", "--label", "x"),
        ("number", "change", "east", "abc", "--label", "x"),
        ("number", "delete", "east", ONE),
        ("number", "move", "east", ONE, *WHY),
        ("number", "move", "east", ONE, "--to", "nowhere", *WHY),
        ("number", "range", "east", "13800000009", "13800000001"),
        ("calls", "east", "--number", "999"),
        ("rule", "add", "east", "--name", "x", "--threshold", "101"),
        ("rule", "set", "east", "1", "--no-enabled"),
        ("rule", "undo", "east", "1"),
        ("imports", "confirm", "east", "1"),
    ],
)
def test_bad_arguments_are_one_clear_error(pool: Pool, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)
    assert in_sql() == {ONE, TWO}
