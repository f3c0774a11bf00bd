"""The switches of a pool behind Django: list them, add one with a token, set its kind."""

from typing import Any

from django.http import HttpRequest
from ninja import Status
from ninja.params import functions as param

from numbers import services
from numbers.api.common import Slug, pool_of, router
from numbers.models import Switch
from numbers.schemas import SwitchChangeIn, SwitchIn, SwitchMadeOut, SwitchOut
from numbers.selectors.switches import switches_of
from poolsite.access import principal_of_request
from poolsite.api.idempotency import shows_secret
from poolsite.api.root import ProblemError
from poolsite.moments import iso

Name: Any = param.Path(..., max_length=64, description="The switch's name.")


@router.get(
    "/{slug}/switches",
    response={200: list[SwitchOut]},
    summary="List switches",
)
def list_switches(request: HttpRequest, slug: str = Slug) -> Any:
    """The switches of a pool, by name."""
    pool = pool_of(principal_of_request(request), slug, "numbers.view")
    return [_out(switch) for switch in switches_of(pool)]


@router.post(
    "/{slug}/switches",
    response={201: SwitchMadeOut},
    summary="Add a switch",
)
@shows_secret
def post_switch(request: HttpRequest, switch: SwitchIn, slug: str = Slug) -> Any:
    """Add a switch and create its token. A switch that was only heard from gets a token, too."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, "numbers.operate")
    made, secret = services.switch_create(
        actor=principal, pool=pool, name=switch.name, kind=switch.kind
    )
    return Status(201, SwitchMadeOut(**_out(made).model_dump(), token=secret))


@router.patch(
    "/{slug}/switches/{name}",
    response={200: SwitchOut},
    summary="Change a switch",
)
def patch_switch(
    request: HttpRequest, change: SwitchChangeIn, slug: str = Slug, name: str = Name
) -> Any:
    """Set the type of a switch."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, "numbers.operate")
    switch = switches_of(pool).filter(name=name).first()
    if switch is None:
        raise ProblemError("not-found", "the pool has no switch with this name")
    return _out(services.switch_configure(actor=principal, switch=switch, kind=change.kind))


def _out(switch: Switch) -> SwitchOut:
    heard = switch.last_heard
    return SwitchOut(
        name=switch.name,
        kind="media" if switch.kind == "media" else "proxy",
        kind_chosen=switch.kind_chosen,
        incarnation=switch.incarnation,
        last_heard=iso(heard),
    )
