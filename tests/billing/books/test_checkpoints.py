"""Checkpoints of a long journal: they agree with the full sum, and a changed one is found."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from django.db.models import F, Sum

from billing.models import JournalCheckpoint, JournalEntry, Wallet
from billing.persistence import checkpoints
from billing.persistence.proving import audit, audit_all
from billing.persistence.running import persist_shard
from billing.selectors.explain import Figure, explain
from billing.selectors.statements import statement_of, statements_of
from billing.selectors.statements_entries import statement_chunks
from billing.services import books
from billing.services.days import month_at, month_of
from billing.services.rebuilding_drill import wallet_rebuild
from tests.billing.books.book_support import held, live_wallet, moved, reported

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

SIZE = 7


def lived(messages: int = 30) -> Wallet:
    """Return a wallet with a journal of many kinds, in two generations of its Redis data."""
    row = live_wallet(spendable=100_000)
    for place in range(messages):
        held(row, f"m{place}", chatbot="shop" if place % 3 else "")
        if place % 4 != 3:
            reported(row, f"m{place}", ("native_text", "video", "")[place % 3])
        if place % 10 == 9:
            moved(row, f"r{place}", "recharge", 1_000 + place)
    persist_shard(0, 1)
    wallet_rebuild(row, actor="test")
    moved(row, "last", "debit", 5)
    held(row, "last")
    persist_shard(0, 1)
    row.refresh_from_db()
    return row


def closed(row: Wallet) -> list[JournalCheckpoint]:
    while checkpoints.close_next(row.pk, SIZE) is not None:
        pass
    return list(checkpoints.of_wallet(row.pk))


def full_sum(row: Wallet, since: int = 0, until: int = 2**62) -> dict[str, int]:
    rows = JournalEntry.objects.filter(wallet=row, at_us__gte=since, at_us__lt=until)
    told = rows.aggregate(**{f"{leg}_sum": Sum(leg) for leg in checkpoints.Sums().amounts})
    return {leg: told[f"{leg}_sum"] or 0 for leg in checkpoints.Sums().amounts}


def times(row: Wallet) -> Iterator[tuple[int, int]]:
    """Yield spans that begin and end in, between and around the entries."""
    chance = random.Random(7)
    moments = list(JournalEntry.objects.filter(wallet=row).values_list("at_us", flat=True))
    edges = [0, *moments, *(at + 1 for at in moments), max(moments) + 10]
    yield 0, 0
    for _ in range(60):
        since, until = sorted(chance.sample(edges, 2))
        yield since, until


def test_stretches_follow_each_other_and_leave_only_the_newest_entries_open() -> None:
    row = lived()
    found = closed(row)
    assert len(found) > 5
    assert {each.entries for each in found[:-2]} <= {SIZE, found[-2].entries}
    covered = sum(each.entries for each in found)
    assert 0 <= JournalEntry.objects.filter(wallet=row).count() - covered < SIZE
    generations = {each.generation for each in found}
    assert len(generations) >= 1
    ended = JournalEntry.objects.filter(wallet=row, generation=min(generations))
    assert sum(e.entries for e in found if e.generation == min(generations)) == ended.count()
    assert checkpoints.first_unsealed(found) is None
    assert all(checkpoints.is_proven(each) for each in found)


def spanned(row: Wallet, span: tuple[int, int]) -> list[checkpoints.Span]:
    """Return the sums before, within and after some time. Together they are the whole journal."""
    since, until = span[0], span[1] or 2**62
    found = checkpoints.spans(row.pk, [since, until])
    assert found[1].amounts == full_sum(row, since, until)
    whole = {leg: sum(each.amounts[leg] for each in found) for leg in found[0].amounts}
    assert whole == full_sum(row)
    counted = sum(line[0] for line in found[1].lines["kind"].values())
    within = JournalEntry.objects.filter(wallet=row, at_us__gte=since, at_us__lt=until)
    assert counted == within.count()
    found[0].lines = {}  # earlier stretches are summed without their lines
    return found


def test_any_time_sums_up_to_the_same_with_checkpoints_and_without() -> None:
    row = lived()
    before = {span: checkpoints.sums(row.pk, *span) for span in times(row)}
    lines = {span: spanned(row, span) for span in times(row)}
    closed(row)
    for span in times(row):
        found = checkpoints.sums(row.pk, *span)
        assert found == before[span]
        assert found.amounts == full_sum(row, span[0], span[1] or 2**62)
        assert spanned(row, span) == lines[span]


def test_a_clock_that_went_back_hides_no_entry_from_its_time() -> None:
    row = lived()
    entry = JournalEntry.objects.filter(wallet=row).order_by("generation", "seq")[10]
    JournalEntry.objects.filter(pk=entry.pk).update(at_us=F("at_us") - 3_600_000_000)
    rechain(row)
    closed(row)
    until = entry.at_us - 1_000_000_000
    assert checkpoints.sums(row.pk, 0, until).amounts == full_sum(row, 0, until)
    assert checkpoints.sums(row.pk, until, 0).amounts == full_sum(row, until)


def rechain(row: Wallet) -> None:
    """Write every digest again, as the persistence would have with such a clock."""
    before = ""
    for entry in JournalEntry.objects.filter(wallet=row).order_by("generation", "seq"):
        before = checkpoints.digest_of_row(entry, before)
        JournalEntry.objects.filter(pk=entry.pk).update(digest=before)
    Wallet.objects.filter(pk=row.pk).update(digest=before)


def test_pages_say_the_same_with_checkpoints_and_without() -> None:
    row = lived()
    month = month_at(row.account)
    following = month_of(row.account, "2099-01")
    moment = JournalEntry.objects.filter(wallet=row).order_by("at_us")[20].at_us

    def said() -> list[object]:
        one = statement_of(row, month, 0).statement
        rows = [(entry.pk, left) for entry, left in chain(*statement_chunks(row, month))]
        pages = [explain(row, Figure(leg)) for leg in ("spendable", "held", "revenue")]
        before = explain(row, Figure("spendable", until=moment)).total
        # A cursor is signed with the second in which it is given: its content is before the ":".
        cursors = [page.next.partition(":")[0] for page in pages]
        whole = [(page.opening, page.total, page.count) for page in pages]
        later = statement_of(row, following, 0).statement
        return [
            *(one.opening, one.closing, one.held, one.adjustments, one.modes, one.chatbots),
            *(rows, whole, cursors, later.opening, before),
        ]

    before = said()
    assert closed(row)
    assert said() == before
    year = statements_of(row, 0, month, 0)
    assert year.opened is not None
    assert (year.unexplained, year.opened.statement.difference) == (0, 0)
    assert sum(year.opened.days.totals) == year.opened.statement.charges.units > 0


@pytest.mark.parametrize(
    "change",
    [
        {"spendable": 1},
        {"held": 1},
        {"entries": 3},
        {"last_us": 5},
        {"digest": "0" * 32},
        {"counts": {}},
        {"lines": {"kind": {}, "mode": {}, "chatbot": {}}},
        {"seal": "0" * 32},
    ],
)
def test_a_checkpoint_changed_by_hand_is_found(change: dict[str, object]) -> None:
    row = lived()
    victim = closed(row)[2]
    assert audit([row], whole=False) == audit([row]) == []
    JournalCheckpoint.objects.filter(pk=victim.pk).update(**change)
    for whole in (False, True):
        said = " ".join(map(str, audit([row], whole=whole)))
        assert f"checkpoint {victim.generation}:{victim.first_seq}-" in said
        assert "no entry differs" in said


@pytest.mark.parametrize(
    "change", [{"spendable": 5, "revenue": -5}, {"cash": 5}, {"counts": {}}, {"lines": {}}]
)
def test_a_forged_seal_is_found_by_the_entries(change: dict[str, Any]) -> None:
    row = lived()
    found = closed(row)
    victim = found[0]
    for name, value in change.items():
        setattr(victim, name, value)
    seal = ""
    for each in [victim, *found[1:]]:  # an attacker who knows how seals are made
        each.seal = seal = checkpoints.seal_of(each, seal)
        each.save()
    assert checkpoints.first_unsealed(checkpoints.of_wallet(row.pk)) is None
    assert audit([row], whole=True)
    # The background job checks one stretch each time, the oldest proof first.
    assert audit([row], whole=False)


def test_a_missing_checkpoint_is_found() -> None:
    row = lived()
    victim = closed(row)[1]
    victim.delete()
    assert any("checkpoint" in str(each) for each in audit([row], whole=False))


def test_an_entry_behind_a_checkpoint_that_was_changed_is_found_in_the_background_in_time() -> None:
    row = lived()
    found = closed(row)
    victim = JournalEntry.objects.get(
        wallet=row, generation=found[1].generation, seq=found[1].first_seq + 1
    )
    JournalEntry.objects.filter(pk=victim.pk).update(operation_id="somebody-else")
    rounds = [audit([row], whole=False) for _ in found]
    assert any(rounds)
    said = [str(difference) for found in rounds for difference in found]
    assert any(f"{victim.generation}:{victim.seq} " in one for one in said)


def test_a_broken_journal_gets_no_checkpoint() -> None:
    row = lived()
    JournalEntry.objects.filter(wallet=row, seq=3).update(operation_id="somebody-else")
    assert closed(row) == []
    JournalEntry.objects.filter(wallet=row, seq=3).delete()
    assert closed(row) == []


def test_the_sweep_finds_long_journals_and_ended_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    row, short = lived(), live_wallet()
    held(short, "one")
    persist_shard(0, 1)
    # The first generation has ended: its entries are closed, however few they are.
    assert list(checkpoints.due(0, 1)) == [row]
    done = books.close_checkpoints(0, 1)
    assert (done["wallets"], done["closed"]) == (1, 1)
    assert list(checkpoints.due(0, 1)) == []
    assert list(checkpoints.due(0, 1, entries=2)) == [row]
    assert [len(found) for _, found in audit_all()] == [0, 0]  # wallets, invoice numbers
