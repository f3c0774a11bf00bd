"""`manage.py gate`, reconcile, and the demo's initial gates."""

import io
from pathlib import Path

import pytest
from django.contrib.admin import autodiscover, site
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import BooleanField, IntegerField

from poolsite import hotpath
from poolsite.access.models import ApiToken
from poolsite.runtime.demo_data import DemoData
from queueing.admission import demo, overview, search, services
from queueing.admission import gate as commands
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.services.gates import SETTINGS
from tests.admission.people import SLUG, done, drain, load_due, make_batch, make_gate, report, show
from tests.numbers.people import operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("gate", *words, stdout=out)
    return out.getvalue()


def test_a_gate_is_made_sized_paused_and_shown() -> None:
    assert "created" in run("create", SLUG, "--cap", "5")
    hotpath.run(commands.acquire(SLUG, "h1"))
    assert "cap=5" in run("show", SLUG)
    run("cap", SLUG, "9", "--reason", "more")
    assert show().cap == 9
    run("pause", SLUG, "--reason", "works")
    assert show().status == "paused"
    run("resume", SLUG)
    assert "h1" in run("holders", SLUG)
    run("free", SLUG, "h1", "--reason", "hangs")
    assert show().used == 0


def test_every_setting_can_be_given_and_changed() -> None:
    run(
        "create",
        SLUG,
        "--cap",
        "5",
        "--permit-seconds",
        "120",
        "--margin-seconds",
        "5",
        "--no-fair",
    )
    figures = show()
    assert (figures.cap, figures.settings.permit_seconds, figures.settings.fair) == (5, 120, False)
    for name in SETTINGS:
        field = Gate._meta.get_field(name)
        value = getattr(Gate.objects.get(slug=SLUG), name)
        option = "--" + name.replace("_", "-")
        if isinstance(field, BooleanField):
            run("set", SLUG, option)
            assert getattr(Gate.objects.get(slug=SLUG), name) is True
        elif isinstance(field, IntegerField):
            run("set", SLUG, option, str(value + 1))
            assert getattr(Gate.objects.get(slug=SLUG), name) == value + 1
        else:
            run("set", SLUG, option, "other")
            assert getattr(Gate.objects.get(slug=SLUG), name) == "other"
    assert show().settings.permit_seconds == 121


@pytest.mark.parametrize(
    "words",
    [
        ("show", "none"),
        ("create", "Bad Slug"),
        ("create", "ok", "--cap", "0"),
        ("create", "ok", "--account", "none"),
        ("create", "ok", "--permit-seconds", "0"),
        ("set", SLUG),
        ("set", SLUG, "--permit-seconds", "0"),
        ("cap", SLUG, "0"),
        ("cap", SLUG, "-5"),
        ("cap", SLUG, "9" * 30),
        ("cap", SLUG, "1000001"),
        ("free", SLUG, "nobody", "--reason", "x"),
        ("free", SLUG, "a\x00b", "--reason", "x"),
        ("batch", SLUG, "/no/such/file", "--opens", "x", "--closes", "y"),
    ],
)
def test_bad_words_are_refused_and_change_nothing(words: tuple[str, ...]) -> None:
    make_gate()
    before = show()
    with pytest.raises(CommandError):
        run(*words)
    assert show().seq == before.seq
    assert Gate.objects.count() == 1


def test_a_batch_comes_from_a_file_and_its_bad_rows_are_named(tmp_path: Path) -> None:
    make_gate()
    path = tmp_path / "tasks.csv"
    path.write_text("device,payload\na,x\na,y\n")
    window = ("--opens", "2090-01-01T00:00+08:00", "--closes", "2090-01-02T00:00+08:00")
    with pytest.raises(CommandError, match="Row 3"):
        run("batch", SLUG, str(path), *window)
    assert not TaskBatch.objects.exists()
    assert "1 tasks, 1 rows skipped" in run("batch", SLUG, str(path), *window, "--skip-bad")


# -- reconcile -----------------------------------------------------------------------------------


def test_sql_and_redis_agree_after_ordinary_work() -> None:
    gate = make_gate(cap=1)
    make_batch(gate, ["a", "b"])
    report("a")
    found = services.gate_reconcile(gate=gate, check=True)
    assert (found.clean, found.tasks, found.drift) == (True, 2, {})
    assert "no drift" in run("reconcile", SLUG, "--check")


def test_what_differs_is_named_and_mended() -> None:
    gate = make_gate()
    make_batch(gate, ["a", "b"])
    task = Task.objects.get(device="a").pk
    client = hotpath.client()
    client.hdel("{gate.tower}:tasks", str(task))
    client.hdel("{gate.tower}:devices", "a")
    hotpath.run(commands.resize(SLUG, 3))
    with pytest.raises(CommandError):
        run("reconcile", SLUG, "--check")
    found = services.gate_reconcile(gate=gate, check=False)
    assert found.drift == {"settings differ": 1, "task not in Redis": 1}
    assert found.mended
    assert show().cap == 60
    assert report("a").word == "task"
    drain(gate)
    assert services.gate_reconcile(gate=gate, check=True).clean


def test_a_lost_gate_is_told_and_left_to_the_watch() -> None:
    gate = make_gate()
    hotpath.client().flushall()
    assert services.gate_reconcile(gate=gate, check=False).status == "lost"
    assert hotpath.run(commands.show(SLUG)) is None


# -- demo, search, metrics, admin ------------------------------------------------------------------


def test_the_demo_has_gates_with_work_and_keeps_its_tokens() -> None:
    data = DemoData(password="x", small=True)
    demo.make_gates(data)
    load_due()
    entries = data.simulation["gates"]
    assert {entry["slug"] for entry in entries} == {"speed-025", "firmware"}
    for entry in entries:
        told = report(f"{entry['prefix']}00000", slug=entry["slug"])
        assert told.word == "task"
    demo.make_gates(DemoData(password="x", small=True))
    assert TaskBatch.objects.count() == 2
    live = ApiToken.objects.filter(name__startswith="demo devices", revoked_at=None)
    assert live.count() == 2


def test_gates_and_devices_are_found_and_measured() -> None:
    batch = make_batch(make_gate(), ["a"], name="night")
    reader = operator()
    services.batch_pause(actor="test", batch=batch, reason="storm")
    assert [found.chip for found in search.find(reader, "night", 5)] == ["paused"]
    assert [found.url for found in search.find(reader, "tow", 5)] == ["/gates/tower/"]
    assert [found.name for found in search.find(reader, "a", 5)] == ["a"]
    names = {metric.name for metric in overview.collect()}
    assert "poolsite_gate_permits" in names


def test_the_admin_knows_every_table() -> None:
    autodiscover()  # as poolsite.urls does
    known = {model._meta.label for model in site._registry}
    assert {"admission.Gate", "admission.TaskBatch", "admission.Task"} <= known


# -- the verbs that the pages have as well ---------------------------------------------------------


def test_a_limit_is_pinned_and_the_gate_deleted() -> None:
    make_gate(cap=5)
    run("pin", SLUG, "3", "--reason", "carrier asked")
    assert show().cap == 3
    with pytest.raises(CommandError, match="pinned"):
        run("resize", SLUG, "9")
    assert "unpinned" in run("unpin", SLUG)
    token = hotpath.run(commands.acquire(SLUG, "h1")).token
    with pytest.raises(CommandError, match="1 slot is in use"):
        run("delete", SLUG, "--reason", "old")
    with pytest.raises(CommandError, match="no longer has this permit"):
        run("free", SLUG, "h1", "--token", str(token + 1), "--reason", "hangs")
    run("free", SLUG, "h1", "--token", str(token), "--reason", "hangs")
    assert "deleted" in run("delete", SLUG, "--reason", "old")
    assert not Gate.objects.exists()
    assert hotpath.run(commands.show(SLUG)) is None


def test_the_line_and_the_last_hour_are_listed() -> None:
    make_gate(cap=1)
    for name in ("h1", "h2"):
        hotpath.run(commands.acquire(SLUG, name))
    assert run("line", SLUG).splitlines()[0].startswith("1. h2  waits 0 s")
    services.sample_take()
    assert "used=1  cap=1" in run("samples", SLUG)


def test_batches_are_steered_and_their_tasks_listed() -> None:
    gate = make_gate()
    batch = make_batch(gate, ["a", "b", "c"])
    report("a", done(report("a"), ok=False))
    key = str(batch.pk)
    assert "a  failed" in run("failed", SLUG, key)
    assert len(run("tasks", SLUG, key).splitlines()) == 3
    assert "b  pending" in run("tasks", SLUG, key, "--state", "pending", "--device", "b")
    assert len(run("tasks", SLUG, key, "--count", "2").splitlines()) == 2
    run("batch-pause", SLUG, key, "--reason", "wait")
    assert show().batches[0].status == "paused"
    run("batch-resume", SLUG, key)
    assert show().batches[0].status == "open"
    run("batch-pause", SLUG, key, "--reason", "wait")
    assert "cancelled" in run("batch-cancel", SLUG, key, "--reason", "mistake")
    assert "state=cancelled" in run("batches", SLUG, "--state", "cancelled")
    assert run("batches", SLUG, "--state", "paused") == ""
    for verb in ("tasks", "failed"):
        with pytest.raises(CommandError, match="not found"):
            run(verb, SLUG, str(2**70))
