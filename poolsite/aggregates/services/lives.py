"""The verbs of an aggregate: create, configure, pause, resume, open early, delete.

An app declares a `Life` and calls it from a service for each verb. The service names the action, so
that each action of the audit log is in the app's own source. Each verb changes SQL and writes the
audit entry in one transaction. Redis is changed after the commit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.access.models.tenants import refuse_reserved
from poolsite.access.services import aggregates
from poolsite.access.services.actor import clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.hotpath import rows
from poolsite.hotpath.rows import AggregateRow, PausableRow

A = TypeVar("A", bound=AggregateRow)
P = TypeVar("P", bound=PausableRow)


class ScriptSettings(Protocol):
    """An aggregate's settings as its scripts take them."""

    def columns(self) -> object:
        """Return the values for Redis. Raise ValueError or TypeError if one can't be written."""


@dataclass(frozen=True, kw_only=True)
class Life(Generic[A]):
    """The verbs of one kind.

    settings: the names that may be given.
    may_create, may_change: the required rights.
    taken: the error for a slug that an aggregate has or had.
    raced: the error for a slug that was taken at the same moment.
    settings_of: the row's settings for its scripts.
    check: raises ValidationError for what no single field can check.
    begin: creates the data in Redis.
    apply: sends Redis the settings with these names.
    after_commit: marks the row, and calls the function once the transaction is committed.
    close: raises an error while the aggregate is in use, otherwise closes it to new use; gets the
        reason.
    told: the details in the audit entry of a deletion apart from the name.
    forget: called in the transaction of the deletion.
    """

    model: type[A]
    settings: Sequence[str]
    may_create: str
    may_change: str
    taken: Any
    raced: Any
    settings_of: Callable[[A], ScriptSettings]
    begin: Callable[[A], None]
    apply: Callable[[A, Sequence[str]], None]
    after_commit: Callable[[A, Callable[[], object]], None]
    close: Callable[[A, str], None]
    forget: Callable[[A], object]
    check: Callable[[A], None] = lambda row: None
    told: Callable[[A], Mapping[str, Any]] = lambda row: {}

    def create(
        self, act: Act, *, slug: str, name: str, account: Account | None, settings: dict[str, Any]
    ) -> A:
        """Create an aggregate in SQL, then in Redis. Raise ValidationError if a field is invalid.

        A slug that an aggregate has or had is refused: years of history name it.
        """
        require(act.actor, self.may_create)
        act = _cleaned(act)
        aggregates.require_known(settings, self.settings)
        name, generation = name.strip() or slug, hotpath.generation_new()
        row = self.model(slug=slug, name=name, account=account, generation=generation, **settings)
        refuse_reserved(slug)
        self.full_clean(row)
        if self._rows("all_objects").filter(slug=slug).exists():
            raise ValidationError({"slug": self.taken})
        try:
            with transaction.atomic():
                row.save(force_insert=True)
                act.write(row, None, {"slug": slug, "name": row.name, **settings})
                self.after_commit(row, lambda: self.begin(row))
        except IntegrityError:
            raise ValidationError(self.raced) from None
        return row

    def configure(
        self,
        row: A,
        act: Act,
        changes: Mapping[str, Any],
        prepare: Callable[[A], None] = lambda row: None,
    ) -> A:
        """Change settings, in SQL and then in Redis. prepare: called with the locked row first."""
        require(act.actor, self.may_change, row)
        aggregates.require_known(changes, self.settings)
        act = _cleaned(act)
        with transaction.atomic():
            row = self.locked(row)
            prepare(row)
            changed = aggregates.configure(row, changes, self.full_clean, act)
            if changed:
                self.after_commit(row, lambda: self.apply(row, changed))
        return row

    def delete(self, row: A, act: Act) -> None:
        """Delete the aggregate. Its history stays, and its slug is not available again.

        Redis is closed first, so that nothing begins meanwhile.
        """
        require(act.actor, self.may_change, row)
        act = _cleaned(act, needed=True)
        self.close(row, act.reason)
        with transaction.atomic():
            row = self.locked(row)
            aggregates.delete(row, act, **self.told(row))
            self.forget(row)

    def full_clean(self, row: A) -> None:
        """Raise ValidationError if the row must not be saved."""
        row.full_clean(validate_unique=False, validate_constraints=False)
        try:
            self.settings_of(row).columns()
        except (TypeError, ValueError) as error:
            raise ValidationError(str(error)) from None
        self.check(row)

    def locked(self, row: A) -> A:
        """Return the current row, locked until the transaction ends."""
        found: A = rows.locked(self._rows("objects"), row)
        return found

    def _rows(self, manager: str) -> Any:
        return getattr(self.model, manager)  # AggregateRow asks its subclasses for both


@dataclass(frozen=True, kw_only=True)
class PausableLife(Life[P]):
    """The verbs of a kind that an operator may pause.

    apply_pause: pauses or resumes in Redis, according to SQL. open_now: opens a recovering
    aggregate for a reason; returns whether it was open already.
    """

    apply_pause: Callable[[P], None]
    open_now: Callable[[P, str], bool]

    def pause(self, row: P, act: Act) -> P:
        """Pause the aggregate until it is resumed. What runs continues. A reason is required."""
        return self._change(row, act, aggregates.pause, needed=True)

    def resume(self, row: P, act: Act) -> P:
        """Resume the aggregate."""
        return self._change(row, act, aggregates.resume)

    def _change(
        self, row: P, act: Act, change: Callable[[P, Act], bool], *, needed: bool = False
    ) -> P:
        require(act.actor, self.may_change, row)
        act = _cleaned(act, needed=needed)
        with transaction.atomic():
            row = self.locked(row)
            if change(row, act):
                self.after_commit(row, lambda: self.apply_pause(row))
        return row

    def open_early(self, row: P, act: Act) -> P:
        """Open a recovering aggregate before it is safe. A reason is required.

        Raise the runner's errors.
        """
        require(act.actor, self.may_change, row)
        act = _cleaned(act, needed=True)
        was_open = self.open_now(row, act.reason)
        with transaction.atomic():
            row = self.locked(row)
            aggregates.open_early(row, act, was_open=was_open)
        return row


def _cleaned(act: Act, *, needed: bool = False) -> Act:
    """Return the act with a cleaned reason. Raise ValidationError if a needed one is missing."""
    return replace(act, reason=clean_reason(act.reason, needed=needed))
