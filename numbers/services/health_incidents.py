"""The incidents of health rules: numbers taken out of use, and a limit that was reached."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop

from numbers import health_reasons
from numbers.models import HealthAction, HealthRule
from numbers.services.health_judging import Judged
from poolsite.operations import incidents

INCIDENT, LIMIT_INCIDENT = "numbers.health_rule", "numbers.health_limit"


def report_taken(rule: HealthRule, taken: Sequence[Judged]) -> None:
    """Open or update the incident of a rule that took numbers out of use."""
    held = HealthAction.objects.filter(rule=rule, returned_at=None).count()
    incidents.open(
        type=INCIDENT,
        object=_object_of(rule),
        severity="warning",
        title=gettext_noop("Health rule %(rule)s took numbers of %(pool)s out of use"),
        detail=gettext_noop("Numbers out of use: %(count)s. Latest: %(number)s, %(why)s."),
        remedy=gettext_noop("Check the pool's health page and undo wrong actions there."),
        url=f"/pools/{rule.pool.slug}/health/#actions",
        account=rule.pool.account_id,
        params={
            "rule": rule.name,
            "pool": rule.pool.slug,
            "count": held,
            "number": taken[-1].number,
            "why": health_reasons.as_value(rule.measure, taken[-1].value, taken[-1].calls),
        },
    )


def report_limit(rule: HealthRule, *, short: bool) -> None:
    """If `short`, open the incident of a rule that can't take all matches. Otherwise close it."""
    if not short:
        incidents.close(type=LIMIT_INCIDENT, object=_object_of(rule))
        return
    incidents.open(
        type=LIMIT_INCIDENT,
        object=_object_of(rule),
        severity="warning",
        title=gettext_noop("Health rule %(rule)s of %(pool)s reached its limit"),
        detail=gettext_noop(
            "More numbers match the rule than it can take out of use (%(daily)s a day, "
            "%(percent)s%% of the pool at once)."
        ),
        remedy=gettext_noop("Check the numbers on the pool's health page, or raise the limit."),
        url=f"/pools/{rule.pool.slug}/health/",
        account=rule.pool.account_id,
        params={
            "rule": rule.name,
            "pool": rule.pool.slug,
            "daily": rule.daily_limit,
            "percent": f"{rule.pool_percent:g}",
        },
    )


def close_ended() -> None:
    """Close the incidents of rules that hold no number any more, or that are deleted or off."""
    from poolsite.operations.models import Incident

    rows = Incident.objects.filter(type__in=(INCIDENT, LIMIT_INCIDENT), until=None)
    for kind, name in rows.values_list("type", "object"):
        key = name.rpartition(":")[2]
        rule = HealthRule.objects.filter(pk=int(key)).first() if key.isdecimal() else None
        holding = rule is not None and rule.actions.filter(returned_at=None).exists()
        stays = holding if kind == INCIDENT else rule is not None and rule.enabled
        if not stays:
            incidents.close(type=kind, object=name)


def _object_of(rule: HealthRule) -> str:
    return f"{rule.pool.slug}:{rule.pk}"
