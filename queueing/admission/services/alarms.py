"""Gates compared with their thresholds: an incident opens, and closes by itself."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext_noop

from poolsite import hotpath
from poolsite.operations import incidents
from queueing.admission import gate as door
from queueing.admission.models import Gate, GateEvent

OVERRUN, WAITING = "admission.overrun", "admission.waiting"
WINDOW = timedelta(minutes=5)


def check_alarms(now: datetime | None = None) -> dict[str, int]:
    """Look at every gate; returns how many incidents stand."""
    now = now or datetime.now(UTC)
    gates = list(Gate.objects.order_by("pk"))
    figures = hotpath.run_batch([door.show(gate.slug) for gate in gates])
    standing = 0
    for gate, its in zip(gates, figures, strict=True):
        standing += _overrun(gate, now)
        if its is not None and not isinstance(its, hotpath.HotPathError):
            standing += _waiting(gate, its)
    return {"gates": len(gates), "standing": standing}


def _overrun(gate: Gate, now: datetime) -> bool:
    """Results after the permit's end, or more clients than the cap by the system's own count."""
    since = int((now - WINDOW).timestamp() * 1_000_000)
    events = GateEvent.objects.filter(aggregate=gate, at_us__gt=since)
    late = events.filter(event="late").count()
    counted = events.filter(event="overrun").order_by("-at_us").first()
    over = events.filter(event="overrun").count()
    if late + over <= gate.overrun_alarm:
        incidents.close(type=OVERRUN, object=gate.slug)
        return False
    told = counted.data.split()[0] if counted is not None and counted.data else "-"
    incidents.open(
        type=OVERRUN,
        object=gate.slug,
        severity="critical" if over else "warning",
        title=gettext_noop("Permits of gate %(gate)s were overrun"),
        detail=gettext_noop(
            "In the last 5 minutes %(late)s results came after their permit had ended, and the "
            "external system counted more than the cap %(over)s times (%(told)s at last)."
        ),
        remedy=gettext_noop(
            "See whether devices stop by their deadline and the external system refuses older "
            "tokens; else make permits longer."
        ),
        url=f"/gates/{gate.slug}/",
        account=gate.account_id,
        params={"gate": gate.slug, "late": late, "over": over, "told": told},
    )
    return True


def _waiting(gate: Gate, figures: door.Figures) -> bool:
    if not gate.waiting_alarm or figures.waiting <= gate.waiting_alarm:
        incidents.close(type=WAITING, object=gate.slug)
        return False
    incidents.open(
        type=WAITING,
        object=gate.slug,
        severity="warning",
        title=gettext_noop("Many wait at gate %(gate)s"),
        detail=gettext_noop("%(waiting)s wait; %(used)s of %(cap)s slots are in use."),
        remedy=gettext_noop("Raise the cap if the external system allows it, or wait."),
        url=f"/gates/{gate.slug}/",
        account=gate.account_id,
        params={
            "gate": gate.slug,
            "waiting": figures.waiting,
            "used": figures.used,
            "cap": figures.cap,
        },
    )
    return True
