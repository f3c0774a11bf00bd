"""The guide to the first session: create a group, then connect an instance and a front-end."""

from typing import Any, Final

from django.utils.translation import gettext_lazy, ngettext

from poolsite import console
from poolsite.access.mails import site_of
from poolsite.aggregates.guides import create_step
from poolsite.console.goals import Guide
from queueing.dispatch import selectors
from queueing.dispatch.dispatcher import GroupFigures
from queueing.dispatch.forms import GroupCreateForm
from queueing.dispatch.models import Group
from queueing.dispatch.services import group_create

# Both peers, with the client library (integrations/dispatch_client). A test runs this script.
SCRIPT: Final = """\
import asyncio, os
from poolsite_dispatch import *

settings = Settings(
    servers=["%(server)s"], group="%(group)s", token=os.environ["POOLSITE_TOKEN"]
)

async def main():
    instance = Instance(settings, InstanceHandler(), name="first", version="1", capacity=10)
    front_end = FrontEnd(settings, FrontHandler(), profile="HTTP")
    async with instance, front_end:
        await instance.wait_registered()
        started = await front_end.start({"hello": "world"})
        print("session", started.session, "on", started.instance)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def register() -> None:
    """Register the goal. Called once, before the goals are first read."""
    console.register_goal(
        console.Goal(
            "session",
            gettext_lazy("First session"),
            gettext_lazy("A group keeps each front-end session on one instance."),
            "hub",
            5,
            (_group_step(), _session_step()),
            selectors.GROUPS.visible,
            topic=_topic,
            ending="dispatch/guide_ending.html",
            order=50,
        )
    )


def _group_step() -> console.GoalStep:
    return create_step(
        Group,
        gettext_lazy("Create a group"),
        gettext_lazy("Front-ends and application servers that belong together."),
        "dispatch.create",
        page="dispatch:group",
        form=GroupCreateForm,
        button=gettext_lazy("Create group"),
        create=lambda guide, form: group_create(actor=guide.principal, **form.cleaned_data),
        said=gettext_lazy("Group %(name)s created."),
    )


def _session_step() -> console.GoalStep:
    return console.GoalStep(
        "session",
        gettext_lazy("Connect an instance and a front-end"),
        gettext_lazy(
            "Both connect by websocket with an API token. The first session that the front-end "
            "opens completes this step."
        ),
        "dispatch.create",
        _started,
        lambda _guide, figures: _told(figures.started),
        thing="group",
        template="dispatch/guide_session.html",
        context=_now,
    )


def _figures(guide: Guide) -> GroupFigures | None:
    return selectors.GROUPS.with_figures([guide.things["group"]], patient=True)[0].figures


def _started(guide: Guide) -> GroupFigures | None:
    figures = _figures(guide)
    return figures if figures is not None and figures.started else None


def _told(count: int) -> str:
    return ngettext("%(n)s session opened", "%(n)s sessions opened", count) % {"n": f"{count:,}"}


def _now(guide: Guide) -> dict[str, Any]:
    site = site_of(guide.request) if guide.request is not None else ""
    script = SCRIPT % {"server": site.replace("http", "ws", 1), "group": guide.things["group"].slug}
    return {"figures": _figures(guide), "script": script}


def _topic(guide: Guide) -> str:
    group = None if guide.is_finished else guide.things.get("group")
    return f"dispatch.group:{group.slug}" if group is not None else ""
