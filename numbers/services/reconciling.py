"""SQL and Redis compared, number by number, and brought together.

Whoever adds, deletes or holds a number writes SQL first, so SQL is right about which numbers
there are; Redis is right about calls. What differs at first sight is looked at again after
the history has been drained: an entry that was still under way is no drift.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from numbers import pool as door
from numbers.models import CallRecord, Number, Pool, UnsentChange
from numbers.services.adding import load_numbers, write_aliases
from numbers.services.common import chunks, settings_of
from numbers.services.confirming import confirm_states
from numbers.services.foreign import INCIDENT as FOREIGN_INCIDENT
from numbers.services.foreign import note_foreign
from numbers.services.owners import calls_of_others, place_of, twins_known
from numbers.services.pools import apply_pause, apply_settings
from numbers.services.records import close_untold
from numbers.services.removing import remove_numbers
from numbers.services.reports import (
    CALL_OVER,
    CALL_UNKNOWN,
    EXTRA,
    MISSING,
    QUARANTINE,
    SETTINGS,
    STATUS,
    UNCONFIRMED,
    Report,
)
from numbers.services.scanning import Page, scan_structure
from poolsite import access, history, hotpath
from poolsite.access.services.actor import Actor
from poolsite.history import Aggregate
from poolsite.moments import moment_of
from poolsite.operations import incidents

logger = logging.getLogger(__name__)

KIND = "numbers.pool"
COLUMNS = (
    "value",
    "canonical",
    "is_up",
    "contact",
    "quarantined_at",
    "quarantined_reason",
    "pool_id",
)
LOOKS = 3
IN_FLIGHT_SECONDS = 15


def pool_reconcile(
    *, pool: Pool, check: bool, actor: Actor = "numbers.reconcile", reason: str = ""
) -> Report:
    """Compare a pool's SQL and Redis; unless `check`, bring them together.

    Reads every number once, in pages; memory does not grow with the pool. Mending is audited
    when it changed something. Raises the runner's errors.
    """
    figures = hotpath.run(door.show(pool.slug))
    report = Report(pool.slug)
    if figures is None or figures.generation != pool.generation:
        report.status = "lost"
        return report
    report.status = figures.status
    drain(pool)
    if not check:
        _write_aliases(pool)
    _Comparison(pool, report, mend=not check).run()
    report.mended = not check
    if report.foreign:
        note_foreign(pool.pk, list(report.foreign))
    else:
        incidents.close(type=FOREIGN_INCIDENT, object=pool.slug)
    if report.mended and report.drift:
        with transaction.atomic():
            access.audit(
                actor=actor,
                action="numbers.pool_reconcile",
                thing=pool,
                after={"drift": report.drift, "samples": report.samples},
                reason=reason,
            )
    return report


def _write_aliases(pool: Pool) -> None:
    """Let Redis find every number that is stored in another spelling than its canonical form."""
    rows = Number.objects.filter(pool=pool, canonical__isnull=False)
    rows = rows.exclude(canonical=F("value")).order_by("value").only("value", "canonical")
    after = ""
    while page := list(rows.filter(value__gt=after)[: door.ROWS_LIMIT]):
        write_aliases(pool, page)
        after = page[-1].value


def drain(pool: Pool) -> None:
    """Bring the history into SQL up to now, as far as it goes in a few rounds."""
    for _ in range(10):
        if not history.drain(KIND, Aggregate(pool.tag, pool.pk)).lag:
            return


class _Comparison:
    """One walk, both ways: Redis' numbers looked up in SQL, and SQL's in Redis."""

    def __init__(self, pool: Pool, report: Report, *, mend: bool) -> None:
        self.pool, self.report, self.mend = pool, report, mend
        self._running: dict[str, CallRecord] = {}
        self._matched = 0

    def run(self) -> None:
        """Fill the report; mend on the way."""
        # As many as calls run; asked once, for the first look.
        running = CallRecord.objects.filter(pool=self.pool, ended_at=None)
        self._running = {row.number: row for row in running.iterator()}
        suspects: set[str] = set()
        problems = scan_structure(
            self.pool.slug, mend=self.mend, look=lambda page: suspects.update(self._look(page))
        )
        for problem, count in problems.counts.items():
            self.report.drift[problem] = count
            self.report.samples[problem] = problems.samples[problem]
        if Number.objects.filter(pool=self.pool).count() != self._matched:
            suspects.update(self._not_in_redis())
        suspects.update(self._open_records())
        for chunk in chunks(sorted(suspects)):
            self._judge(chunk)
        self._settings()

    # -- first sight --------------------------------------------------------------------------

    def _look(self, states: Page) -> set[str]:
        """Numbers of a part of Redis that SQL sees otherwise."""
        self.report.numbers += len(states)
        rows = self._rows(list(states))
        self._matched += len(rows)
        return {
            value
            for value, state in states.items()
            if self._differs(state, rows.get(value), self._running.get(value))
        }

    def _differing(self, values: Sequence[str], states: Page) -> set[str]:
        rows, calls = self._rows(values), self._calls(values)
        return {
            value
            for value in values
            if self._differs(states.get(value), rows.get(value), calls.get(value))
        }

    def _differs(
        self, state: door.NumberState | None, row: Number | None, call: CallRecord | None
    ) -> bool:
        if (state is None) != (row is None) or self._held_otherwise(state, row):
            return True
        if state is not None and state.unconfirmed:
            return True
        return self._call_differs(state, call)

    @staticmethod
    def _held_otherwise(state: door.NumberState | None, row: Number | None) -> bool:
        if state is None or row is None or not state.readable:
            return False
        return state.quarantined != (row.quarantined_at is not None)

    @staticmethod
    def _call_differs(state: door.NumberState | None, record: CallRecord | None) -> bool:
        if state is None or "x" in state.held:
            return False  # a deleted number's old call: its record stays open
        if not state.busy or state.call is None:
            return record is not None
        return record is None or record.call_id != state.call.call_id

    def _not_in_redis(self) -> set[str]:
        """SQL's numbers, page by page, that Redis does not have."""
        found: set[str] = set()
        after = ""
        while True:
            values = list(
                Number.objects.filter(pool=self.pool, value__gt=after)
                .order_by("value")
                .values_list("value", flat=True)[: door.ROWS_LIMIT]
            )
            if not values:
                return found
            states = self._states(values)
            found.update(value for value in values if value not in states)
            after = values[-1]

    def _open_records(self) -> set[str]:
        """Numbers whose calls SQL thinks are running; there are as many as calls."""
        rows = CallRecord.objects.filter(pool=self.pool, ended_at=None)
        values = sorted(set(rows.values_list("number", flat=True)))
        found: set[str] = set()
        for chunk in chunks(values):
            states = self._states(chunk)
            known = {value: states.get(value) for value in chunk}
            found.update(
                value
                for value, record in self._calls(chunk).items()
                if known[value] is not None and self._call_differs(known[value], record)
            )
        return found

    # -- second sight -------------------------------------------------------------------------

    def _judge(self, values: Sequence[str]) -> None:
        """Look again at what differed, after the history has caught up; then mend what stays.

        Calls go on meanwhile, so only what was so before the drain and is so after it is drift:
        a call that Redis has, or one that SQL has open.
        """
        known: dict[str, CallRecord] = {}
        before: dict[str, door.NumberState] = {}
        for _ in range(LOOKS):
            known, before = self._calls(values), self._states(values)
            drain(self.pool)
            values = sorted(self._differing(values, before))
            if not values or not self._in_flight():
                break
        if not values:
            return
        states = self._states(values)
        rows, calls = self._rows(values), self._calls(values)
        self._membership(values, states, rows)
        self._confirm(values, states, rows)
        held = [
            value for value in values if self._held_otherwise(states.get(value), rows.get(value))
        ]
        if held:
            self.report.add(QUARANTINE, held)
            if self.mend:
                self._hold(held, rows)
        self._mend_over(
            [
                record
                for value, record in calls.items()
                if value in known and known[value].pk == record.pk
                if record.call_id not in (_call_of(before.get(value)), _call_of(states.get(value)))
                if self._call_differs(states.get(value), record)
            ]
        )
        self._mend_unknown(
            [
                state
                for value, state in states.items()
                if _call_of(state) is not None and _call_of(state) == _call_of(before.get(value))
                if self._call_differs(state, calls.get(value))
            ]
        )

    def _membership(
        self, values: Sequence[str], states: dict[str, door.NumberState], rows: dict[str, Number]
    ) -> None:
        missing = [value for value in values if value in rows and value not in states]
        extra = [value for value in values if value in states and value not in rows]
        owners = twins_known(self.pool, extra)
        homes = {value: place_of(value, owner) for value, owner in owners.items()}
        self.report.foreign |= homes
        extra = [value for value in extra if value not in homes]
        elsewhere = calls_of_others(self.pool, missing)
        missing = [value for value in missing if value not in elsewhere]
        self.report.add(MISSING, missing)
        self.report.add(EXTRA, extra)
        if self.mend and missing:
            load_numbers(self.pool, [rows[value] for value in missing])
        if self.mend and extra:
            remove_numbers(self.pool, extra)

    def _confirm(
        self, values: Sequence[str], states: dict[str, door.NumberState], rows: dict[str, Number]
    ) -> None:
        """Numbers that SQL has here, and of which nobody told Redis."""
        waiting = [value for value in values if value in rows and value in states]
        waiting = [value for value in waiting if states[value].unconfirmed]
        busy = calls_of_others(self.pool, waiting)
        waiting = [value for value in waiting if value not in busy]
        self.report.add(UNCONFIRMED, waiting)
        if self.mend:
            confirm_states(self.pool, [states[value] for value in waiting])

    def _hold(self, values: Sequence[str], rows: dict[str, Number]) -> None:
        for value in values:
            row = rows[value]
            if row.quarantined_at is not None:
                why = row.quarantined_reason or "quarantined"
                hotpath.run(door.quarantine(self.pool.slug, [value], why))
            else:
                hotpath.run(door.unquarantine(self.pool.slug, [value], "reconciled"))

    def _mend_over(self, records: Sequence[CallRecord]) -> None:
        """Calls that are open in SQL alone."""
        self.report.add(CALL_OVER, [record.number for record in records])
        if self.mend:
            for record in records:
                close_untold(record)

    def _mend_unknown(self, states: Sequence[door.NumberState]) -> None:
        """Calls that Redis alone has."""
        self.report.add(CALL_UNKNOWN, [state.number for state in states])
        for state in states:
            if self.mend and state.call is not None:
                self._record(state, state.call)

    def _record(self, state: door.NumberState, call: door.Call) -> None:
        """A call whose beginning the history lost; its start in µs stands for its entry."""
        CallRecord.objects.get_or_create(
            pool=self.pool,
            generation=self.pool.generation,
            seq=state.since_us,
            defaults={
                "number": state.number,
                "call_id": call.call_id,
                "direction": call.direction,
                "agent": call.agent,
                "callee": call.callee,
                "switch": call.switch,
                "started_at": moment_of(state.since_us),
            },
        )

    def _settings(self) -> None:
        figures = hotpath.run(door.show(self.pool.slug))
        if figures is None:
            return
        self.pool.refresh_from_db()
        wanted = settings_of(self.pool)
        same = figures.settings.columns()[:-20] == wanted.columns()[:-20]
        if not same or figures.settings.beside() != wanted.beside():
            self.report.add(SETTINGS, [self.pool.slug])
            if self.mend:
                apply_settings(self.pool)
        paused = self.pool.paused_at is not None
        if figures.status in ("open", "paused") and (figures.status == "paused") != paused:
            self.report.add(STATUS, [self.pool.slug])
            if self.mend:
                apply_pause(self.pool)

    # -- reading ----------------------------------------------------------------------------------

    def _states(self, values: Sequence[str]) -> dict[str, door.NumberState]:
        found: dict[str, door.NumberState] = {}
        for chunk in chunks(values):
            part = hotpath.run(door.states(self.pool.slug, chunk))
            found |= part.by_number if part is not None else {}
        return found

    def _rows(self, values: Sequence[str]) -> dict[str, Number]:
        rows: dict[str, Number] = {}
        for chunk in chunks(values):
            found = Number.objects.filter(pool=self.pool, value__in=chunk)
            rows |= {row.value: row for row in found.only(*COLUMNS)}
        return rows

    def _calls(self, values: Sequence[str]) -> dict[str, CallRecord]:
        calls: dict[str, CallRecord] = {}
        for chunk in chunks(values):
            found = CallRecord.objects.filter(pool=self.pool, number__in=chunk, ended_at=None)
            calls |= {row.number: row for row in found}
        return calls

    def _in_flight(self) -> bool:
        """Whether a service is just now writing both sides."""
        young = timezone.now() - timedelta(seconds=IN_FLIGHT_SECONDS)
        return UnsentChange.objects.filter(pool=self.pool, created_at__gte=young).exists()


def _call_of(state: door.NumberState | None) -> str | None:
    """The id of the call that a number is in; None = it is in none."""
    return state.call.call_id if state is not None and state.busy and state.call else None
