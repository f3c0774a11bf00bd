"""Who may open the addresses of number health: rows of url_rules, and what makes their objects."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from numbers.models import HealthAction, HealthRule, Number, Pool
from tests.access.url_rules_gates import OPERATE_IT, SEE_IT
from tests.access.world import World

AT = datetime(2026, 1, 1, tzinfo=UTC)


def _of_rule(template: str) -> Callable[[World], str]:
    """An address of a rule of the account's pool."""

    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        rule = HealthRule.objects.get_or_create(pool=pool, name="Own rule")[0]
        return template % rule.pk

    return make


def _of_pool(url: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        Pool.objects.get_or_create(slug="own-pool", account=world.own)
        return url

    return make


def _undo(world: World) -> str:
    pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
    Number.objects.get_or_create(pool=pool, value="13800000001")
    action = HealthAction.objects.get_or_create(
        pool=pool,
        number="13800000001",
        defaults={
            "rule_name": "Own rule",
            "action": "rest",
            "measure": "asr",
            "window": "24h",
            "value": 1.0,
            "day": AT.date(),
            "at": AT,
        },
    )[0]
    return f"/pools/own-pool/health/undo/{action.pk}/"


def rows(rule: Callable[..., Any]) -> dict[str, Any]:
    """The rows; `rule` makes one."""
    page, api = "pools/<slug:slug>/health/", "api/v1/pools/<slug>/"
    own = "/pools/own-pool/health/"
    see, change = SEE_IT, OPERATE_IT
    return {
        page: rule(see, url=_of_pool(own)),
        f"{page}rules/": rule(see, url=_of_pool(f"{own}rules/")),
        f"{page}labels/": rule(change, url=_of_pool(f"{own}labels/")),
        f"{page}rules/new/": rule(change, url=_of_pool(f"{own}rules/new/")),
        f"{page}rules/<int:rule_id>/": rule(change, url=_of_rule(f"{own}rules/%s/")),
        f"{page}rules/<int:rule_id>/switch/": rule(
            change, url=_of_rule(f"{own}rules/%s/switch/"), method="post"
        ),
        f"{page}rules/<int:rule_id>/delete/": rule(
            change, url=_of_rule(f"{own}rules/%s/delete/"), method="post"
        ),
        f"{page}undo/<int:action_id>/": rule(change, url=_undo, method="post"),
        **{
            f"{api}{part}": rule(see, url=_of_pool(f"/api/v1/pools/own-pool/{part}"))
            for part in ("health", "health/numbers", "health/rules")
        },
        f"{api}spam-labels": rule(
            {"nobody": "login", "*": "ok"},  # an empty body is refused before anything
            url=_of_pool("/api/v1/pools/own-pool/spam-labels"),
            method="post",
        ),
    }
