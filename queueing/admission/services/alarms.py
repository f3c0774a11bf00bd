"""Incidents of gates that exceed their thresholds. They close automatically."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext_noop

from poolsite.hotpath.rows import with_figures
from poolsite.moments import us_of
from poolsite.operations import incidents
from poolsite.operations.incidents import Trouble
from queueing.admission import gate as commands
from queueing.admission.models import Gate, GateEvent

OVERRUN, WAITING = "admission.overrun", "admission.waiting"
WINDOW = timedelta(minutes=5)


def check_alarms(now: datetime | None = None) -> dict[str, int]:
    """Check every gate. Return how many incidents are open."""
    now = now or datetime.now(UTC)
    gates = with_figures(Gate.objects.order_by("pk"), commands.show, patient=True)
    standing = 0
    for gate, figures in gates:
        standing += incidents.keep(OVERRUN, gate, _overrun(gate, now))
        if figures is not None:
            standing += incidents.keep(WAITING, gate, _waiting(gate, figures))
    return {"gates": len(gates), "standing": standing}


OVERRUN_LATE = gettext_noop(
    "Late results in the last 5 minutes: %(late)s. Each arrived after its permit had ended."
)
OVERRUN_COUNTED = gettext_noop(
    "Late results in the last 5 minutes: %(late)s. Counts of the external system above the "
    "concurrency limit: %(over)s (last count: %(told)s)."
)


def _overrun(gate: Gate, now: datetime) -> Trouble | None:
    """Return trouble for late results, or for more clients than the cap by the system's count."""
    since = us_of(now - WINDOW)
    events = GateEvent.objects.filter(aggregate=gate, at_us__gt=since)
    late = events.filter(event="late").count()
    counted = events.filter(event="overrun").order_by("-at_us").first()
    over = events.filter(event="overrun").count()
    if late + over <= gate.overrun_alarm:
        return None
    told = counted.data.split()[0] if counted is not None and counted.data else "-"
    return Trouble(
        severity="critical" if over else "warning",
        title=gettext_noop("Permits of gate %(gate)s were overrun"),
        detail=OVERRUN_COUNTED if over else OVERRUN_LATE,
        remedy=gettext_noop(
            "Check that devices stop by their deadline and that the external system refuses "
            "older tokens. Otherwise, increase the permit duration."
        ),
        url=f"/gates/{gate.slug}/",
        params={"gate": gate.slug, "late": late, "over": over, "told": told},
    )


def _waiting(gate: Gate, figures: commands.GateFigures) -> Trouble | None:
    if not gate.waiting_alarm or figures.waiting <= gate.waiting_alarm:
        return None
    return Trouble(
        severity="warning",
        title=gettext_noop("Many are waiting at gate %(gate)s"),
        detail=gettext_noop("%(waiting)s are waiting. %(used)s of %(cap)s slots are in use."),
        remedy=gettext_noop(
            "Wait, or raise the concurrency limit if the external system allows it."
        ),
        url=f"/gates/{gate.slug}/",
        params={
            "gate": gate.slug,
            "waiting": figures.waiting,
            "used": figures.used,
            "cap": figures.cap,
        },
    )
