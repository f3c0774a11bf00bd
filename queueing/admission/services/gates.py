"""Use cases of a whole gate: create, configure, resize, pin, pause, open, delete."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.aggregates.services.lives import PausableLife
from poolsite.hotpath.rows import as_stored
from queueing.admission import gate as commands
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, TaskBatch, UnsentChange
from queueing.admission.services.common import (
    redis_refusals,
    send_after_commit,
    settings_of,
)

SETTINGS = (
    *("name", "key", "description", "cap", "permit_seconds", "margin_seconds"),
    *("longest_seconds", "attempts", "period_seconds", "fair", "look_ahead", "rate_per_second"),
    *("adaptive", "adaptive_min", "adaptive_max", "adaptive_step", "adaptive_down_percent"),
    *("adaptive_error_percent", "adaptive_latency_ms", "adaptive_interval_seconds"),
    *("overrun_alarm", "waiting_alarm", "log_limit"),
)


def gate_create(
    *,
    actor: Actor,
    slug: str,
    name: str = "",
    account: Account | None = None,
    reason: str = "",
    **settings: Any,
) -> Gate:
    """Create a gate in SQL and then in Redis. Raise ValidationError if a field is invalid.

    A slug that any gate has or had is refused, because years of history refer to it. Without a key,
    batches refer to the gate by its slug.
    """
    act = Act(actor, "admission.gate_create", reason)
    settings.setdefault("key", slug)
    return LIFE.create(act, slug=slug, name=name, account=account, settings=settings)


def gate_configure(*, actor: Actor, gate: Gate, reason: str = "", **changes: Any) -> Gate:
    """Change settings in SQL and then in Redis. Permits in use stay valid.

    Raise ValidationError if a value is invalid, or if another gate of the account has the key.
    """
    try:
        return LIFE.configure(gate, Act(actor, "admission.gate_configure", reason), changes)
    except IntegrityError:
        raise ValidationError(_("Another gate already uses this key.")) from None


def gate_resize(*, actor: Actor, gate: Gate, cap: int, reason: str = "") -> Gate:
    """Raise or lower the cap, effective immediately. Raise AdmissionError while it is pinned."""
    require(actor, "admission.operate", gate)
    if gate.pinned_cap is not None:
        raise AdmissionError("gate-refused", _("The concurrency limit is pinned. Unpin it first."))
    return gate_configure(actor=actor, gate=gate, reason=reason, cap=cap)


def gate_pin(*, actor: Actor, gate: Gate, cap: int | None, reason: str) -> Gate:
    """Pin an adaptive cap at `cap`, or unpin it with None: it continues from its current value."""
    require(actor, "admission.operate", gate)
    act = Act(actor, "admission.gate_pin", clean_reason(reason, needed=cap is not None))
    with transaction.atomic():
        gate = LIFE.locked(gate)
        before = gate.pinned_cap
        if before == cap:
            return gate
        gate.pinned_cap = cap
        LIFE.full_clean(gate)
        if cap is None and gate.adaptive:
            gate.cap = min(max(before or gate.cap, gate.adaptive_min), gate.adaptive_max)
        gate.save(update_fields=["pinned_cap", "cap"])
        act.write(gate, {"pinned_cap": before}, {"pinned_cap": cap})
        send_after_commit(gate, lambda: apply_settings(gate, keep_cap=False))
    return gate


def gate_pause(*, actor: Actor, gate: Gate, reason: str) -> Gate:
    """Grant no permits until the gate is resumed. Permits in use stay valid."""
    return LIFE.pause(gate, Act(actor, "admission.gate_pause", reason))


def gate_resume(*, actor: Actor, gate: Gate, reason: str = "") -> Gate:
    """Resume a paused gate."""
    return LIFE.resume(gate, Act(actor, "admission.gate_resume", reason))


def gate_open_early(*, actor: Actor, gate: Gate, reason: str) -> Gate:
    """Open a recovering gate before the permits of the previous generation have ended.

    The external system may then see more clients than the cap, so a reason is required. Raise the
    runner's errors.
    """
    return LIFE.open_early(gate, Act(actor, "admission.gate_open_early", reason))


def gate_delete(*, actor: Actor, gate: Gate, reason: str) -> None:
    """Delete a gate. Its history is kept, and its slug can't be used again.

    Raise AdmissionError while permits are in use or a batch is unfinished. The gate is paused in
    Redis first, so that no permit is granted meanwhile.
    """
    LIFE.delete(gate, Act(actor, "admission.gate_delete", reason))


def _close_for_good(gate: Gate, reason: str) -> None:
    if TaskBatch.objects.filter(gate=gate, finished_at=None).exists():
        raise AdmissionError(
            "gate-refused", _("The gate has unfinished batches. Cancel them first.")
        )
    figures = hotpath.run(commands.show(gate.slug))
    if figures is None:
        return
    if figures.status == "recovering":  # a refused pause would be applied when it opens
        raise AdmissionError(
            "gate-recovering", _("The gate is recovering after Redis lost its data.")
        )
    with redis_refusals():
        hotpath.run(commands.pause(gate.slug, reason))
    figures = hotpath.run(commands.show(gate.slug))
    if figures is not None and figures.used:
        if gate.paused_at is None:
            hotpath.run(commands.resume(gate.slug, "not deleted"))
        text = ngettext(
            "%(n)s slot is in use. Free it, or wait until the permit ends.",
            "%(n)s slots are in use. Free them, or wait until the permits end.",
            figures.used,
        )
        raise AdmissionError("gate-refused", text % {"n": f"{figures.used:,}"})


# -- changes in Redis -----------------------------------------------------------------------------


def create_in_redis(gate: Gate) -> None:
    """Create the gate's data of the current generation. This is harmless if it exists."""
    paused = gate.paused_at is not None
    hotpath.run(commands.create(gate.slug, gate.generation, settings_of(gate), paused=paused))


def destroy_in_redis(gate: Gate) -> None:
    """Remove a deleted gate's data."""
    hotpath.run(commands.destroy(gate.slug, gate.generation))
    UnsentChange.objects.filter(gate=gate).delete()


def apply_settings(gate: Gate, *, keep_cap: bool = True) -> None:
    """Write the gate's settings to Redis. An adaptive cap keeps its value unless it was set."""
    with as_stored(Gate.all_objects, gate) as now:
        hotpath.run(commands.configure(now.slug, settings_of(now), keep_cap=keep_cap))


def apply_pause(gate: Gate) -> None:
    """Pause or resume in Redis to match SQL. A recovering gate applies it when it opens."""
    with as_stored(Gate.all_objects, gate) as now:
        try:
            if now.paused_at is not None:
                hotpath.run(commands.pause(now.slug, now.paused_reason))
            else:
                hotpath.run(commands.resume(now.slug))
        except commands.GateRefusedError as error:
            if error.reason != commands.reasons.RECOVERING:
                raise


def _open_now(gate: Gate, reason: str) -> bool:
    with redis_refusals():
        told = hotpath.run(commands.open_now(gate.slug, reason, paused=gate.paused_at is not None))
    return told == commands.reasons.REPEAT


LIFE = PausableLife(
    model=Gate,
    settings=SETTINGS,
    may_create="admission.create",
    may_change="admission.operate",
    taken=gettext_lazy("This short name is or was used by another gate. Choose a different one."),
    raced=gettext_lazy("Another gate already uses this short name or key."),
    settings_of=settings_of,
    begin=create_in_redis,
    apply=lambda gate, changed: apply_settings(gate, keep_cap="cap" not in changed),
    after_commit=send_after_commit,
    close=_close_for_good,
    forget=lambda gate: send_after_commit(gate, lambda: destroy_in_redis(gate)),
    apply_pause=apply_pause,
    open_now=_open_now,
)
