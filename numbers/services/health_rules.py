"""Health rules are created, changed and deleted by operators."""

from typing import Any

from django.db import transaction

from numbers.models import HealthRule, Pool
from numbers.models.health_rules import RULE_SETTINGS as SETTINGS
from poolsite import access
from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, clean_reason, require


def health_rule_create(
    *, actor: Actor, pool: Pool, reason: str = "", **settings: Any
) -> HealthRule:
    """Create a rule. It applies from the next evaluation. Raise ValidationError for a bad field."""
    require(actor, "numbers.operate", pool)
    aggregates.require_known(settings, SETTINGS)
    rule = HealthRule(pool=pool, **settings)
    rule.name = rule.name.strip()
    with transaction.atomic():
        rule.full_clean()
        rule.save(force_insert=True)
        access.audit(
            actor=actor,
            action="numbers.health_rule_create",
            thing=pool,
            after=_kept(rule),
            reason=clean_reason(reason),
        )
    return rule


def health_rule_change(
    *, actor: Actor, rule: HealthRule, reason: str = "", **changes: Any
) -> HealthRule:
    """Change a rule, or turn it on or off. Numbers that it holds stay as they are."""
    require(actor, "numbers.operate", rule.pool)
    aggregates.require_known(changes, SETTINGS)
    with transaction.atomic():
        rows = HealthRule.objects.select_for_update(of=("self",)).select_related("pool__account")
        fresh = rows.get(pk=rule.pk)
        before = _kept(fresh)
        for name, value in changes.items():
            setattr(fresh, name, value)
        fresh.full_clean()
        after = _kept(fresh)
        changed = [name for name in SETTINGS if before[name] != after[name]]
        if changed:
            fresh.save(update_fields=changed)
            access.audit(
                actor=actor,
                action="numbers.health_rule_change",
                thing=fresh.pool,
                before={"name": before["name"], **{name: before[name] for name in changed}},
                after={"name": after["name"], **{name: after[name] for name in changed}},
                reason=clean_reason(reason),
            )
    return fresh


def health_rule_delete(*, actor: Actor, rule: HealthRule, reason: str = "") -> None:
    """Delete a rule. Its rests end at their time; its quarantines must be ended by someone."""
    pool = rule.pool
    require(actor, "numbers.operate", pool)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="numbers.health_rule_delete",
            thing=pool,
            before=_kept(rule),
            reason=clean_reason(reason),
        )
        rule.delete()


def _kept(rule: HealthRule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in SETTINGS}
