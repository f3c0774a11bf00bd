"""Compares a pool's numbers and calls in SQL and in Redis."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from numbers import pool as commands
from numbers.models import CallRecord, Number, Pool, UnsentChange
from numbers.services.common import KIND, chunks
from numbers.services.mending import Mending
from numbers.services.reports import PoolReport
from numbers.services.scanning import Page, scan_structure
from poolsite import history, hotpath
from poolsite.history import Aggregate

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


def drain(pool: Pool) -> None:
    """Write the history to SQL up to now, as far as a few rounds suffice."""
    for _ in range(10):
        if not history.drain(KIND, Aggregate(pool.tag, pool.pk)).lag:
            return


class Comparison:
    """One walk in both directions: Redis' numbers looked up in SQL, and SQL's in Redis."""

    def __init__(self, pool: Pool, report: PoolReport, *, mend: bool) -> None:
        self.pool, self.report, self.mend = pool, report, mend
        self._mending = Mending(pool, report, mend=mend)
        self._running: dict[str, CallRecord] = {}
        self._matched = 0

    def run(self) -> None:
        """Fill the report, and mend differences if asked to."""
        # One row per call in progress. Read once, for the first pass.
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
        self._mending.settings()

    # -- first pass ---------------------------------------------------------------------------

    def _look(self, states: Page) -> set[str]:
        """The numbers of a part of Redis whose state in SQL differs."""
        self.report.numbers += len(states)
        rows = self._rows(list(states))
        self._matched += len(rows)
        return {
            value
            for value, state in states.items()
            if _differs(state, rows.get(value), self._running.get(value))
        }

    def _differing(self, values: Sequence[str], states: Page) -> set[str]:
        rows, calls = self._rows(values), self._calls(values)
        return {
            value
            for value in values
            if _differs(states.get(value), rows.get(value), calls.get(value))
        }

    def _not_in_redis(self) -> set[str]:
        """SQL's numbers that Redis does not have, read page by page."""
        found: set[str] = set()
        after = ""
        while True:
            values = list(
                Number.objects.filter(pool=self.pool, value__gt=after)
                .order_by("value")
                .values_list("value", flat=True)[: commands.ROWS_LIMIT]
            )
            if not values:
                return found
            states = self._states(values)
            found.update(value for value in values if value not in states)
            after = values[-1]

    def _open_records(self) -> set[str]:
        """Numbers with an open call record that Redis contradicts. There are as many as calls."""
        rows = CallRecord.objects.filter(pool=self.pool, ended_at=None)
        values = sorted(set(rows.values_list("number", flat=True)))
        found: set[str] = set()
        for chunk in chunks(values):
            states = self._states(chunk)
            known = {value: states.get(value) for value in chunk}
            found.update(
                value
                for value, record in self._calls(chunk).items()
                if known[value] is not None and _call_differs(known[value], record)
            )
        return found

    # -- second pass --------------------------------------------------------------------------

    def _judge(self, values: Sequence[str]) -> None:
        """Check again what differed, after the history has caught up, then mend the rest.

        Calls continue meanwhile. So only a difference that exists before and after the drain counts
        as drift: a call that Redis has, or one that is open in SQL.
        """
        known: dict[str, CallRecord] = {}
        before: dict[str, commands.NumberState] = {}
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
        self._mending.membership(values, states, rows)
        self._mending.confirm(values, states, rows)
        self._mending.held(
            [value for value in values if _held_otherwise(states.get(value), rows.get(value))], rows
        )
        self._mending.calls_over(
            [
                record
                for value, record in calls.items()
                if value in known and known[value].pk == record.pk
                if record.call_id not in (_call_of(before.get(value)), _call_of(states.get(value)))
                if _call_differs(states.get(value), record)
            ]
        )
        self._mending.calls_unknown(
            [
                state
                for value, state in states.items()
                if _call_of(state) is not None and _call_of(state) == _call_of(before.get(value))
                if _call_differs(state, calls.get(value))
            ]
        )

    # -- reading ----------------------------------------------------------------------------------

    def _states(self, values: Sequence[str]) -> dict[str, commands.NumberState]:
        found: dict[str, commands.NumberState] = {}
        for chunk in chunks(values):
            part = hotpath.run(commands.states(self.pool.slug, chunk))
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
        """Whether a service is currently writing both sides."""
        young = timezone.now() - timedelta(seconds=IN_FLIGHT_SECONDS)
        return UnsentChange.objects.filter(pool=self.pool, created_at__gte=young).exists()


def _differs(
    state: commands.NumberState | None, row: Number | None, call: CallRecord | None
) -> bool:
    if (state is None) != (row is None) or _held_otherwise(state, row):
        return True
    if state is not None and state.unconfirmed:
        return True
    return _call_differs(state, call)


def _held_otherwise(state: commands.NumberState | None, row: Number | None) -> bool:
    if state is None or row is None or not state.readable:
        return False
    return state.quarantined != (row.quarantined_at is not None)


def _call_differs(state: commands.NumberState | None, record: CallRecord | None) -> bool:
    if state is None or "x" in state.held:
        return False  # a deleted number's old call: its record stays open
    if not state.busy or state.call is None:
        return record is not None
    return record is None or record.call_id != state.call.call_id


def _call_of(state: commands.NumberState | None) -> str | None:
    """The ID of a number's call, or None if it is not in a call."""
    return state.call.call_id if state is not None and state.busy and state.call else None
