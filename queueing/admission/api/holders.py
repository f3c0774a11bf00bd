"""The routes of a gate's permits and waiting line, which are read from Redis."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite import hotpath
from poolsite.access import principal_of_request
from poolsite.api.pages import Page, check_known
from poolsite.api.root import ProblemError
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.api.common import Slug, gate_of, is_rebuilt
from queueing.admission.api.managing_schemas import FreeIn, HolderOut, HoldersIn, WaiterOut

holders = Router(tags=["gates"])
Who: Any = param.Path(
    ...,
    pattern=r"^[@#]?[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$",
    description="A name, `@device`, or `#token` for an anonymous permit.",
)
Row = TypeVar("Row", commands.Holder, commands.Waiter)
PLACE: Final = re.compile(r"([0-9]{16}) ([@#]?[A-Za-z0-9._:-]{1,64})")


@holders.get("/{slug}/holders", response={200: Page[HolderOut]}, summary="List permits")
def list_holders(request: HttpRequest, asked: Query[HoldersIn], slug: str = Slug) -> Any:
    """The permits in use, earliest deadline first.

    If a permit ends while you read the pages, the others keep their place. A permit that is renewed
    meanwhile can appear twice.
    """
    check_known(request, asked)
    gate = gate_of(principal_of_request(request), slug)
    try:
        found = hotpath.run(commands.holders(gate.slug, _place(asked.cursor), asked.limit + 1))
    except commands.GateRefusedError as error:
        is_rebuilt(error)
        return Page(data=[], next=None)
    return _page(
        found.rows,
        asked.limit,
        lambda row: _holder_out(gate.slug, row),
        lambda row: (row.deadline_us, row.holder),
    )


@holders.get("/{slug}/holders/{holder}", response={200: HolderOut}, summary="Get a permit")
def get_holder(request: HttpRequest, slug: str = Slug, holder: str = Who) -> Any:
    """The permit of a holder."""
    gate = gate_of(principal_of_request(request), slug)
    try:
        found = hotpath.run(commands.holder(gate.slug, holder))
    except commands.GateRefusedError as error:
        is_rebuilt(error)
        found = None
    if found is None:
        raise ProblemError("unknown-permit")
    return _holder_out(gate.slug, found)


@holders.post("/{slug}/holders/{holder}/free", response={204: None}, summary="Free a slot")
def free_holder(request: HttpRequest, given: FreeIn, slug: str = Slug, holder: str = Who) -> Any:
    """End the permit of a holder. If a device has the permit, its task becomes pending again.

    `token` identifies the permit, so a permit that was granted meanwhile stays valid. The holder
    may still use the external system. Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    services.permit_free(actor=principal, gate=gate, holder=holder, **given.model_dump())
    return Status(204, None)


@holders.get("/{slug}/line", response={200: Page[WaiterOut]}, summary="List the waiting line")
def list_line(request: HttpRequest, asked: Query[HoldersIn], slug: str = Slug) -> Any:
    """The requesters that wait for a slot, in order of arrival."""
    check_known(request, asked)
    gate = gate_of(principal_of_request(request), slug)
    try:
        found = hotpath.run(commands.line(gate.slug, _place(asked.cursor), asked.limit + 1))
    except commands.GateRefusedError as error:
        is_rebuilt(error)
        return Page(data=[], next=None)
    return _page(found.rows, asked.limit, _waiter_out, lambda row: (row.arrived_us, row.who))


def _holder_out(slug: str, row: commands.Holder) -> dict[str, Any]:
    return {
        "holder": row.holder,
        "token": row.token,
        "granted": row.granted_us,
        "deadline": row.deadline_us,
        "task": None if row.task is None else f"{slug}.{row.task}",
        "weight": row.weight,
    }


def _waiter_out(row: commands.Waiter) -> dict[str, Any]:
    return {
        "holder": row.who,
        "arrived": row.arrived_us,
        "asked": row.asked_us,
        "weight": row.weight,
    }


def _page(
    rows: Sequence[Row],
    limit: int,
    out: Callable[[Row], dict[str, Any]],
    place: Callable[[Row], tuple[int, str]],
) -> dict[str, Any]:
    """Return a page. `rows` has one row more than `limit` if there is a next page."""
    last = _cursor(*place(rows[limit - 1])) if len(rows) > limit else None
    return {"data": [out(row) for row in rows[:limit]], "next": last}


def _cursor(us: int, name: str) -> str:
    return base64.urlsafe_b64encode(f"{us:016d} {name}".encode()).decode().rstrip("=")


def _place(cursor: str) -> int | tuple[int, str]:
    """Return where a page begins. Raise ProblemError `malformed` if the cursor is invalid."""
    if not cursor:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        text = ""
    found = PLACE.fullmatch(text)
    if found is None:
        raise ProblemError("malformed", "cursor: use `next` of the page before")
    return int(found[1]), found[2]
