"""The health rules of a pool, and the numbers that they took out of use."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Status
from ninja.params import functions as param

from numbers.api.common import OPERATE, Slug, pool_of, router, value_of
from numbers.api.health_schemas import (
    HealthActionOut,
    HealthActionsIn,
    HealthRuleChangeIn,
    HealthRuleIn,
    HealthRuleOut,
)
from numbers.api.pool_schemas import OptionalReasonIn
from numbers.models import HealthAction, HealthRule, Pool
from numbers.models.health_rules import RULE_SETTINGS
from numbers.selectors import health
from numbers.services.health_acting import health_undo
from numbers.services.health_rules import (
    health_rule_change,
    health_rule_create,
    health_rule_delete,
)
from poolsite.access import principal_of_request
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_of
from poolsite.api.root import ProblemError
from poolsite.api.setting_models import given_of
from poolsite.moments import iso

TAGS = ["pools"]
RuleId: Any = param.Path(..., description="The rule's ID.")
ActionId: Any = param.Path(..., description="The ID of what a rule did.")


@router.get(
    "/{slug}/health/rules",
    response={200: list[HealthRuleOut]},
    summary="List health rules",
    tags=TAGS,
)
def list_health_rules(request: HttpRequest, slug: str = Slug) -> Any:
    """The rules that rest or quarantine the pool's numbers."""
    pool = pool_of(principal_of_request(request), slug)
    return [_rule_out(rule) for rule in health.health_rules(pool)]


@router.post(
    "/{slug}/health/rules",
    response={201: HealthRuleOut},
    summary="Create a health rule",
    tags=TAGS,
)
def post_health_rule(request: HttpRequest, given: HealthRuleIn, slug: str = Slug) -> Any:
    """Create a rule. It is evaluated every 30 seconds."""
    principal = principal_of_request(request)
    rule = health_rule_create(
        actor=principal,
        pool=pool_of(principal, slug, OPERATE),
        reason=given.reason,
        **given_of(given, RULE_SETTINGS),
    )
    return Status(201, _now(rule))


@router.patch(
    "/{slug}/health/rules/{rule_id}",
    response={200: HealthRuleOut},
    summary="Change a health rule",
    tags=TAGS,
)
def patch_health_rule(
    request: HttpRequest, change: HealthRuleChangeIn, rule_id: int = RuleId, slug: str = Slug
) -> Any:
    """Change a rule, or turn it on or off. Numbers that it keeps out of use stay as they are."""
    principal = principal_of_request(request)
    rule = _rule(pool_of(principal, slug, OPERATE), rule_id)
    changes = given_of(change, RULE_SETTINGS)
    return _now(health_rule_change(actor=principal, rule=rule, reason=change.reason, **changes))


@router.delete(
    "/{slug}/health/rules/{rule_id}",
    response={204: None},
    summary="Delete a health rule",
    tags=TAGS,
)
def delete_health_rule(
    request: HttpRequest,
    rule_id: int = RuleId,
    slug: str = Slug,
    reason: str = param.Query("", max_length=200, description="It is kept in the audit log."),
) -> Any:
    """Delete a rule. Rests that it began end at their time. A quarantine must be ended."""
    principal = principal_of_request(request)
    rule = _rule(pool_of(principal, slug, OPERATE), rule_id)
    health_rule_delete(actor=principal, rule=rule, reason=reason)
    return Status(204, None)


@router.get(
    "/{slug}/health/actions",
    response={200: Page[HealthActionOut]},
    summary="List what health rules did",
    tags=TAGS,
)
def list_health_actions(
    request: HttpRequest, asked: Query[HealthActionsIn], slug: str = Slug
) -> Any:
    """The numbers that rules took out of use, latest first."""
    pool = pool_of(principal_of_request(request), slug)
    number = value_of(asked.number) if asked.number else ""
    rows = health.pool_actions(pool, number=number, returned=asked.returned)
    return page(request, asked, rows, _action_out)


@router.post(
    "/{slug}/health/actions/{action_id}/undo",
    response={200: HealthActionOut},
    summary="Put a number back into use",
    tags=TAGS,
)
def undo_health_action(
    request: HttpRequest, given: OptionalReasonIn, action_id: int = ActionId, slug: str = Slug
) -> Any:
    """Put a number back into use. The rule ignores the number for the length of its window."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    action = health.pool_actions(pool).filter(pk=id_of(action_id)).first()
    if action is None:
        raise ProblemError("not-found", "the pool has no action with this ID")
    action.pool = pool
    health_undo(actor=principal, action=action, reason=given.reason)
    return _action_out(action)


def _rule(pool: Pool, key: int) -> HealthRule:
    rule = HealthRule.objects.filter(pool=pool, pk=id_of(key)).first()
    if rule is None:
        raise ProblemError("not-found", "the pool has no rule with this ID")
    rule.pool = pool
    return rule


def _now(rule: HealthRule) -> HealthRuleOut:
    return _rule_out(health.health_rule(rule.pool, rule.pk))


def _rule_out(rule: HealthRule) -> HealthRuleOut:
    settings: dict[str, Any] = {name: getattr(rule, name) for name in RULE_SETTINGS}
    return HealthRuleOut(
        **settings,
        id=rule.pk,
        held=rule.held,  # type: ignore[attr-defined]  # annotated
    )


def _action_out(action: HealthAction) -> HealthActionOut:
    until, returned = action.until, action.returned_at
    settings: dict[str, Any] = {"action": action.action, "returned_how": action.returned_how}
    return HealthActionOut(
        **settings,
        id=action.pk,
        number=action.number,
        rule=action.rule_name,
        reason=action.reason,
        value=action.value,
        calls=action.calls,
        at=action.at.isoformat(),
        until=iso(until),
        returned_at=iso(returned),
    )
