"""An aggregate's row in SQL: its common columns, and how a change of it reaches Redis.

The models of apps subclass these classes. `poolsite.hotpath` itself loads without models.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.hotpath.aggregates import AggregateFigures
from poolsite.hotpath.commands import Command
from poolsite.hotpath.errors import HotPathError

SLUG_PATTERN = r"^[a-z0-9-]{1,40}\Z"
UNSENT_SECONDS = 15  # a change that is not sent by then belongs to a process that died
Row = TypeVar("Row", bound=models.Model)
Aggregate = TypeVar("Aggregate", bound="RedisRow")
F = TypeVar("F")
logger = logging.getLogger(__name__)


class Living(models.Manager[Row]):
    """Rows that were not deleted."""

    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(deleted_at=None)


class RedisRow(models.Model):
    """What the functions here need of an aggregate's row: AggregateRow, or a model that defines
    these columns itself.
    """

    slug: "models.CharField[Any, str]"
    generation: "models.PositiveBigIntegerField[Any, int]"
    recovering_since: "models.DateTimeField[Any, datetime | None]"

    class Meta:
        abstract = True

    if TYPE_CHECKING:

        @property
        def tag(self) -> str:
            """The aggregate's Redis tag, with its braces."""


class AggregateRow(RedisRow):
    """Base of an aggregate's row. Subclass it and add `account`, `tag`, and as managers `objects =
    Living["…"]()` and `all_objects`.

    A deleted aggregate keeps its row and slug, because years of history name it.
    """

    account_id: int | None
    slug = models.CharField(
        _("slug"),
        max_length=40,
        unique=True,
        validators=[
            RegexValidator(SLUG_PATTERN, _("Use 1 to 40 of the characters a-z, 0-9 and -."))
        ],
    )
    name = models.CharField(_("name"), max_length=120)
    description = models.TextField(_("description"), blank=True)
    log_limit = models.PositiveIntegerField(
        _("backlog limit (entries)"),
        default=1_000_000,
        validators=[MinValueValidator(1_000)],
        help_text=_("How many history entries Redis keeps while SQL can't accept them."),
    )
    generation = models.PositiveBigIntegerField(_("generation"), default=1)
    recovering_since = models.DateTimeField(_("recovering since"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    deleted_at = models.DateTimeField(_("deleted at"), null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name or self.slug


class PausableRow(AggregateRow):
    """Base of the row of an aggregate that an operator may pause, with a reason."""

    paused_at = models.DateTimeField(_("paused at"), null=True, blank=True)
    paused_by = models.CharField(_("paused by"), max_length=150, blank=True)
    paused_reason = models.CharField(_("reason for the pause"), max_length=200, blank=True)

    class Meta:
        abstract = True


class PartRow(models.Model):
    """Base of the row of a part of an aggregate. A right to the aggregate is a right to its parts.

    `part_of` is the path from here to the aggregate's row: "pool" or "queue.desk".
    """

    part_of: ClassVar[str]

    class Meta:
        abstract = True

    @property
    def account_id(self) -> int | None:
        """The tenant: the account of the aggregate."""
        account_id: int | None = self._whole.account_id
        return account_id

    @property
    def access_ref(self) -> str:
        """The reference that grants and tokens use: that of the aggregate."""
        return f"{self._whole.access_kind}:{self._whole.slug}"

    @property
    def _whole(self) -> Any:
        return attrgetter(self.part_of)(self)


class UnsentMark(models.Model):
    """Base of the marks of changes that are in SQL and perhaps not yet in Redis. Subclass it and
    add a foreign key to the aggregate's row. An old mark shows what a dead process left unsent.
    """

    created_at = models.DateTimeField(_("created at"), default=timezone.now, db_index=True)

    class Meta:
        abstract = True
        verbose_name = _("unsent change")
        verbose_name_plural = _("unsent changes")


class AggregateSample(models.Model):
    """Base of what is recorded of an aggregate at the end of each minute. Subclass it and add a
    foreign key to the aggregate's row, and the figures.
    """

    minute = models.DateTimeField(_("minute"))
    generation = models.PositiveBigIntegerField(_("generation"), default=0)

    class Meta:
        abstract = True
        verbose_name = _("minute sample")
        verbose_name_plural = _("minute samples")


def with_figures(
    rows: Iterable[Aggregate],
    show: Callable[[str], Command[F | None]],
    *,
    patient: bool = False,
) -> list[tuple[Aggregate, F | None]]:
    """Return each row with its figures, or None if Redis has no such aggregate. One batch.

    show: returns the command for the figures of a slug. patient: return None instead of raising the
    runner's error too, for pages that work while Redis is away.
    """
    aggregates = list(rows)
    answers: list[F | HotPathError | None]
    try:
        answers = hotpath.run_batch([show(row.slug) for row in aggregates])
    except HotPathError as error:
        answers = [error] * len(aggregates)
    failed = next((its for its in answers if isinstance(its, HotPathError)), None)
    if failed is not None and not patient:
        raise failed
    return [
        (row, None if isinstance(its, HotPathError) else its)
        for row, its in zip(aggregates, answers, strict=True)
    ]


def closed_by_promotion(row: RedisRow, show: Callable[[str], Command[Any]]) -> bool:
    """Return whether the aggregate was closed because its server was promoted (`hotpath/promoted`).

    SQL knows of every other recovery, as `recovering_since`. SQL clears that after Redis has opened
    the aggregate, so this reads SQL first, and Redis afterwards. Raise the runner's errors.
    """
    row.refresh_from_db(fields=["recovering_since", "generation"])
    if row.recovering_since is not None:
        return False
    figures: AggregateFigures | None = hotpath.run(show(row.slug))
    if figures is None or figures.status != "recovering":
        return False
    return figures.generation == row.generation


def locked(rows: models.Manager[Row], row: Row) -> Row:
    """Return the current row with its account, locked until the transaction ends."""
    return rows.select_for_update(of=("self",)).select_related("account").get(pk=row.pk)


@contextmanager
def as_stored(rows: models.Manager[Row], row: Row) -> Iterator[Row]:
    """Yield the row as SQL has it now, locked until it has been sent to Redis.

    Of two senders, the second one sends what the first one sent or something newer. rows: includes
    deleted ones, because a row may be deleted before it is sent.
    """
    with transaction.atomic():
        yield locked(rows, row)


def send_after_commit(
    tag: str, mark: UnsentMark, send: Callable[[], object], *refusals: type[Exception]
) -> None:
    """Call `send` once the current transaction is committed, then delete the mark.

    tag: the aggregate's tag, for the log. The mark stays if Redis is away, if it refused
    (`refusals`), or if this process dies before it has sent. The app's sweep then brings Redis to
    the state in SQL.
    """
    transaction.on_commit(partial(_send, tag, mark, send, (HotPathError, RedisError, *refusals)))


def resend(marks: models.QuerySet[Any], bring: Callable[[], object]) -> int:
    """Bring Redis to the state in SQL (`bring`) if a process left marks. Return how many it clears.

    marks: the aggregate's marks. Those of the last 15 s may still be on their way.
    """
    stale = timezone.now() - timedelta(seconds=UNSENT_SECONDS)
    left = list(marks.filter(created_at__lt=stale).values_list("pk", flat=True))
    if left:
        bring()
        marks.filter(pk__in=left).delete()  # unaudited: marks of our own
    return len(left)


def _send(
    tag: str, mark: UnsentMark, send: Callable[[], object], failures: tuple[type[Exception], ...]
) -> None:
    try:
        send()
    except failures as error:
        logger.warning("a change of %s waits for Redis: %s", tag, error)
        return
    mark.delete()
