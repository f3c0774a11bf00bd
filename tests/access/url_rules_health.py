"""Who may open the URLs of number health: rows of url_rules, and the objects that they need."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from numbers.models import HealthAction, HealthRule, Number, NumberImport, Pool
from tests.access.url_rules_gates import OPERATE_IT, SEE, SEE_IT
from tests.access.world import World

SENT = {"nobody": "login", "*": "ok"}  # an empty body is refused first
AT = datetime(2026, 1, 1, tzinfo=UTC)


def _of_rule(template: str) -> Callable[[World], str]:
    """Return a function for a URL of a rule of the account's pool."""

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


def _import(part: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        made = NumberImport.objects.create(pool=pool, file_name="a.csv", state="previewed")
        return f"/api/v1/pools/own-pool/imports/{made.pk}{part}"

    return make


def _number(part: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        Number.objects.get_or_create(pool=pool, value="13800000001")
        return f"/api/v1/pools/own-pool/numbers/13800000001{part}"

    return make


def _management(rule: Callable[..., Any]) -> dict[str, Any]:
    """Return the rows for managing a pool through the API."""
    api, own = "api/v1/pools/<slug>/", "/api/v1/pools/own-pool/"
    one, number = f"{api}imports/<import_id>", f"{api}numbers/<number>"
    return {
        **{
            f"{api}{part}": rule(SEE_IT, url=_of_pool(own + part))
            for part in ("numbers", "calls", "imports")
        },
        **{
            f"{api}{part}": rule(SENT, url=_of_pool(own + part), method="post")
            for part in (
                *("pause", "resume", "open", "reconcile"),
                *("number-ranges", "number-changes"),
            )
        },
        f"{number}/events": rule(SEE_IT, url=_number("/events")),
        **{
            f"{number}/{verb}": rule(SENT, url=_number(f"/{verb}"), method="post")
            for verb in ("quarantine", "release", "hangup")
        },
        "api/v1/numbers/twins": rule(SEE),
        "api/v1/numbers/twins/merge": rule(SENT, method="post"),
        **{
            f"api/v1/numbers/twins/<number>/{verb}": rule(
                SENT, url=f"/api/v1/numbers/twins/13800000001/{verb}", method="post"
            )
            for verb in ("merge", "remove")
        },
        one: rule(SEE_IT, url=_import("")),
        f"{one}/rows": rule(SEE_IT, url=_import("/rows")),
        **{
            f"{one}/{verb}": rule(SENT, url=_import(f"/{verb}"), method="post")
            for verb in ("confirm", "undo", "discard")
        },
    }


def rows(rule: Callable[..., Any]) -> dict[str, Any]:
    """Return the rows. `rule` creates one."""
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
        f"{api}health/actions": rule(see, url=_of_pool("/api/v1/pools/own-pool/health/actions")),
        f"{api}health/rules/<rule_id>": rule(
            change, url=_of_rule("/api/v1/pools/own-pool/health/rules/%s"), method="delete"
        ),
        f"{api}health/actions/<action_id>/undo": rule(
            SENT, url=_of_pool("/api/v1/pools/own-pool/health/actions/1/undo"), method="post"
        ),
        **_management(rule),
        f"{api}spam-labels": rule(
            SENT,
            url=_of_pool("/api/v1/pools/own-pool/spam-labels"),
            method="post",
        ),
    }
