"""Use cases of batches: create, pause, resume, extend, cancel."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, history, hotpath
from poolsite.access.services.actor import Actor, clean_reason, name_of, require
from poolsite.history import Aggregate
from poolsite.moments import is_too_late, us_of
from poolsite.plain_text import one_line
from queueing.admission import gate as commands
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.services.common import KIND, send_after_commit
from queueing.admission.services.uploads import Problem, read_upload

State = TaskBatch.State
INSERT_ROWS = 2_000
LONGEST_WINDOW_DAYS = 90


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A new batch, and the rows that were left out (only with skip_bad)."""

    batch: TaskBatch
    bad: int
    problems: tuple[Problem, ...]


def batch_create(
    *,
    actor: Actor,
    gate: Gate,
    name: str,
    csv: bytes | Iterable[bytes],
    opens_at: datetime,
    closes_at: datetime,
    skip_bad: bool = False,
) -> Uploaded:
    """Create a batch from a CSV file with device and payload.

    Raise AdmissionError "bad-rows" with `problems` and `bad` if a row is invalid or repeated; then
    nothing is created. With `skip_bad` the valid rows are used. Raise AdmissionError "malformed" if
    the window is invalid.
    """
    require(actor, "admission.batch", gate)
    name = one_line(name)[:120]
    _check_window(opens_at, closes_at)
    if not name:
        raise AdmissionError("malformed", _("Enter a batch name."))
    upload = read_upload(csv)
    if upload.bad and not (skip_bad and upload.rows):
        raise AdmissionError(
            "bad-rows",
            _("%(count)s rows are invalid. Nothing was changed.") % {"count": upload.bad},
            bad=upload.bad,
            problems=[str(problem) for problem in upload.problems],
        )
    with transaction.atomic():
        batch = TaskBatch.objects.create(
            gate=gate,
            name=name,
            opens_at=opens_at,
            closes_at=closes_at,
            total=len(upload.rows),
            pending=len(upload.rows),
            created_by=name_of(actor),
        )
        for start in range(0, len(upload.rows), INSERT_ROWS):
            Task.objects.bulk_create(
                Task(batch=batch, device=device, payload=payload)
                for device, payload in upload.rows[start : start + INSERT_ROWS]
            )
        access.audit(
            actor=actor,
            action="admission.batch_create",
            thing=batch,
            after={"gate": gate.slug, "tasks": batch.total, "left_out": upload.bad},
        )
        send_after_commit(gate, partial(apply_batch, batch))
    return Uploaded(batch, upload.bad, tuple(upload.problems))


def _check_window(opens_at: datetime, closes_at: datetime) -> None:
    if closes_at <= opens_at:
        raise AdmissionError("malformed", _("The window must close after it opens."))
    if closes_at <= timezone.now():
        raise AdmissionError(
            "malformed", _("The window is in the past. Choose a later closing time.")
        )
    if is_too_late(closes_at):
        raise AdmissionError(
            "malformed", _("The window is too far in the future. Choose an earlier closing time.")
        )
    if (closes_at - opens_at).days > LONGEST_WINDOW_DAYS:
        raise AdmissionError(
            "malformed",
            _("A window can't be longer than %(days)s days.") % {"days": LONGEST_WINDOW_DAYS},
        )


def batch_pause(*, actor: Actor, batch: TaskBatch, reason: str) -> TaskBatch:
    """Issue none of the batch's tasks until it is resumed. Running tasks finish."""
    require(actor, "admission.batch", batch)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        batch = _locked(batch)
        _check_unfinished(batch)
        if batch.paused_at is not None:
            return batch
        batch.paused_at, batch.paused_by, batch.paused_reason = (
            timezone.now(),
            name_of(actor),
            reason,
        )
        _save(
            batch, actor, "admission.batch_pause", reason, "paused_at", "paused_by", "paused_reason"
        )
    return batch


def batch_resume(*, actor: Actor, batch: TaskBatch, reason: str = "") -> TaskBatch:
    """Resume a paused batch."""
    require(actor, "admission.batch", batch)
    with transaction.atomic():
        batch = _locked(batch)
        _check_unfinished(batch)
        if batch.paused_at is None:
            return batch
        batch.paused_at, batch.paused_by, batch.paused_reason = None, "", ""
        reason = clean_reason(reason)
        _save(
            batch,
            actor,
            "admission.batch_resume",
            reason,
            "paused_at",
            "paused_by",
            "paused_reason",
        )
    return batch


def batch_extend(
    *, actor: Actor, batch: TaskBatch, closes_at: datetime, reason: str = ""
) -> TaskBatch:
    """Change the end of a batch's window, which must be in the future."""
    require(actor, "admission.batch", batch)
    with transaction.atomic():
        batch = _locked(batch)
        _check_unfinished(batch)
        _check_window(batch.opens_at, closes_at)
        batch.closes_at = closes_at
        _save(batch, actor, "admission.batch_extend", clean_reason(reason), "closes_at")
    return batch


def batch_cancel(*, actor: Actor, batch: TaskBatch, reason: str) -> TaskBatch:
    """Close pending tasks permanently. Running tasks finish, without another attempt."""
    require(actor, "admission.batch", batch)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        batch = _locked(batch)
        if batch.cancelled_at is not None:
            return batch
        if batch.finished_at is not None:
            raise AdmissionError("gate-refused", _("The batch has already ended."))
        now = timezone.now()
        batch.cancelled_at, batch.cancelled_by, batch.cancelled_reason = now, name_of(actor), reason
        fields = ["cancelled_at", "cancelled_by", "cancelled_reason"]
        if batch.state == State.SCHEDULED:
            close_in_sql(batch, "cancelled", State.CANCELLED)
        _save(batch, actor, "admission.batch_cancel", reason, *fields)
    return batch


def close_in_sql(batch: TaskBatch, reason: str, state: str) -> int:
    """Expire the pending tasks of a batch that is not in Redis. Call this in a transaction."""
    now = timezone.now()
    pending = Task.objects.filter(batch=batch, state=Task.State.PENDING)
    count = pending.update(state=Task.State.EXPIRED, reason=reason, ended_at=now)
    batch.pending -= count
    batch.expired += count
    batch.state, batch.finished_at = state, now
    batch.save(update_fields=["pending", "expired", "state", "finished_at"])
    return count


def _save(batch: TaskBatch, actor: Actor, action: str, reason: str, *fields: str) -> None:
    batch.save(update_fields=list(fields))
    access.audit(
        actor=actor,
        action=action,
        thing=batch,
        after={name: str(getattr(batch, name) or "") for name in fields[:1]},
        reason=reason,
    )
    send_after_commit(batch.gate, partial(apply_batch, batch))


def _check_unfinished(batch: TaskBatch) -> None:
    if batch.finished_at is not None or batch.cancelled_at is not None:
        raise AdmissionError("gate-refused", _("The batch has already ended."))


def _locked(batch: TaskBatch) -> TaskBatch:
    rows = TaskBatch.objects.select_for_update(of=("self",)).select_related("gate")
    return rows.get(pk=batch.pk)


# -- changes in Redis -----------------------------------------------------------------------------


def batch_catch_up(batch: TaskBatch) -> None:
    """Update the rows of the batch's tasks to match the live figures, as far as Redis answers."""
    history.catch_up(KIND, Aggregate(batch.gate.tag, batch.gate_id))


def apply_batch(batch: TaskBatch) -> None:
    """Update Redis to match an unfinished batch and its window in SQL. Repeatable."""
    with transaction.atomic():
        _send_batch(_locked(batch))  # locked, so that no older state follows a newer one


def _send_batch(batch: TaskBatch) -> None:
    slug = batch.gate.slug
    opens, closes = us_of(batch.opens_at), us_of(batch.closes_at)
    hotpath.run(commands.batch_open(slug, batch.pk, closes, opens))
    try:
        hotpath.run(commands.batch_extend(slug, batch.pk, closes))
        if batch.cancelled_at is not None:
            hotpath.run(commands.batch_cancel(slug, batch.pk, batch.cancelled_reason))
        elif batch.paused_at is not None:
            hotpath.run(commands.batch_pause(slug, batch.pk, batch.paused_reason))
        else:
            hotpath.run(commands.batch_resume(slug, batch.pk))
    except commands.GateRefusedError as error:
        if error.reason != commands.reasons.OVER:
            raise
