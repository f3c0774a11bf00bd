"""The list of groups, live, and the form for the first group."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite.aggregates.columns import figure_column, first_columns, hour_column
from poolsite.aggregates.lists import AggregateList, Words
from poolsite.console.lists import Column
from queueing.dispatch import selectors, services
from queueing.dispatch.forms import GroupCreateForm
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import GroupNow


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
        *first_columns("group", _("Group")),
        figure_column("sessions", _("Sessions")),
        figure_column("active", _("Links active")),
        figure_column("pending", _("Links pending")),
        hour_column("started", _("Started, last hour")),
        hour_column("refused", _("Refused, last hour")),
    ]


LIST = AggregateList[Group, GroupNow](
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
    visible=selectors.GROUPS.visible,
    figures=selectors.GROUPS.with_hours,
    columns=_columns,
    form=GroupCreateForm,
    create=services.group_create,
    made=lambda group: (
        _("Group %(name)s created. Its front-ends and instances can link now.")
        % {"name": group.name}
    ),
    goes_to="dispatch:group",
    goal="session",
    incidents="dispatch.",
)
