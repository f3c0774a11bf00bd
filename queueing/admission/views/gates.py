"""The list of gates, live, and the form for the first gate."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite.aggregates.columns import figure_column, first_columns, hour_column
from poolsite.aggregates.lists import AggregateList, Words
from poolsite.console.lists import Column
from queueing.admission import selectors, services
from queueing.admission.forms import GateCreateForm
from queueing.admission.models import Gate
from queueing.admission.selectors import GateNow


def _words() -> Words:
    return Words(
        title=_("Gates"),
        new=_("New gate"),
        create=_("Create gate"),
        none=_("No gates yet"),
        none_why=_(
            "A gate limits how many devices use an external system at once, and frees slots "
            "that are never released."
        ),
        first=_("Create the first gate"),
        unlike=_("No gates match"),
        unlike_why=_("Try a different name."),
    )


def _columns() -> list[Column[GateNow]]:
    return [
        *first_columns("gate", _("Gate")),
        Column("use", _("In use"), lambda row: getattr(row.figures, "used", None), right=False),
        figure_column("waiting", _("Waiting")),
        hour_column("refused", _("Refused, last hour")),
        hour_column("expired", _("Expired, last hour")),
        hour_column("overrun", _("Overrun, last hour")),
    ]


LIST = AggregateList[Gate, GateNow](
    kind="gate",
    icon="traffic",
    template="admission/gates.html",
    url="admission:gates",
    create_url="admission:gate_create",
    view_action="admission.view",
    create_action="admission.create",
    topic="admission.gates",
    words=_words,
    counted=lambda n: ngettext("%(n)s gate", "%(n)s gates", n) % {"n": f"{n:,}"},
    visible=selectors.GATES.visible,
    figures=selectors.GATES.with_hours,
    columns=_columns,
    form=GateCreateForm,
    create=services.gate_create,
    made=lambda gate: _("Gate %(name)s created. Next, upload a batch.") % {"name": gate.name},
    goes_to="admission:gate",
    goal="permit",
    incidents="admission.",
)
