"""The guide to the first permit: create a gate, take a test permit, then connect devices."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import console
from poolsite.access.models import AuditEntry
from poolsite.aggregates.guides import create_step
from poolsite.console.goal_forms import PressForm
from poolsite.console.goals import Guide
from queueing.admission.forms import GateCreateForm
from queueing.admission.models import Gate, MinuteSample
from queueing.admission.selectors import GATES
from queueing.admission.services import gate_create
from queueing.admission.services.trial_permits import trial_permit, trial_permits

READ_PERMIT = """python3 -c 'import json, sys; print(json.load(sys.stdin)["token"])'"""


def register() -> None:
    """Register the goal. Called once, before the goals are first read."""
    console.register_goal(
        console.Goal(
            "permit",
            gettext_lazy("First permit"),
            gettext_lazy("A gate limits how many devices use an external system at once."),
            "traffic",
            2,
            (_gate_step(), _permit_step()),
            GATES.visible,
            ending="admission/guide_ending.html",
            ending_context=_commands,
            order=30,
        )
    )


def _gate_step() -> console.GoalStep:
    return create_step(
        Gate,
        gettext_lazy("Create a gate"),
        gettext_lazy("Give it a name and say how many devices may use the system at once."),
        "admission.create",
        page="admission:gate",
        form=GateCreateForm,
        first=("name", "cap"),
        button=gettext_lazy("Create gate"),
        create=lambda guide, form: gate_create(actor=guide.principal, **form.given()),
        said=gettext_lazy("Gate %(name)s created."),
    )


def _permit_step() -> console.GoalStep:
    return console.GoalStep(
        "permit",
        gettext_lazy("Take a test permit"),
        gettext_lazy(
            "Poolsite does what a device will do: take a permit and give it back. The slot is "
            "free again at once."
        ),
        "admission.operate",
        lambda guide: _taken(guide.things["gate"]),
        lambda _guide, made: _told(made),
        thing="gate",
        form=lambda _guide, data: PressForm(data),
        button=gettext_lazy("Take a test permit"),
        again=gettext_lazy("Take another test permit"),
        save=_try,
        template="admission/guide_permit.html",
        context=_answers,
    )


def _taken(gate: Gate) -> AuditEntry | MinuteSample | None:
    """Return the last test permit, or else a minute in which devices got permits."""
    granted = MinuteSample.objects.filter(gate=gate, granted__gt=0).order_by("minute")
    return trial_permits(gate).first() or granted.first()


def _told(made: AuditEntry | MinuteSample) -> str:
    if isinstance(made, MinuteSample):
        return _("Devices take permits")
    return _("Granted and returned")


def _try(guide: Guide, form: Any) -> str:
    token = form.cleaned_data["token"]
    trial_permit(actor=guide.principal, gate=guide.things["gate"], token=token)
    return _("Test permit granted and returned.")


def _answers(guide: Guide) -> dict[str, Any]:
    """Return the gate's replies to the last test permit."""
    made = guide.things.get("permit")
    return {"after": (made.after or {}) if isinstance(made, AuditEntry) else {}}


def _commands(guide: Guide, site: str) -> dict[str, Any]:
    """Return shell commands with which a device takes and releases a permit."""
    gate: Gate = guide.things["gate"]
    post = f"curl {site}/api/v1/gates/{gate.slug}"
    head = '-H "Authorization: Bearer $POOLSITE_TOKEN"'
    taken = '{"holder": "device-1"}'
    given_back = '{"holder": "device-1", "token": \'$PERMIT\'}'
    lines = (
        f"PERMIT=$({post}/acquire \\\n  {head} \\\n  -d '{taken}' | {READ_PERMIT})",
        f"{post}/release \\\n  {head} \\\n  -d '{given_back}'",
    )
    return {"command": "\n".join(lines)}
