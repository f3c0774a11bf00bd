"""Who may open the gates' URLs: rows of url_rules, and the objects that they need."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from queueing.admission.models import Gate, TaskBatch
from tests.access.world import World

SEE = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "supervisor", "foreign", "operators"), "ok"),
    "*": "no",
}
SEE_IT = {**SEE, "foreign": "hidden", "roleless": "hidden"}
BATCH = {
    **SEE_IT,
    "supervisor": "no",
    "operators": "no",
    "operate": "ok",
}
OPERATE_IT = {
    "nobody": "login",
    "operate": "ok",
    "foreign": "hidden",
    "roleless": "hidden",
    "*": "no",
}
CREATE = {"nobody": "login", "operate": "ok", "*": "no"}
TOKENS_ONLY = {"nobody": "login", "*": "ok"}
# The body is checked before the right: without one, all who are logged in get that error.
BODY_FIRST = TOKENS_ONLY
# A reader who may view learns that no holder of this name has a permit. Others are refused before.
SEE_NOTHING = {name: "hidden" if how == "ok" else how for name, how in SEE_IT.items()}


def own_gate(world: World) -> Gate:
    """Return the gate of the account `own`."""
    return Gate.objects.get_or_create(slug="own-gate", account=world.own, key="own-gate")[0]


def of_gate(url: str) -> Callable[[World], str]:
    """Return a function for a URL below the account's gate."""

    def make(world: World) -> str:
        own_gate(world)
        return url

    return make


def own_batch(world: World) -> TaskBatch:
    """Return an unfinished batch of that gate."""
    now = timezone.now()
    return TaskBatch.objects.get_or_create(
        gate=own_gate(world),
        name="own",
        defaults={
            "opens_at": now + timedelta(hours=1),
            "closes_at": now + timedelta(hours=2),
        },
    )[0]


def of_batch(template: str) -> Callable[[World], str]:
    """Return a function for a URL of a batch. %s stands for its number."""
    return lambda world: template % own_batch(world).pk


def rows(rule: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the rows, created with url_rules.Rule."""
    one = "api/v1/gates/<slug>"
    url = "/api/v1/gates/own-gate"
    new = {
        "name": "b",
        "opens_at": "2090-01-01T00:00:00Z",
        "closes_at": "2090-01-02T00:00:00Z",
        "csv": "d1,x",
    }
    return {
        "api/v1/gates": rule(SEE),
        one: rule(SEE_IT, url=of_gate(url)),
        f"{one}/holders": rule(SEE_IT, url=of_gate(f"{url}/holders")),
        f"{one}/holders/<holder>": rule(SEE_NOTHING, url=of_gate(f"{url}/holders/nobody")),
        f"{one}/devices/<device>": rule(SEE_IT, url=of_gate(f"{url}/devices/d1")),
        f"{one}/line": rule(SEE_IT, url=of_gate(f"{url}/line")),
        f"{one}/samples": rule(SEE_IT, url=of_gate(f"{url}/samples")),
        **{
            f"{one}/{part}": rule(BODY_FIRST, url=of_gate(f"{url}/{part}"), method="post")
            for part in ("resize", "pin", "unpin", "pause", "resume", "open")
        },
        f"{one}/holders/<holder>/free": rule(
            BODY_FIRST, url=of_gate(f"{url}/holders/nobody/free"), method="post"
        ),
        f"{one}/batches": rule(SEE_IT, url=of_gate(f"{url}/batches"), data=new),
        f"{one}/batches/<batch>": rule(SEE_IT, url=of_batch(f"{url}/batches/%s")),
        f"{one}/batches/<batch>/tasks": rule(SEE_IT, url=of_batch(f"{url}/batches/%s/tasks")),
        f"{one}/batches/<batch>/failed": rule(SEE_IT, url=of_batch(f"{url}/batches/%s/failed")),
        f"{one}/batches/<batch>/<what>": rule(
            BATCH, url=of_batch(f"{url}/batches/%s/resume"), method="post"
        ),
        f"{one}/key/<do>": rule(OPERATE_IT, url=of_gate(f"{url}/key/new"), method="post"),
        **{
            f"{one}/{part}": rule(TOKENS_ONLY, url=of_gate(f"{url}/{part}"), method="post")
            for part in ("acquire", "release", "renew", "incr", "decr", "observe")
        },
        "gates/": rule(SEE),
        "gates/new/": rule(CREATE),
        "gates/<slug:slug>/": rule(SEE_IT, url=of_gate("/gates/own-gate/")),
        "gates/<slug:slug>/samples/": rule(SEE_IT, url=of_gate("/gates/own-gate/samples/")),
        "gates/<slug:slug>/holders/": rule(SEE_IT, url=of_gate("/gates/own-gate/holders/")),
        "gates/<slug:slug>/device/": rule(SEE_IT, url=of_gate("/gates/own-gate/device/")),
        "gates/<slug:slug>/settings/": rule(OPERATE_IT, url=of_gate("/gates/own-gate/settings/")),
        "gates/<slug:slug>/act/": rule(
            OPERATE_IT, url=of_gate("/gates/own-gate/act/"), method="post"
        ),
        "gates/<slug:slug>/delete/": rule(
            OPERATE_IT, url=of_gate("/gates/own-gate/delete/"), method="post"
        ),
        "gates/<slug:slug>/key/": rule(
            OPERATE_IT, url=of_gate("/gates/own-gate/key/"), method="post"
        ),
        "gates/<slug:slug>/batches/": rule(SEE_IT, url=of_gate("/gates/own-gate/batches/")),
        "batches/<int:batch_id>/": rule(SEE_IT, url=of_batch("/batches/%s/")),
        "batches/<int:batch_id>/act/": rule(BATCH, url=of_batch("/batches/%s/act/"), method="post"),
        "batches/<int:batch_id>/failed/": rule(SEE_IT, url=of_batch("/batches/%s/failed/")),
        "api/v1/devices/<device>/report": rule(
            TOKENS_ONLY, url=of_gate("/api/v1/devices/d1/report"), method="post"
        ),
    }
