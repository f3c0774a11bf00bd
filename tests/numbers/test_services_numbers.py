"""Numbers are added, deleted, moved, held and hung up; SQL and Redis agree afterwards."""

from unittest.mock import Mock

import pytest
from django.db import DatabaseError

from numbers import pool as commands
from numbers import services
from numbers.errors import NumbersError
from numbers.models import CallRecord, Number, NumberTag, Pool
from numbers.services import removing
from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from tests.numbers.people import drain, make_pool, operator, register, send, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def state(slug: str, number: str) -> commands.NumberState | None:
    found = hotpath.run(commands.states(slug, [number]))
    return found.by_number.get(number) if found is not None else None


def check_clean(*pools: Pool) -> None:
    for pool in pools:
        report = services.pool_reconcile(pool=pool, check=True)
        assert report.drift == {}, report


def test_a_number_is_cleaned_labelled_and_put_into_redis() -> None:
    pool = make_pool()
    row = services.number_add(
        actor=operator(), pool=pool, number="0086 138-1234 5678", label="desk", tags=["b", "a", "a"]
    )
    assert row.value == "+8613812345678"
    assert (row.carrier, row.label) == ("China Mobile", "desk")
    assert "Jiangsu" in row.region
    assert sorted(row.tags.values_list("tag", flat=True)) == ["a", "b"]
    live = state("east", "+8613812345678")
    assert live is not None
    assert live.name == "idle+down"
    check_clean(pool)


@pytest.mark.parametrize("number", ["", "abc", "1" * 33, "١٣٨"])
def test_what_is_no_number_is_not_added(number: str) -> None:
    pool = make_pool()
    with pytest.raises(NumbersError):
        services.number_add(actor="test", pool=pool, number=number)
    assert not Number.objects.exists()


def test_a_number_stands_in_one_pool_only() -> None:
    east, west = make_pool("east"), make_pool("west")
    services.number_add(actor="test", pool=east, number="138")
    with pytest.raises(NumbersError, match="in the pool east"):
        services.number_add(actor="test", pool=west, number="138")
    with pytest.raises(NumbersError, match="already in this pool"):
        services.number_add(actor="test", pool=east, number="138")
    assert state("west", "138") is None
    check_clean(east, west)


def test_a_range_is_added_whole_and_what_is_taken_is_told() -> None:
    east, west = make_pool("east"), make_pool("west")
    services.number_add(actor="test", pool=west, number="+8613800000500")
    done = services.number_add_range(
        actor=operator(), pool=east, first="+8613800000000", last="+8613800002499", tags=["block"]
    )
    assert len(done.added) == 2499
    assert done.elsewhere == {"+8613800000500": "west"}
    figures = hotpath.run(commands.show("east"))
    assert figures is not None
    assert figures.numbers == 2499
    assert NumberTag.objects.filter(tag="block", pool=east).count() == 2499
    entries = AuditEntry.objects.filter(action="numbers.number_add", thing_id="east")
    assert [(entry.after["count"], entry.after["taken"]) for entry in entries.order_by("pk")] == [
        (999, 1),
        (1000, 0),
        (500, 0),
    ]
    check_clean(east, west)


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("1000", "999", "same format and with the same length"),
        ("200", "100", "ends before it starts"),
        ("+100", "200", "same format and with the same length"),
        ("1000000", "9999999", "up to"),
        ("a", "9", "not a number"),
    ],
)
def test_a_bad_range_is_refused(first: str, last: str, told: str) -> None:
    with pytest.raises(NumbersError, match=told):
        services.range_of(first, last)


def test_leading_zeros_of_a_range_stay() -> None:
    assert services.range_of("0198", "0201") == ["0198", "0199", "0200", "0201"]
    assert services.range_of("+098", "+101") == ["+098", "+099", "+100", "+101"]


def test_deleted_numbers_leave_both_sides_and_a_call_goes_on() -> None:
    pool = make_pool(numbers=3)
    taken = send("east", "call", call_id="a").number
    gone = services.numbers_delete(
        actor=operator(), pool=pool, values=[taken, "+8613800000002", "999"], reason="returned"
    )
    assert gone == len({taken, "+8613800000002"})
    assert state("east", taken) is None
    drain(pool)
    assert CallRecord.objects.get().ended_at is None
    assert send("east", "hangup", taken, call_id="a").reason == "old call"
    drain(pool)
    assert CallRecord.objects.get().ended_at is not None
    assert not Number.objects.filter(value=taken).exists()
    check_clean(pool)


def test_a_number_whose_old_call_runs_is_not_given_to_another_pool() -> None:
    east, west = make_pool("east", numbers=1), make_pool("west")
    number = send("east", "call", call_id="a").number
    services.numbers_delete(actor="test", pool=east, values=[number])
    drain(east)
    with pytest.raises(NumbersError, match="still in a call in east"):
        services.number_add(actor="test", pool=west, number=number)
    send("east", "hangup", number, call_id="a")
    drain(east)
    services.number_add(actor="test", pool=west, number=number)
    check_clean(east, west)


def test_numbers_move_with_their_registration_and_tags_but_not_in_a_call() -> None:
    east, west = make_pool("east", numbers=3), make_pool("west")
    services.number_change(
        actor="test", number=Number.objects.get(value="+8613800000001"), tags=["gold"]
    )
    drain(east)
    taken = send("east", "call", "+8613800000000", call_id="a").number
    rows = list(Number.objects.select_related("pool"))
    stay = services.numbers_move(actor=operator(), numbers=rows, pool=west, reason="rebalanced")
    assert stay == {taken: "in a call"}
    assert set(west.numbers.values_list("value", flat=True)) == {"+8613800000001", "+8613800000002"}
    assert NumberTag.objects.get(tag="gold").pool == west
    moved = state("west", "+8613800000001")
    assert moved is not None
    assert moved.name == "idle+up"
    assert not moved.quarantined
    left = state("east", taken)
    assert left is not None
    assert not left.quarantined
    drain(east)
    drain(west)
    check_clean(east, west)
    assert not Number.objects.filter(quarantined_at__isnull=False).exists()


def test_a_move_that_fails_leaves_the_numbers_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    east, west = make_pool("east", numbers=2), make_pool("west")
    monkeypatch.setattr(removing, "_write_move", Mock(side_effect=DatabaseError("away")))
    with pytest.raises(DatabaseError):
        services.numbers_move(actor="test", numbers=list(Number.objects.all()), pool=west)
    drain(east)
    assert not Number.objects.filter(quarantined_at__isnull=False).exists()
    assert send("east", "call").ok
    check_clean(east, west)


def test_a_move_that_fails_after_its_commit_gives_the_old_pool_nothing_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The new pool may lend the number already."""
    make_pool("east", numbers=1)
    west = make_pool("west")
    monkeypatch.setattr(removing, "remove_numbers", Mock(side_effect=RuntimeError("killed")))
    with pytest.raises(RuntimeError):
        services.numbers_move(actor="test", numbers=list(Number.objects.all()), pool=west)
    assert Number.objects.get().pool == west
    assert send("east", "call").reason == "exhausted"


def test_a_move_that_was_cut_off_is_done_by_the_next_attempt() -> None:
    """Its quarantine is not an operator's."""
    east, west = make_pool("east", numbers=2), make_pool("west")
    values = list(Number.objects.values_list("value", flat=True))
    hotpath.run(commands.quarantine("east", values, "moving to west"))
    drain(east)
    assert not Number.objects.filter(quarantined_at__isnull=False).exists()
    services.numbers_move(actor="test", numbers=list(Number.objects.all()), pool=west)
    assert send("west", "call").ok
    drain(east)
    drain(west)
    check_clean(east, west)


def test_a_person_may_quarantine_with_the_words_of_a_move() -> None:
    make_pool("east", numbers=1)
    west = make_pool("west")
    row = Number.objects.select_related("pool").get()
    services.number_quarantine(actor=operator(), number=row, reason="moving to the archive")
    services.numbers_move(actor="test", numbers=[Number.objects.get()], pool=west)
    assert Number.objects.get().quarantined_reason == "moving to the archive"
    live = state("west", row.value)
    assert live is not None
    assert live.quarantined


def test_deleting_what_is_not_there_writes_nothing() -> None:
    pool = make_pool(numbers=1)
    entries = AuditEntry.objects.count()
    assert services.numbers_delete(actor="test", pool=pool, values=["+8613900000000"]) == 0
    assert AuditEntry.objects.count() == entries


def test_a_quarantined_number_moves_quarantined() -> None:
    east, west = make_pool("east", numbers=1), make_pool("west")
    row = Number.objects.select_related("pool").get()
    services.number_quarantine(actor=operator(), number=row, reason="noise")
    services.numbers_move(actor="test", numbers=[Number.objects.get()], pool=west)
    drain(east)
    drain(west)
    live = state("west", row.value)
    assert live is not None
    assert live.quarantined
    assert Number.objects.get().quarantined_reason == "noise"
    check_clean(east, west)


def test_quarantine_takes_out_of_picking_and_release_lets_back() -> None:
    pool = make_pool(numbers=1)
    row = Number.objects.select_related("pool").get()
    actor = operator()
    row = services.number_quarantine(actor=actor, number=row, reason="spam reports")
    assert (row.quarantined_by, row.quarantined_reason) == (actor.name, "spam reports")
    assert send("east", "call").reason == "exhausted"
    assert send("east", "call", row.value).reason == "quarantined"
    drain(pool)
    check_clean(pool)
    row = services.number_release(actor=actor, number=row)
    assert row.quarantined_at is None
    assert send("east", "call").ok
    drain(pool)
    row.refresh_from_db()
    assert row.quarantined_at is None
    check_clean(pool)


def test_a_second_click_on_quarantine_leaves_the_first_reason_and_one_entry() -> None:
    make_pool(numbers=1)
    row = Number.objects.select_related("pool").get()
    services.number_quarantine(actor="test", number=row, reason="first")
    row = services.number_quarantine(actor="test", number=row, reason="second")
    assert row.quarantined_reason == "first"
    assert AuditEntry.objects.filter(action="numbers.number_quarantine").count() == 1


def test_a_forced_hangup_ends_the_call_and_is_audited_with_its_reason() -> None:
    pool = make_pool(numbers=1)
    number = send("east", "call", call_id="a", switch="fs1", incarnation="1").number
    row = Number.objects.select_related("pool").get()
    forced = services.number_force_hangup(actor=operator(), number=row, reason="stuck")
    assert (forced.call_id, forced.switch) == ("a", "fs1")
    live = state("east", number)
    assert live is not None
    assert not live.busy
    drain(pool)
    assert CallRecord.objects.get().ended_how == "forced: stuck"
    with pytest.raises(NumbersError, match="not in a call"):
        services.number_force_hangup(actor="test", number=row, reason="again")
    check_clean(pool)


def test_a_label_change_is_audited_from_what_to_what() -> None:
    make_pool(numbers=1)
    row = Number.objects.get()
    services.number_change(actor=operator(), number=row, label="front desk", tags=["vip"])
    entry = AuditEntry.objects.get(action="numbers.number_change")
    assert (entry.before, entry.after) == (
        {"label": "", "tags": []},
        {"label": "front desk", "tags": ["vip"]},
    )


def test_a_foreign_tenant_cannot_touch_a_number() -> None:
    make_pool(account=tenant("north").account, numbers=1)
    row = Number.objects.select_related("pool").get()
    stranger = tenant("south").principal
    for act in (services.number_quarantine, services.number_force_hangup):
        with pytest.raises(access.Hidden):
            act(actor=stranger, number=row, reason="mine")


def test_a_callback_claims_uses_and_releases_and_each_step_may_be_repeated() -> None:
    pool = make_pool(numbers=2)
    claim = services.number_claim(actor="line", pool=pool, operation="cb-1", agent="alice")
    again = services.number_claim(actor="line", pool=pool, operation="cb-1", agent="alice")
    assert claim.number == again.number
    services.number_use(actor="line", pool=pool, operation="cb-1")
    services.number_use(actor="line", pool=pool, operation="cb-1")
    services.claim_release(actor="line", pool=pool, operation="cb-1")
    services.claim_release(actor="line", pool=pool, operation="cb-1")
    live = state("east", claim.number)
    assert live is not None
    assert not live.busy
    with pytest.raises(NumbersError):
        services.number_use(actor="line", pool=pool, operation="cb-1")


def test_a_claim_finds_no_number_and_says_so() -> None:
    pool = make_pool(numbers=1, up=False)
    with pytest.raises(NumbersError) as refused:
        services.number_claim(actor="line", pool=pool, operation="cb-1", agent="alice")
    assert refused.value.kind == "exhausted"
    services.claim_release(actor="line", pool=pool, operation="cb-1")
    register("east", "+8613800000000")
    with pytest.raises(NumbersError, match="ended"):
        services.number_claim(actor="line", pool=pool, operation="cb-1", agent="alice")


def test_a_switch_gets_a_token_of_its_pool_alone() -> None:
    pool = make_pool(account=tenant("north").account)
    switch, secret = services.switch_create(actor=operator(), pool=pool, name="fs1")
    assert secret.startswith("ps_")
    assert switch.token is not None
    assert switch.token.resources == ["pool:east"]
    assert switch.token.switch == "fs1"
    services.switch_delete(actor="test", switch=switch)
    switch.token.refresh_from_db()
    assert not switch.token.is_live
