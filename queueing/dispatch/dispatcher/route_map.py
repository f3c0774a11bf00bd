"""RouteMap: reads routes, rebuilds them after a loss, explains them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.keys import front_of
from queueing.dispatch.dispatcher.reasons import check
from queueing.dispatch.dispatcher.scripts import group_command, number

RESYNC_LIMIT: Final = 1_000
PAGE_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Route:
    """A session's route. `front` and `back` are IDs.

    `live`: False if one end restarted or is gone; a sweep will remove the route. `ending`: one end
    ended the session, and the other could not be notified yet. `provisional`: the only end that has
    reported it. `deadline_us`: of a timed route; `goes_at_us`: when the route is removed at the
    latest. `why`: least, turn, key:<key> or restored. `offered`: IDs of instances that were offered
    the session and did not accept it.
    """

    session: str
    front: str
    back: str
    back_name: str
    live: bool
    started_us: int
    deadline_us: int | None
    goes_at_us: int | None
    ending: bool
    provisional: Literal["", "front", "back"]
    messages_from_front: int
    messages_from_back: int
    why: str
    offered: tuple[str, ...] = ()


ROUTE_WORDS: Final = 12
_ENDS: Final = {"": "", "f": "front", "b": "back"}


def _route(fields: Sequence[str]) -> Route:
    session, its_back, name, live, started, deadline, goes, flags, of_front, of_back = fields[:10]
    why, offered = fields[10:]
    named_by = flags[1:] if flags[:1] == "p" else ""
    return Route(
        session=session,
        front=front_of(session),
        back=its_back,
        back_name=name,
        live=live == "1",
        started_us=int(started),
        deadline_us=number(deadline),
        goes_at_us=number(goes),
        ending=flags[:1] == "e",
        provisional=cast(Literal["", "front", "back"], _ENDS[named_by]),
        messages_from_front=int(of_front),
        messages_from_back=int(of_back),
        why=why,
        offered=tuple(offered.split()),
    )


def route(slug: str, session: str) -> Command[Route | None]:
    """Return a session's route, or None if there is no such session."""

    def read(reply: list[str]) -> Route | None:
        check(reply)
        return _route(reply[2 : 2 + ROUTE_WORDS]) if len(reply) > 2 else None

    return group_command("route", slug, [session], read, session)


@dataclass(frozen=True, slots=True)
class RoutePage:
    """A page of routes, ordered by session ID. `after`: for the next page, or "" if none."""

    as_of_us: int
    rows: tuple[Route, ...]
    after: str


def sessions_of(slug: str, peer: str, after: str = "", count: int = 200) -> Command[RoutePage]:
    """Return routes of a peer after a session ID, at most PAGE_LIMIT."""

    def read(reply: list[str]) -> RoutePage:
        check(reply)
        rows = tuple(
            _route(reply[start : start + ROUTE_WORDS])
            for start in range(3, len(reply), ROUTE_WORDS)
        )
        return RoutePage(int(reply[1]), rows, reply[2])

    return group_command("sessions_of", slug, [peer, after, count], read, peer)


@dataclass(frozen=True, slots=True)
class Resynced:
    """The result of one frame. `done`: it was the last one.

    `restored`: both ends have reported these sessions now; `provisional`: only this end has;
    `freed`: answered with `free` frames because they are void or have another instance.
    """

    restored: int
    provisional: int
    freed: int
    done: bool


def resync(
    slug: str,
    peer: str,
    link: str,
    sessions: Sequence[tuple[str, str, int | None]],
    last: bool,
) -> Command[Resynced]:
    """Report up to RESYNC_LIMIT sessions of a peer: (session, other end or "", deadline in µs).

    The other end is an ID or a name. Without a deadline the route is untimed. This may be run
    again. Raise DispatchRefusedError: replaced, malformed …, and behind if there is no room for the
    answer, so that the peer must send the frame again.
    """
    arguments: list[str | int] = [peer, link, int(last)]
    for session, other, deadline_us in sessions:
        arguments += [session, other, "" if deadline_us is None else deadline_us]

    def read(reply: list[str]) -> Resynced:
        check(reply)
        return Resynced(int(reply[1]), int(reply[2]), int(reply[3]), reply[4] == "1")

    return group_command("resync", slug, arguments, read, link)


@dataclass(frozen=True, slots=True)
class IfBlocked:
    """What would happen if the session's instance were blocked now.

    `ends` sessions would end, and new ones would go to `next_back`, or be refused for `reason`.
    """

    ends: int
    next_back: str
    next_name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExplainedRoute:
    """Why a session has its instance. `left_us`: until the route is removed at the latest.

    `front_state` and `back_state`: active, pending, stop (also if unknown); `back_manual`: open,
    drain, blocked; `back_upgrading`: an upgrade drains it; `back_ejected_until_us`: None if it is
    not ejected; `back_is_backup`: it gets sessions only while no primary can take them.
    """

    as_of_us: int
    route: Route
    left_us: int | None
    front_state: str
    back_state: str
    back_manual: str
    back_upgrading: bool
    back_ejected_until_us: int | None
    back_is_backup: bool
    if_blocked: IfBlocked


STATES: Final = {"a": "active", "p": "pending", "s": "stop", "": "stop"}


def explain(slug: str, session: str) -> Command[ExplainedRoute | None]:
    """Explain a session's route without changing it. Return None if there is no such session."""

    def read(reply: list[str]) -> ExplainedRoute | None:
        check(reply)
        if len(reply) <= 2:
            return None
        as_of = int(reply[1])
        route = _route(reply[2 : 2 + ROUTE_WORDS])
        fields = reply[2 + ROUTE_WORDS :]
        front_state, back_state, hand, flag, ends, next_back, name, reason, ejected, backup = fields
        return ExplainedRoute(
            as_of_us=as_of,
            route=route,
            left_us=None if route.goes_at_us is None else max(0, route.goes_at_us - as_of),
            front_state=STATES[front_state],
            back_state=STATES[back_state],
            back_manual={"o": "open", "d": "drain", "b": "blocked"}[hand],
            back_upgrading=flag == "1",
            back_ejected_until_us=number(ejected),
            back_is_backup=backup == "1",
            if_blocked=IfBlocked(int(ends), next_back, name, reason),
        )

    return group_command("explain", slug, [session], read, session)
