"""The repairs of reconcile: SQL is right about the numbers, Redis about the calls."""

from collections.abc import Sequence

from numbers import pool as commands
from numbers.models import CallRecord, Number, Pool
from numbers.services.common import is_leaving, settings_of
from numbers.services.confirming import confirm_states, load_when_free
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
    PoolReport,
)
from poolsite import hotpath
from poolsite.moments import moment_of

States = dict[str, commands.NumberState]


class Mending:
    """Adds certain differences to the report. With `mend`, repairs them."""

    def __init__(self, pool: Pool, report: PoolReport, *, mend: bool) -> None:
        self.pool, self.report, self.mend = pool, report, mend

    def membership(self, values: Sequence[str], states: States, rows: dict[str, Number]) -> None:
        """Numbers that only one side has, except those whose calls are in another pool."""
        missing = [value for value in values if value in rows and value not in states]
        extra = [value for value in values if value in states and value not in rows]
        gone = [value for value in extra if is_leaving(states[value].quarantine_reason)]
        owners = twins_known(self.pool, [value for value in extra if value not in gone])
        homes = {value: place_of(value, owner) for value, owner in owners.items()}
        self.report.foreign |= homes
        extra = [value for value in extra if value not in homes]
        elsewhere = calls_of_others(self.pool, missing)
        self.report.add(MISSING, [value for value in missing if value not in elsewhere])
        self.report.add(EXTRA, extra)
        if self.mend and missing:
            load_when_free(self.pool, [rows[value] for value in missing])
        if self.mend and extra:
            remove_numbers(self.pool, extra)

    def confirm(self, values: Sequence[str], states: States, rows: dict[str, Number]) -> None:
        """Numbers that SQL has here, and that Redis has as unconfirmed."""
        waiting = [value for value in values if value in rows and value in states]
        waiting = [value for value in waiting if states[value].unconfirmed]
        busy = calls_of_others(self.pool, waiting)
        waiting = [value for value in waiting if value not in busy]
        self.report.add(UNCONFIRMED, waiting)
        if self.mend:
            confirm_states(self.pool, [states[value] for value in waiting])

    def held(self, values: Sequence[str], rows: dict[str, Number]) -> None:
        """Numbers that only one side has in quarantine."""
        if not values:
            return
        self.report.add(QUARANTINE, values)
        if self.mend:
            self._hold(values, rows)

    def _hold(self, values: Sequence[str], rows: dict[str, Number]) -> None:
        for value in values:
            row = rows[value]
            if row.quarantined_at is not None:
                why = row.quarantined_reason or "quarantined"
                hotpath.run(commands.quarantine(self.pool.slug, [value], why))
            else:
                hotpath.run(commands.unquarantine(self.pool.slug, [value], "reconciled"))

    def calls_over(self, records: Sequence[CallRecord]) -> None:
        """Calls that are open only in SQL."""
        self.report.add(CALL_OVER, [record.number for record in records])
        if self.mend:
            for record in records:
                close_untold(record)

    def calls_unknown(self, states: Sequence[commands.NumberState]) -> None:
        """Calls that only Redis has."""
        self.report.add(CALL_UNKNOWN, [state.number for state in states])
        for state in states:
            if self.mend and state.call is not None:
                self._record(state, state.call)

    def _record(self, state: commands.NumberState, call: commands.Call) -> None:
        """Record a call whose start the history lost. `seq` is its start in µs."""
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

    def settings(self) -> None:
        """The settings, and whether the pool is paused."""
        figures = hotpath.run(commands.show(self.pool.slug))
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
