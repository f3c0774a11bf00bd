"""The life of an aggregate: created, configured, paused, resumed, opened early, deleted.

An app declares a `Life` and calls it from a service of each verb. The service names the action, so
that each action of the audit log stands in the app's own source. Each verb changes SQL and writes
the audit entry in one transaction; what Redis is told follows its commit.
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
        """What Redis is given. ValueError or TypeError when a value cannot be written."""


@dataclass(frozen=True, kw_only=True)
class Life(Generic[A]):
    """One kind's verbs.

    settings: the names that may be given. may_create, may_change: the rights that are required.
    taken: said of a slug that one has or had; raced: of one that another has just taken.
    settings_of: the row's settings for its scripts. check: raises ValidationError for what no field
    can see. begin: makes the data in Redis. apply: tells Redis of the settings with these names.
    after_commit: marks the row, and calls the function once the transaction is committed.
    close: refuses while it is in use, else lets nobody in; gets the reason. told: what the audit
    entry of its deletion says besides the name. forget: called in the transaction of its deletion.
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
        """Make one, in SQL and then in Redis. ValidationError when a field is bad.

        A slug that one has or had is refused: years of history name it.
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
        """Delete it. Its history stays; its slug is not given out again.

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
        """Raise ValidationError when the row must not be saved."""
        row.full_clean(validate_unique=False, validate_constraints=False)
        try:
            self.settings_of(row).columns()
        except (TypeError, ValueError) as error:
            raise ValidationError(str(error)) from None
        self.check(row)

    def locked(self, row: A) -> A:
        """The row as it is now, locked until the transaction ends."""
        found: A = rows.locked(self._rows("objects"), row)
        return found

    def _rows(self, manager: str) -> Any:
        return getattr(self.model, manager)  # AggregateRow asks its subclasses for both


@dataclass(frozen=True, kw_only=True)
class PausableLife(Life[P]):
    """The verbs of a kind that an operator may pause.

    apply_pause: pauses or resumes in Redis as SQL says. open_now: opens a recovering one for a
    reason; returns whether it was open.
    """

    apply_pause: Callable[[P], None]
    open_now: Callable[[P, str], bool]

    def pause(self, row: P, act: Act) -> P:
        """Pause it until it is resumed; what runs is not touched. A reason is needed."""
        return self._change(row, act, aggregates.pause, needed=True)

    def resume(self, row: P, act: Act) -> P:
        """Let it go on."""
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
        """Open a recovering one before it is safe: hence the reason. Raises the runner's errors."""
        require(act.actor, self.may_change, row)
        act = _cleaned(act, needed=True)
        was_open = self.open_now(row, act.reason)
        with transaction.atomic():
            row = self.locked(row)
            aggregates.open_early(row, act, was_open=was_open)
        return row


def _cleaned(act: Act, *, needed: bool = False) -> Act:
    """The act with its reason cleaned; ValidationError when one is needed and there is none."""
    return replace(act, reason=clean_reason(act.reason, needed=needed))
