"""The permissions of the line, by role, grant and token."""

from django.utils.translation import gettext_lazy as _

from poolsite.access import register_action
from poolsite.access.token_areas import (
    Example,
    TokenArea,
    TokenPurpose,
    TokenRight,
    register_area,
)
from queueing.line.models import Desk


def register() -> None:
    """Register the actions. Called once, by AppConfig.ready()."""
    watchers = ("owner", "admin", "supervisor")
    register_action("line.view", roles=watchers, grants=["supervise"], operators=True, tokens=True)
    register_action(
        "line.supervise",
        roles=["supervisor", "admin"],
        grants=["supervise", "operate"],
        tokens=True,
    )
    register_action("line.configure", roles=["owner", "admin"], grants=["operate"])
    register_action("line.erase", roles=["owner", "admin"], grants=["operate"], tokens=True)
    register_action("line.create", grants=["operate"], everywhere=True)
    register_action("line.serve", roles=["agent", "supervisor", "admin", "owner"], tokens=True)
    register_action(
        "line.answer",
        roles=["agent", *watchers],
        grants=["supervise", "operate"],
        tokens=True,
    )
    register_action(
        "line.messages",
        roles=["agent", *watchers],
        grants=["supervise"],
        operators=True,
        tokens=True,
    )
    register_action("line.visit", visitors=True, tokens=True)
    _register_tokens()


def _register_tokens() -> None:
    desk = "/api/v1/desks/{slug}"
    register_area(
        TokenArea(
            "desk",
            _("Desks"),
            _("Desks"),
            _("All desks"),
            _("Choose at least one desk."),
            Desk.objects.all,
            _desk_rights(desk),
            order=30,
        ),
        TokenPurpose(
            "chat",
            _("Chat on your site"),
            _("Brings visitors into a queue and shows them the chat"),
            "forum",
            ("line.visit",),
            order=40,
        ),
    )


def _desk_rights(desk: str) -> tuple[TokenRight, ...]:
    ended = '{"reason": "No answer"}'
    erasure = '{"visit": "VISIT", "reason": "Asked by the visitor"}'
    return (
        TokenRight(
            "line.view", _("View queues and waiting visitors"), Example("GET", f"{desk}/floor")
        ),
        TokenRight(
            "line.visit",
            _("Bring visitors into a queue"),
            Example("POST", "/api/v1/queues/QUEUE/join", '{"name": "Test"}'),
        ),
        TokenRight(
            "line.serve",
            _("Serve visitors as an agent"),
            Example("GET", "/api/v1/agent/colleagues?agent=AGENT"),
        ),
        TokenRight(
            "line.supervise",
            _("Supervise agents and rooms"),
            Example("POST", f"{desk}/visits/VISIT/end", ended),
        ),
        TokenRight(
            "line.messages", _("Read left messages"), Example("GET", f"{desk}/left-messages")
        ),
        TokenRight(
            "line.answer",
            _("Answer left messages"),
            Example("POST", f"{desk}/left-messages/MESSAGE/handled", "{}"),
        ),
        TokenRight(
            "line.erase",
            _("Erase visitor data"),
            Example("POST", f"{desk}/erasures", erasure),
            erases=True,
        ),
    )
