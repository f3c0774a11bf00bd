"""Commands about calls other than events: forced ends, unpaid calls, live lists of switches."""

from collections.abc import Sequence
from dataclasses import dataclass

from numbers.pool.building import pool_command
from poolsite.hotpath import Command


@dataclass(frozen=True, slots=True)
class Forced:
    """The result of a forced hangup. The switch must be notified to hang up."""

    code: int
    number: str
    state: str
    reason: str
    call_id: str = ""
    switch: str = ""


def force_hangup(slug: str, number: str, reason: str, *, call_id: str = "") -> Command[Forced]:
    """End the number's call now. With `call_id`, end it only if it is that call."""
    return pool_command("force_hangup", slug, [number, call_id, reason, "end"], _forced)


def mark_unpaid(slug: str, number: str, call_id: str) -> Command[Forced]:
    """Mark a call whose next interval was refused. Live lists stop renewing it: its lease ends."""
    return pool_command("force_hangup", slug, [number, call_id, "", "unpaid"], _forced, number)


def _forced(reply: list[str]) -> Forced:
    more = dict(zip(reply[4::2], reply[5::2], strict=True))
    return Forced(
        int(reply[0]), reply[1], reply[2], reply[3], more.get("call_id", ""), more.get("switch", "")
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """One call of a switch's live list, as the switch reports it."""

    call_id: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class ListPart:
    """The result of a live list's part. `next_offset`: continue with a live_list without calls."""

    code: int
    reason: str
    renewed: int = 0
    next_offset: int | None = None
    adopted: tuple[Listed, ...] = ()
    lease_without_call: tuple[Listed, ...] = ()
    call_without_lease: tuple[Listed, ...] = ()
    released: tuple[Listed, ...] = ()
    hang_up: tuple[Listed, ...] = ()
    conflict: tuple[Listed, ...] = ()


def live_list(
    slug: str,
    switch: str,
    incarnation: str,
    as_of_us: int,
    calls: Sequence[Listed],
    *,
    first: bool,
    last: bool,
    offset: int = 0,
) -> Command[ListPart]:
    """Return the command of one part, up to ROWS_LIMIT calls; see numbers.pool.live_list_parts."""
    # Sixteen digits, so that the script compares them as text. 0 means that nothing was received
    # yet.
    args: list[str | int] = [
        *(switch, incarnation, f"{as_of_us:016d}"),
        *(int(first), int(last), offset),
    ]
    for item in calls:
        args += [item.call_id, item.number]
    return pool_command("live_list", slug, args, _list_part)


def _list_part(reply: list[str]) -> ListPart:
    if reply[0] != "1":
        return ListPart(int(reply[0]), reply[3])
    kinds: dict[str, list[Listed]] = {}
    for i in range(4, len(reply), 3):
        kinds.setdefault(reply[i], []).append(Listed(reply[i + 1], reply[i + 2]))
    return ListPart(
        code=1,
        reason="",
        renewed=int(reply[1]),
        next_offset=int(reply[2]) if reply[2] else None,
        **{kind: tuple(items) for kind, items in kinds.items()},
    )
