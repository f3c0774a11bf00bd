"""The actions on groups and who may do them. `dispatch.link` is a peer's right to its socket."""

from django.utils.translation import gettext_lazy as _

from poolsite.access import register_action
from poolsite.access.token_areas import (
    Example,
    TokenArea,
    TokenPurpose,
    TokenRight,
    register_area,
)
from queueing.dispatch.models import Group

VIEWERS = ("owner", "admin", "supervisor")


def register() -> None:
    """Register the actions. AppConfig.ready() calls this once."""
    register_action("dispatch.view", roles=VIEWERS, operators=True, tokens=True)
    register_action("dispatch.link", grants=["operate"], tokens=True)
    register_action("dispatch.operate", grants=["operate"], tokens=True)
    register_action("dispatch.configure", grants=["operate"])
    register_action("dispatch.create", grants=["operate"], everywhere=True)
    _register_tokens()


def _register_tokens() -> None:
    group = "/api/v1/groups/{slug}"
    register_area(
        TokenArea(
            "group",
            _("Dispatcher"),
            _("Groups"),
            _("All groups"),
            _("Choose at least one group."),
            Group.objects.all,
            (
                TokenRight("dispatch.view", _("View groups and sessions"), Example("GET", group)),
                TokenRight(
                    "dispatch.link",
                    _("Connect an instance"),
                    Example("WS", "/ws/dispatch/{slug}/back/"),
                ),
                TokenRight(
                    "dispatch.operate",
                    _("Drain and block instances"),
                    Example("POST", f"{group}/instances/INSTANCE/manual", '{"state": "drain"}'),
                ),
            ),
            order=50,
        ),
        TokenPurpose(
            "instance",
            _("Instance or front-end"),
            _("Connects to a dispatcher group and opens or takes sessions"),
            "hub",
            ("dispatch.view", "dispatch.link"),
            order=50,
        ),
    )
