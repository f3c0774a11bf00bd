"""A test call: a person sends the events of a switch. No number stays busy."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers.errors import NumbersError
from numbers.models import Number, Pool
from numbers.reason_words import sentence_of
from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from poolsite.access.services.actor import Actor, require

ACTION = "numbers.test_call"
NAME = "test-call"  # its agent, its cause, and the prefix of its call ID
REGISTERED_SECONDS = 60  # in case this process ends before the number is offline again


def trial_call(*, actor: Actor, pool: Pool, token: UUID) -> AuditEntry:
    """Borrow a number, renew its lease, hang up. Return the audit entry with the pool's answers.

    A number without a registered phone counts as registered meanwhile. The same token again returns
    the first call. Raise NumbersError if the call is refused; no number is lent then.
    """
    require(actor, "numbers.operate", pool)
    call_id = f"{NAME}-{token.hex[:12]}"
    made = trial_calls(pool).filter(after__call_id=call_id).first()
    if made is not None:
        return made
    if pool.charged:
        text = _("Calls of this pool are charged. Make the first call from your switch.")
        raise NumbersError("not-allowed", text)
    offline = _offline_number(pool)
    if offline:
        _ask(pool, commands.Event.of("reg", number=offline, expires=REGISTERED_SECONDS))
    try:
        steps = _call(pool, call_id, offline)
    finally:
        if offline:
            hotpath.run(commands.event(pool.slug, commands.Event.of("unreg", number=offline)))
    with transaction.atomic():
        return access.audit(
            actor=actor,
            action="numbers.test_call",
            thing=pool,
            after={
                "call_id": call_id,
                "number": steps[0]["number"],
                "steps": steps,
                "was_offline": bool(offline),
            },
        )


def trial_calls(pool: Pool) -> QuerySet[AuditEntry]:
    """The audit entries of the pool's test calls, newest first."""
    return AuditEntry.objects.filter(thing_kind="pool", thing_id=pool.slug, action=ACTION)


def _call(pool: Pool, call_id: str, number: str) -> list[dict[str, str]]:
    asked = commands.Event.of("call", number=number, call_id=call_id, agent=NAME)
    lent = _ask(pool, asked)
    renewed = _ask(pool, commands.Event.of("renew", lent.number, call_id))
    ended = _ask(pool, commands.Event.of("hangup", lent.number, call_id, cause=NAME))
    answers = (("call", lent), ("renew", renewed), ("hangup", ended))
    return [
        {"event": event, "number": lent.number, "state": answer.state, "outcome": answer.outcome}
        for event, answer in answers
    ]


def _ask(pool: Pool, event: commands.Event) -> commands.EventOutcome:
    outcome = hotpath.run(commands.event(pool.slug, event))
    if not outcome.ok:
        raise NumbersError("not-allowed", sentence_of(outcome.reason))
    return outcome


def _offline_number(pool: Pool) -> str:
    """A number to register for the call, or "" if the pool has one that it can lend."""
    figures = hotpath.run(commands.show(pool.slug))
    if figures is None or figures.pickable or not figures.idle_down:
        return ""
    rows = Number.objects.filter(pool=pool, quarantined_at=None).order_by("value")
    return rows.values_list("value", flat=True).first() or ""
