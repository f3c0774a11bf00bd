"""All groups live, and the first group."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from poolsite.access import Principal
from poolsite.aggregates.lists import AggregateList, Words, state_column
from poolsite.console.lists import Column
from queueing.dispatch import selectors, services
from queueing.dispatch.forms import GroupCreateForm
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import GroupNow


@require_GET
def group_list(request: HttpRequest) -> HttpResponse:
    """Every group that the reader may see, with its figures; state in the address."""
    return GROUPS.view(request)


@require_http_methods(["GET", "HEAD", "POST"])
def group_create(request: HttpRequest) -> HttpResponse:
    """Make a group, then show it."""
    return GROUPS.make(request)


def _words() -> Words:
    return Words(
        title=_("Dispatcher"),
        new=_("New group"),
        create=_("Create group"),
        none=_("No groups yet"),
        none_why=_(
            "A group keeps each front-end session on one application-server instance, and "
            "lets you upgrade instances without losing sessions."
        ),
        first=_("Create the first group"),
        unlike=_("No groups match"),
        unlike_why=_("Try a different name."),
    )


def _columns() -> list[Column[GroupNow]]:
    return [
        Column("group", _("Group"), lambda row: row.group.name, right=False),
        state_column(lambda row: row.group),
        *(
            Column(name, label, _figure(name))
            for name, label in (
                ("sessions", _("Sessions")),
                ("active", _("Links active")),
                ("pending", _("Links pending")),
            )
        ),
        Column("started", _("Started, last hour"), _of_hour("started")),
        Column("refused", _("Refused, last hour"), _of_hour("refused")),
    ]


def _figure(name: str) -> Callable[[GroupNow], int | None]:
    return lambda row: getattr(row.figures, name, None)


def _of_hour(name: str) -> Callable[[GroupNow], int]:
    return lambda row: row.hour[name]


def _create(principal: Principal, form: Any) -> Group:
    return services.group_create(actor=principal, **form.cleaned_data)


GROUPS = AggregateList[Group, GroupNow](
    kind="group",
    icon="hub",
    template="dispatch/groups.html",
    url="dispatch:groups",
    create_url="dispatch:group_create",
    view_action="dispatch.view",
    create_action="dispatch.create",
    topic="dispatch.groups",
    words=_words,
    counted=lambda n: ngettext("%(n)s group", "%(n)s groups", n) % {"n": f"{n:,}"},
    visible=selectors.visible_groups,
    figures=selectors.with_hours,
    columns=_columns,
    form=GroupCreateForm,
    create=_create,
    made=lambda group: (
        _("Group %(name)s created. Its front-ends and instances can link now.")
        % {"name": group.name}
    ),
    goes_to="dispatch:group",
    goal="session",
    incidents="dispatch.",
)
