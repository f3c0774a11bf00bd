"""Imports of numbers from upload to undo, on a real Redis and a real database."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from numbers import pool as commands
from numbers import services
from numbers.errors import NumbersError
from numbers.imports import kinds, work
from numbers.models import CallRecord, ImportPart, ImportRow, Number, NumberImport, NumberTag
from numbers.services import imports
from numbers.services.removing import remove_numbers
from poolsite import access, hotpath, jobs
from poolsite.access.models import AuditEntry
from poolsite.jobs import runner
from poolsite.jobs import services as job_services
from poolsite.jobs.handle import JobHandle
from poolsite.jobs.models import Job
from poolsite.uploaded_files import UPLOAD_BYTES_LIMIT
from tests.access.world import World, make_world
from tests.numbers.import_world import (
    SAMPLE,
    csv_file,
    in_redis,
    in_sql,
    make_pool,
    totals,
    undo_now,
    xlsx_file,
)

ROOT_SAMPLE = SAMPLE.parents[2].parent / "shared" / "data" / SAMPLE.name


@pytest.fixture
def world(transactional_db, clean_redis) -> World:
    hotpath.reset()
    return make_world()


@pytest.fixture
def pool(transactional_db, clean_redis):
    hotpath.reset()
    return make_pool()


def reasons(found: NumberImport) -> Counter[str]:
    rows = found.staged.filter(kind="r").values_list("why", flat=True)
    return Counter(why.partition(":")[0] for why in rows)


def test_the_sample_is_the_one_that_the_project_was_given() -> None:
    if ROOT_SAMPLE.exists():
        assert SAMPLE.read_bytes() == ROOT_SAMPLE.read_bytes()
    assert SAMPLE.read_text(encoding="utf-8").count("\n") >= 5_065


def test_the_sample_has_5000_good_rows_and_names_65_with_their_reasons(pool) -> None:
    found = imports.preview_now(pool, SAMPLE, "test")
    assert found.rows == 5_065
    assert (found.rows_to_import, found.rows_refused) == (5_000, 65)
    assert found.rows_cleaned > 0
    counted = reasons(found)
    counted["not_a_number"] += counted.pop("letter_o", 0)
    assert counted == {"not_a_number": 20, "too_long": 10, "empty": 10, "twice": 25}
    assert not in_sql(pool)
    assert not in_redis(pool)
    assert not ImportPart.objects.exists()
    found = imports.confirm_now(found, "test")
    assert (found.state, found.imported) == ("done", 5_000)
    assert len(in_sql(pool)) == 5_000
    assert in_sql(pool) == in_redis(pool)
    found = undo_now(found, "test")
    assert (found.state, found.removed) == ("undone", 5_000)
    assert in_sql(pool) == in_redis(pool) == set()


def test_each_step_stands_in_the_audit_log_with_who_and_how_many(world, tmp_path) -> None:
    pool = make_pool(account=world.own)
    actor = world.users["operate"]
    found = imports.import_now(pool, csv_file(tmp_path, [["+8613800000001"], ["x"]]), actor)
    undo_now(found, actor)
    entries = AuditEntry.objects.filter(action__startswith="numbers.import").order_by("pk")
    assert [entry.action for entry in entries] == [
        "numbers.import_upload",
        "numbers.import_confirm",
        "numbers.import_done",
        "numbers.import_undo",
        "numbers.import_undone",
    ]
    assert {entry.account_id for entry in entries} == {world.own.pk}
    assert {entry.actor_name for entry in entries} == {"operate"}
    assert entries[2].after == {"pool": pool.slug, "imported": 1}


def test_a_bad_row_is_named_with_its_bad_part_and_its_reason(pool, tmp_path) -> None:
    rows = [["number", "label"], ["+86-CALL-ME", "a"], ["", "b"], ["139 O013 8000", "c"]]
    rows += [["1" * 35, "d"], ["+8613912345678", "e"], ["139-1234-5678", "f"]]
    found = imports.preview_now(pool, csv_file(tmp_path, rows), "test")
    refused = {row.row: (row.parts, row.reason) for row in found.staged.filter(kind="r")}
    assert refused[2] == (("+86-", "CALL-ME", ""), "Not a phone number")
    assert refused[3][1] == "Number is empty"
    assert refused[4] == (
        ("139 ", "O", "013 8000"),
        "Not a phone number: the letter O instead of 0",
    )
    assert refused[5] == (("1" * 32, "111", ""), "35 digits; the maximum is 32")
    assert refused[7][1] == "Duplicate of row 6"


def test_what_is_cleaned_up_says_how_and_the_file_may_have_no_head(pool, tmp_path) -> None:
    path = csv_file(tmp_path, [["00861 380 013-0417", "desk", "Jiangsu"], ["+8613800130418"]])
    found = imports.import_now(pool, path, "test")
    assert totals(found) == (1, 1, 0)
    row = found.staged.get(kind="c")
    assert (row.row, row.value, row.reason) == (1, "+8613800130417", "space, dash, 00 to +")
    number = Number.objects.get(value="+8613800130417")
    assert (number.label, number.region, number.import_id) == ("desk", "Jiangsu", found.pk)


def test_one_number_in_four_spellings_is_taken_once(pool, tmp_path) -> None:
    spelled = ["13977000099", "8613977000099", "008613977000099", "+86 139 7700 0099"]
    found = imports.import_now(pool, csv_file(tmp_path, [[text] for text in spelled]), "test")
    assert totals(found) == (0, 1, 3)
    assert found.staged.get(kind="c").reason == "country code"
    refused = {row.reason for row in found.staged.filter(kind="r")}
    assert refused == {"Duplicate of row 1"}
    assert in_sql(pool) == in_redis(pool) == {"+8613977000099"}


def test_a_number_stored_in_another_spelling_is_refused_with_the_row_that_has_it(
    world, tmp_path
) -> None:
    mine, theirs = make_pool("mine", world.own), make_pool("theirs", world.other)
    stored = Number.objects.create(pool=mine, value="13977000099", canonical="+8613977000099")
    path = csv_file(tmp_path, [["+8613977000099"]])
    (row,) = imports.preview_now(mine, path, "test").staged.all()
    assert row.reason == "Already stored as 13977000099"
    Number.objects.filter(pk=stored.pk).update(pool=theirs)
    (row,) = imports.preview_now(mine, path, "test").staged.all()
    assert row.reason == "Already stored as 13977000099 (theirs)"
    (row,) = imports.preview_now(mine, path, world.users["operate"]).staged.all()
    assert row.kind == "r"


def test_a_number_of_another_pool_is_refused_and_the_pool_named_only_to_who_may_see_it(
    world, tmp_path
) -> None:
    mine, theirs = make_pool("mine", world.own), make_pool("theirs", world.other)
    imports.import_now(theirs, csv_file(tmp_path, [["+8613800000001"]]), "test")
    imports.import_now(mine, csv_file(tmp_path, [["+8613800000002"]]), "test")
    path = csv_file(tmp_path, [["+8613800000001"], ["+8613800000002"], ["+8613800000003"]])
    seen = imports.preview_now(mine, path, world.users["operate"])
    assert [row.reason for row in seen.staged.filter(kind="r")] == [
        "Already in pool theirs",
        "Already in this pool",
    ]


def test_only_who_operates_the_pool_may_import_and_a_foreign_one_looks_missing(
    world, tmp_path
) -> None:
    pool = make_pool(account=world.own)
    path = csv_file(tmp_path, [["+8613800000001"]])
    with pytest.raises(access.Hidden):
        imports.import_now(pool, path, world.users["foreign"])
    with pytest.raises(access.Forbidden):
        imports.import_now(pool, path, world.users["looker"])
    found = imports.preview_now(pool, path, world.users["operate"])
    for step in (imports.import_confirm, imports.import_undo, imports.import_discard):
        with pytest.raises(access.Hidden):
            step(actor=world.users["foreign"], number_import=found)
    assert not Number.objects.exists()


def test_a_second_click_starts_no_second_import_and_no_second_undo(pool, tmp_path) -> None:
    found = imports.preview_now(pool, csv_file(tmp_path, [["+8613800000001"]]), "test")
    for _ in range(2):
        imports.import_confirm(actor="test", number_import=found)
    assert Job.objects.filter(kind=kinds.IMPORT).count() == 1
    runner.run(Job.objects.get(kind=kinds.IMPORT).pk)
    for _ in range(2):
        imports.import_undo(actor="test", number_import=found)
    assert Job.objects.filter(kind=kinds.UNDO).count() == 1


def test_a_step_out_of_turn_is_refused_in_words(pool, tmp_path) -> None:
    found = imports.preview_now(pool, csv_file(tmp_path, [["+8613800000001"]]), "test")
    with pytest.raises(NumbersError, match="Awaiting confirmation"):
        imports.import_undo(actor="test", number_import=found)
    imports.import_discard(actor="test", number_import=found)
    assert not ImportRow.objects.exists()
    with pytest.raises(NumbersError, match="Discarded"):
        imports.import_confirm(actor="test", number_import=found)


def test_a_preview_without_a_good_row_cannot_be_confirmed(pool, tmp_path) -> None:
    found = imports.preview_now(pool, csv_file(tmp_path, [["x"]]), "test")
    with pytest.raises(NumbersError):
        imports.import_confirm(actor="test", number_import=found)


def test_a_number_that_another_took_meanwhile_becomes_a_refused_row(pool, tmp_path) -> None:
    path = csv_file(tmp_path, [["+8613800000001"], ["+8613800000002"]])
    found = imports.preview_now(pool, path, "test")
    other = make_pool("bank-otp")
    Number.objects.create(pool=other, value="+8613800000002")
    found = imports.confirm_now(found, "test")
    assert (found.imported, found.job.done, found.job.total) == (1, 2, 2)
    assert found.staged.get(kind="r").reason == "Already in pool bank-otp"
    assert in_sql(pool) == in_redis(pool) == {"+8613800000001"}
    undo_now(found, "test")
    assert in_sql(other) == {"+8613800000002"}


def test_a_number_whose_call_of_another_pool_still_runs_is_not_taken(pool, tmp_path) -> None:
    CallRecord.objects.create(
        pool=make_pool("bank-otp"),
        number="+8613800000001",
        started_at=timezone.now(),
        generation=1,
        seq=2,
    )
    found = imports.preview_now(pool, csv_file(tmp_path, [["+8613800000001"]]), "test")
    assert (
        found.staged.get().reason == "Deleted from another pool, but its call is still in progress"
    )
    found = imports.preview_now(
        pool, csv_file(tmp_path, [["+8613800000002"], ["+8613800000009"]]), "test"
    )
    CallRecord.objects.update(number="+8613800000002")
    found = imports.confirm_now(found, "test")
    assert found.imported == 1
    assert found.staged.get(kind="r").why == "in_old_call"
    assert in_sql(pool) == in_redis(pool) == {"+8613800000009"}


def test_an_undo_leaves_what_was_there_before_and_what_was_moved_away(pool, tmp_path) -> None:
    imports.import_now(pool, csv_file(tmp_path, [["+8613800000001"]]), "test")
    found = imports.import_now(
        pool, csv_file(tmp_path, [["+8613800000002"], ["+8613800000003"]]), "test"
    )
    other = make_pool("bank-otp")
    Number.objects.filter(value="+8613800000003").update(pool=other)
    remove_numbers(pool, ["+8613800000003"])
    number = Number.objects.get(value="+8613800000002")
    NumberTag.objects.create(number=number, tag="gold", pool=pool, value=number.value)
    undo_now(found, "test")
    assert in_sql(pool) == in_redis(pool) == {"+8613800000001"}
    assert in_sql(other) == {"+8613800000003"}


def test_a_number_in_a_call_is_deleted_by_the_undo_and_its_call_runs_on(pool, tmp_path) -> None:
    found = imports.import_now(pool, csv_file(tmp_path, [["+8613800000001"]]), "test")
    for event in ("reg", "call"):
        hotpath.run(
            commands.event(pool.slug, commands.Event.of(event, "+8613800000001", call_id="c-1"))
        )
    undo_now(found, "test")
    assert in_sql(pool) == in_redis(pool) == set()
    ended = hotpath.run(commands.event(pool.slug, commands.Event.of("hangup", "-", call_id="c-1")))
    assert ended.ok
    assert in_redis(pool) == set()


@pytest.mark.parametrize("moment", ["before redis", "after redis"])
def test_a_worker_that_dies_between_sql_and_redis_loses_and_doubles_nothing(
    pool, tmp_path, monkeypatch, moment
) -> None:
    monkeypatch.setattr(work, "CHUNK", 10)
    path = csv_file(tmp_path, [[f"+861380000{n:04}"] for n in range(35)])
    found = imports.preview_now(pool, path, "test")
    imports.import_confirm(actor="test", number_import=found)
    job = Job.objects.get(kind=kinds.IMPORT)
    die_in_the_middle(monkeypatch, job, moment)
    assert len(in_sql(pool)) == 20
    resume(job)
    found.refresh_from_db()
    assert (found.state, found.imported) == ("done", 35)
    assert in_sql(pool) == in_redis(pool)
    assert len(in_sql(pool)) == 35
    entries = hotpath.client().xrange(f"{pool.tag}:log")
    added = [fields["e"].split("\t")[1] for _, fields in entries if fields["e"].startswith("add\t")]
    assert sorted(added) == sorted(in_sql(pool))


@pytest.mark.parametrize("moment", ["before redis", "after redis"])
def test_an_undo_whose_worker_dies_is_finished_by_the_next(
    pool, tmp_path, monkeypatch, moment
) -> None:
    path = csv_file(tmp_path, [[f"+861380000{n:04}"] for n in range(35)])
    found = imports.import_now(pool, path, "test")
    monkeypatch.setattr(work, "CHUNK", 10)
    imports.import_undo(actor="test", number_import=found)
    job = Job.objects.get(kind=kinds.UNDO)
    die_in_the_middle(monkeypatch, job, moment)
    assert len(in_sql(pool)) == 15
    resume(job)
    found.refresh_from_db()
    assert (found.state, found.removed) == ("undone", 35)
    assert in_sql(pool) == in_redis(pool) == set()


def die_in_the_middle(monkeypatch, job, moment) -> None:
    """Run the job until the second chunk's write to Redis. Nothing runs after it."""
    sent = work._send
    calls = []

    def dying(found: NumberImport) -> None:
        if found.pending:
            calls.append(found)
        if len(calls) == 2 and moment == "before redis":
            raise SystemExit
        sent(found)
        if len(calls) == 2:
            raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(work, "_send", dying)
        with pytest.raises(SystemExit):
            runner.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING


def resume(job: Job) -> None:
    """Do what happens once the dead worker's lease has expired."""
    past = timezone.now() - timedelta(minutes=5)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=past)
    runner.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.fence) == (Job.State.DONE, 2)


def test_a_preview_whose_worker_dies_goes_on_and_still_knows_the_earlier_rows(
    pool, tmp_path, monkeypatch
) -> None:
    from numbers.imports import staging

    monkeypatch.setattr(staging, "CHUNK", 10)
    rows = [[f"+861380000{n:04}"] for n in range(25)] + [["+8613800000003"]]
    path = csv_file(tmp_path, rows)
    with path.open("rb") as file:
        found = imports.import_upload(
            actor="test", pool=pool, file_name=path.name, data=[file.read()]
        )
    job = job_services.take(found.job_id)
    work_of = staging.preview(JobHandle(job))
    next(work_of)
    next(work_of)
    work_of.close()
    resume(job)
    found.refresh_from_db()
    assert (found.state, totals(found)) == ("previewed", (25, 0, 1))
    assert found.staged.get(kind="r").why == "twice:4"


def test_a_stopped_import_can_go_on_or_be_undone(pool, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(work, "CHUNK", 10)
    path = csv_file(tmp_path, [[f"+861380000{n:04}"] for n in range(30)])
    found = imports.preview_now(pool, path, "test")
    found = imports.import_confirm(actor="test", number_import=found)
    jobs.cancel(found.job, actor=None)
    found = NumberImport.objects.get(pk=found.pk)
    assert found.shown_state == "stopped"
    assert found.can_confirm
    assert found.can_undo
    found = imports.confirm_now(found, "test")
    assert (found.state, found.imported) == ("done", 30)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.pdf", b"x", "Choose a CSV or XLSX file"),
        ("a.csv", b"", "empty"),
        ("a.csv", b"x" * (UPLOAD_BYTES_LIMIT + 1), "larger than 32 MB"),
    ],
)
def test_a_file_that_cannot_be_an_import_is_refused_and_leaves_nothing(
    pool, name, content, told
) -> None:
    with pytest.raises(NumbersError, match=told):
        imports.import_upload(actor="test", pool=pool, file_name=name, data=[content])
    assert not NumberImport.objects.exists()
    assert not Job.objects.exists()


def test_a_file_that_cannot_be_read_fails_with_one_sentence(pool, tmp_path) -> None:
    path = tmp_path / "broken.xlsx"
    path.write_bytes(b"PK\x03\x04 nothing more")
    with pytest.raises(NumbersError, match="XLSX"):
        imports.preview_now(pool, path, "test")
    found = NumberImport.objects.get()
    assert found.state == "failed"
    assert "XLSX" in found.problem
    assert not ImportPart.objects.exists()
    imports.import_discard(actor="test", number_import=found)


def test_a_workbook_is_read_like_a_csv(pool, tmp_path) -> None:
    rows = [["号码", "名称"], [13800000001, "甲"], ["+86 138 0000 0002", None], [None, "x"]]
    found = imports.import_now(pool, xlsx_file(tmp_path, rows), "test")
    assert totals(found) == (0, 2, 1)
    assert in_sql(pool) == {"+8613800000001", "+8613800000002"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_a_pool_that_is_deleted_meanwhile_gets_no_numbers(tmp_path: Path) -> None:
    """They would be taken for ever, because no page shows a deleted pool."""
    pool = services.pool_create(actor="test", slug="east")
    paths = [csv_file(tmp_path, [["number"], [f"1380000000{n}"]], f"{n}.csv") for n in range(2)]
    early, late = (imports.preview_now(pool, path, "test") for path in paths)
    imports.import_confirm(actor="test", number_import=early)
    services.pool_delete(actor="test", pool=pool, reason="closed")
    with pytest.raises(NumbersError, match="deleted"):
        imports.import_confirm(actor="test", number_import=late)
    with pytest.raises(NumbersError, match="deleted"):
        services.number_add(actor="test", pool=pool, number="13800000005")
    runner.run(NumberImport.objects.get(pk=early.pk).job_id or 0)
    assert NumberImport.objects.get(pk=early.pk).shown_state == NumberImport.State.STOPPED
    assert not Number.objects.exists()
