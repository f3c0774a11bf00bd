"""Turns history entries into rows: events, call records, and numbers added in Redis."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models.functions import Greatest
from django.utils import timezone

from numbers import regions
from numbers.canonical import canonical
from numbers.models import CallRecord, Number, NumberTag, Pool, PoolEvent
from numbers.pool import PoolChange, read_change
from numbers.services.adding import aliases_of, write_aliases
from numbers.services.common import NOT_QUARANTINED, is_leaving, send_after_commit
from numbers.services.confirming import confirm_after_commit
from numbers.services.foreign import note_foreign
from numbers.services.health_counting import count_ended
from numbers.services.hearing import note_switches
from numbers.services.opening import note_opened
from numbers.services.owners import twins_known
from poolsite import sql_bulk
from poolsite.history import StreamEntry
from poolsite.history.services import insert_rows
from poolsite.moments import moment_of

logger = logging.getLogger(__name__)

BATCH = 500
CHANGED = ("ended_at", "ended_how", "cause", "answered", "talk_seconds", "generation", "seq")
LOST = "lost with Redis"
UNTOLD = "end not heard"


def write_entries(pool_id: int, generation: int, entries: Sequence[StreamEntry]) -> None:
    """Write one page of a pool's history, inside the drain's transaction.

    Stores events as they are, opens and closes call records, and adds or deletes the rows of
    numbers that were added or deleted directly in Redis. Redis is not called before the commit.
    """
    changes = [(entry, _change(entry)) for entry in entries]
    note_switches(pool_id, [change for _, change in changes])
    events = [(entry, _event(change)) for entry, change in changes]
    insert_rows(PoolEvent, pool_id, generation, events)
    _Calls(pool_id, generation).write(changes)
    _Membership(pool_id).write(changes)


def close_untold(record: CallRecord) -> None:
    """End the record of a call that Redis does not have, unless it has ended since it was read."""
    record.ended_at, record.ended_how = max(timezone.now(), record.started_at), UNTOLD
    with transaction.atomic():
        running = CallRecord.objects.filter(pk=record.pk, ended_at=None)
        if running.update(ended_at=record.ended_at, ended_how=record.ended_how):
            count_ended(record.pool_id, [record])


def _change(entry: StreamEntry) -> PoolChange:
    """Parse the entry. An unreadable one is logged and stored, and stops nothing."""
    try:
        return read_change(entry.fields, entry.at_us)
    except (ValueError, TypeError):
        logger.error("numbers: entry %s of a pool cannot be read: %r", entry.seq, entry.fields)
        return PoolChange(entry.at_us, "unreadable", more={"fields": dict(entry.fields)})


def _event(change: PoolChange) -> dict[str, Any]:
    beside = {
        "picked": change.picked,
        "since_us": change.since_us,
        "ready_us": change.ready_us,
        "incarnation": change.incarnation,
        "contact": change.contact,
        "answered": change.answered,
        "talk_seconds": change.talk_seconds,
        "cause": change.cause,
        **change.more,
    }
    return {
        "event": change.event[:32],
        "number": change.number[:33],
        "state_before": change.before[:16],
        "state_after": change.after[:16],
        "call_id": change.call_id[:128],
        "switch": change.switch[:64],
        "agent": change.agent[:64],
        "callee": change.callee[:64],
        "direction": change.direction[:3],
        "reason": change.reason[:200],
        "detail": {name: value for name, value in beside.items() if value},
    }


@dataclass
class _Calls:
    """The call records of one page: opened, closed, adopted; a few queries for any page length."""

    pool_id: int
    generation: int
    open: dict[str, CallRecord] = field(default_factory=dict)
    fresh: list[CallRecord] = field(default_factory=list)
    changed: dict[int, CallRecord] = field(default_factory=dict)
    ended: list[CallRecord] = field(default_factory=list)

    def write(self, changes: Sequence[tuple[StreamEntry, PoolChange]]) -> None:
        touched = {change.number for _, change in changes if change.begins_call or change.ends_call}
        self._load(touched)
        opened_us = 0
        for entry, change in changes:
            if change.begins_call:
                self._begin(entry, change)
            elif change.ends_call:
                self._end(entry, change)
            elif change.event == "opened":
                opened_us = entry.at_us
        sql_bulk.insert(CallRecord, [vars(record) for record in self.fresh])
        sql_bulk.update(CallRecord, [vars(record) for record in self.changed.values()], CHANGED)
        count_ended(self.pool_id, self.ended)
        if opened_us:
            self._close_unadopted(opened_us)
            transaction.on_commit(partial(note_opened, self.pool_id))

    def _load(self, numbers: set[str]) -> None:
        ordered = sorted(numbers)
        for start in range(0, len(ordered), BATCH):
            rows = CallRecord.objects.filter(
                pool_id=self.pool_id, number__in=ordered[start : start + BATCH], ended_at=None
            )
            for row in rows.order_by("started_at"):
                stale = self.open.get(row.number)
                if stale is not None:
                    self._close(stale, row.started_at, UNTOLD)
                self.open[row.number] = row

    def _begin(self, entry: StreamEntry, change: PoolChange) -> None:
        known = self.open.get(change.number)
        if known is not None:
            adopted = change.reason == "adopted" and known.call_id == change.call_id
            if adopted:
                known.generation, known.seq = self.generation, entry.seq
                self._note(known)
                return
            lost = known.generation != self.generation
            self._close(known, moment_of(entry.at_us), LOST if lost else UNTOLD)
        record = CallRecord(
            pool_id=self.pool_id,
            number=change.number,
            call_id=change.call_id[:128],
            direction=change.direction or "out",
            agent=change.agent[:64],
            callee=change.callee[:64],
            switch=change.switch[:64],
            started_at=moment_of(entry.at_us),
            generation=self.generation,
            seq=entry.seq,
        )
        self.open[change.number] = record
        self.fresh.append(record)

    def _end(self, entry: StreamEntry, change: PoolChange) -> None:
        record = self.open.pop(change.number, None)
        if record is not None:
            how = change.event if not change.reason else f"{change.event}: {change.reason}"
            record.cause = change.cause[:64]
            record.answered = {"1": True, "0": False}.get(change.answered)
            record.talk_seconds = int(change.talk_seconds) if change.talk_seconds else None
            self._close(record, moment_of(entry.at_us), how)

    def _close(self, record: CallRecord, ended_at: datetime, how: str) -> None:
        record.ended_at = max(ended_at, record.started_at)
        record.ended_how = how[:64]
        self.ended.append(record)
        self._note(record)

    def _note(self, record: CallRecord) -> None:
        if record.pk is not None:
            self.changed[record.pk] = record

    def _close_unadopted(self, opened_us: int) -> None:
        """Close the calls from before the recovery that no switch reported: the pool is open."""
        running = CallRecord.objects.filter(
            pool_id=self.pool_id, ended_at=None, generation__lt=self.generation
        )
        lost = list(running.select_for_update())
        for record in lost:
            record.ended_at = max(moment_of(opened_us), record.started_at)
        running.update(ended_at=Greatest("started_at", moment_of(opened_us)), ended_how=LOST)
        count_ended(self.pool_id, lost)


@dataclass
class _Membership:
    """Numbers that were added or deleted in Redis, by a switch or on its command line.

    The console writes SQL before Redis, so its entries change nothing here.
    """

    pool_id: int

    def write(self, changes: Sequence[tuple[StreamEntry, PoolChange]]) -> None:
        last: dict[str, tuple[str, int, bool]] = {}  # last event ("" = SQL's), time, unconfirmed?
        held: dict[str, tuple[str, int, str]] = {}
        registered: dict[str, tuple[bool, str]] = {}
        for entry, change in changes:
            if change.event in ("add", "del") and change.number:
                event = "" if change.follows_sql else change.event
                last[change.number] = (event, entry.at_us, "u" in change.after[2:])
            elif change.event in ("quarantined", "unquarantined") and not is_leaving(change.reason):
                held[change.number] = (change.event, entry.at_us, change.reason)
            elif change.event in ("reg", "unreg") and change.number:
                up = change.after[1:2] == "u"
                registered[change.number] = (up, change.contact[:256] if up else "")
        self._delete({number: us for number, (event, us, _) in last.items() if event == "del"})
        self._add({number: us for number, (event, us, _) in last.items() if event == "add"})
        confirm_after_commit(
            self.pool_id, {number: us for number, (_, us, asks) in last.items() if asks}
        )
        self._hold(held)
        self._register(registered)

    def _delete(self, gone: dict[str, int]) -> None:
        """Delete rows, except those that were created after the deletion."""
        for start in range(0, len(gone), BATCH):
            values = sorted(gone)[start : start + BATCH]
            rows = Number.objects.filter(pool_id=self.pool_id, value__in=values)
            keys = [row.pk for row in rows if row.created_at <= moment_of(gone[row.value])]
            NumberTag.objects.filter(number_id__in=keys).delete()
            Number.objects.filter(pk__in=keys).delete()

    def _add(self, came: dict[str, int]) -> None:
        """Add rows, except for numbers whose line SQL has elsewhere, in any format."""
        if not came:
            return
        pool = Pool.all_objects.get(pk=self.pool_id)
        for start in range(0, len(came), BATCH):
            wanted = sorted(came)[start : start + BATCH]
            mine = Number.objects.filter(pool=pool, value__in=wanted)
            known = {*mine.values_list("value", flat=True), *twins_known(pool, wanted)}
            rows = [
                self._row(value, canonical(value, pool.home_country), came[value])
                for value in wanted
                if value not in known
            ]
            Number.objects.bulk_create(rows, ignore_conflicts=True)
            # Read after the insert: of two concurrent drains, or two formats, one came first.
            foreign = twins_known(pool, wanted)
            ours = [row for row in rows if row.value not in foreign]
            if aliases_of(ours):
                send_after_commit(pool, partial(write_aliases, pool, ours))
            if foreign:
                transaction.on_commit(partial(note_foreign, self.pool_id, sorted(foreign)))

    def _row(self, value: str, one: str, us: int) -> Number:
        known = regions.labels(one)
        return Number(
            pool_id=self.pool_id,
            value=value,
            canonical=one,
            region=known.region,
            carrier=known.carrier,
            created_at=moment_of(us),
        )

    def _register(self, registered: dict[str, tuple[bool, str]]) -> None:
        """Store registrations, from which a rebuilt pool starts. One contact represents all."""
        values = sorted(registered)
        for start in range(0, len(values), BATCH):
            rows = Number.objects.filter(
                pool_id=self.pool_id, value__in=values[start : start + BATCH]
            )
            changed = []
            for row in rows.only("pk", "value", "is_up", "contact"):
                if (row.is_up, row.contact) != registered[row.value]:
                    row.is_up, row.contact = registered[row.value]
                    changed.append(row)
            sql_bulk.update(Number, [vars(row) for row in changed], ["is_up", "contact"])

    def _hold(self, held: dict[str, tuple[str, int, str]]) -> None:
        numbers = Number.objects.filter(pool_id=self.pool_id)
        for value, (event, us, reason) in held.items():
            row = numbers.filter(value=value)
            if event == "quarantined":
                row.filter(quarantined_at=None).update(
                    quarantined_at=moment_of(us),
                    quarantined_reason=reason[:200],
                    quarantined_until=None,
                )
            else:
                row.filter(quarantined_at__lte=moment_of(us)).update(**NOT_QUARANTINED)
