"""A switch's list of its live calls, run in parts that each take Redis a moment."""

from typing import Any

from numbers import pool
from numbers.api.answers import Answered, answer_of, failure_of
from numbers.api.directory import PoolRef
from numbers.api.processing import check_switch
from numbers.api.releasing import release_later
from numbers.api.server_time import server_time
from numbers.pool import Listed, ListPart
from numbers.schemas import LiveList
from poolsite import hotpath
from poolsite.access import Principal

_KINDS = (
    "adopted",
    "lease_without_call",
    "call_without_lease",
    "released",
    "hang_up",
    "conflict",
)


async def report(ref: PoolRef, principal: Principal, given: LiveList) -> Answered:
    """Renew leases, adopt calls, and return the differences. Raise the runner's errors.

    If a list is lost half-way, the next one completes the work: parts are safe to repeat.
    """
    as_of = await server_time().now_us()
    try:
        check_switch(principal, given.switch)
    except PermissionError as error:
        return failure_of(error, as_of=as_of)
    calls = [Listed(call.call_id, ref.stored(call.number)) for call in given.calls]
    size = pool.ROWS_LIMIT
    chunks = [calls[start : start + size] for start in range(0, len(calls), size)] or [[]]
    parts: list[ListPart] = []
    for index, chunk in enumerate(chunks):
        first, last = index == 0, index == len(chunks) - 1
        parts.append(await _part(ref, given, chunk, first=first, last=last))
        if parts[-1].code != pool.OK:
            return _refused(parts[-1], as_of)
    while parts[-1].next_offset is not None:
        offset = parts[-1].next_offset
        parts.append(await _part(ref, given, [], first=False, last=True, offset=offset))
        if parts[-1].code != pool.OK:
            return _refused(parts[-1], as_of)
    release_later(ref.slug)  # a list can be the first report of a new incarnation
    return 200, _body(ref, parts, await server_time().now_us())


async def _part(
    ref: PoolRef,
    given: LiveList,
    chunk: list[Listed],
    *,
    first: bool,
    last: bool,
    offset: int = 0,
) -> ListPart:
    return await hotpath.arun(
        pool.live_list(
            ref.slug,
            given.switch,
            given.incarnation,
            given.as_of,
            chunk,
            first=first,
            last=last,
            offset=offset,
        )
    )


def _refused(part: ListPart, as_of: int) -> Answered:
    return answer_of(pool.EventOutcome(part.code, "", "", part.reason), as_of=as_of)


def _body(ref: PoolRef, parts: list[ListPart], as_of: int) -> dict[str, Any]:
    body: dict[str, Any] = {
        "outcome": "ok",
        "as_of": as_of,
        "renewed": sum(part.renewed for part in parts),
    }
    for kind in _KINDS:
        body[kind] = [
            {"call_id": item.call_id, "number": ref.spelled(item.number)}
            for part in parts
            for item in getattr(part, kind)
        ]
    # What a switch acts on: calls that it has and that must end.
    body["hang_up"] = [item["call_id"] for item in body["hang_up"]]
    return body
