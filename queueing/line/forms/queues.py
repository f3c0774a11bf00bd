"""The form of a queue's settings."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from poolsite.console.settings_forms import SettingsMixin, SettingsSection
from poolsite.console.short_names import ShortNameMixin
from poolsite.moments import zone_names
from queueing.line.forms.fields import HoursField, LinesField, hours_as_text
from queueing.line.models import Desk, Queue
from queueing.line.services.common import zone_of
from queueing.line.services.hours import join_at_midnight, split_at_midnight

DAYS = [f"day_{number}" for number in range(7)]
SECTIONS = (
    SettingsSection(_("Basics"), ("name", "slug", "is_open", "welcome", "topics")),
    SettingsSection(
        _("Waiting"),
        ("max_wait_seconds", "max_length", "overflow", "grace_seconds"),
    ),
    SettingsSection(
        _("Serving visitors"),
        ("mode", "offer_seconds", "decline_seconds", "misses_limit"),
        _(
            "Within a class, visitors are served in order of arrival, by the agent with the "
            "fewest rooms, then the one idle longest."
        ),
    ),
    SettingsSection(_("Rooms"), ("wrap_up_seconds", "room_grace_seconds")),
    SettingsSection(
        _("Hours"),
        ("always", *DAYS, "zone", "closed_text"),
        _(
            "A time range can run past midnight, such as 22:00-06:00. Visitors already in "
            "line are still served after closing."
        ),
    ),
    SettingsSection(_("Routing"), ("skills_relax_seconds", "no_agent", "no_agent_seconds")),
    SettingsSection(
        _("Service level and alerts"),
        ("answer_within_seconds", "service_level_alarm_percent", "longest_wait_alarm_seconds"),
    ),
    SettingsSection(
        _("Advanced"),
        ("ttl_seconds", "agent_grace_seconds", "position"),
        _("Heartbeats and the position in lists"),
        advanced=True,
    ),
)
OFFERED = ("offer_seconds", "decline_seconds", "misses_limit")
NOT_WAITING = (Queue.NoAgent.OVERFLOW, Queue.NoAgent.FORM, Queue.NoAgent.END)

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Queue]
else:
    ModelForm = forms.ModelForm


def zone_field(desk: Desk) -> forms.ChoiceField:
    """Return the field for the time zone of a queue's hours; empty means the desk's zone."""
    of_desk = _("Same as the desk: %(zone)s") % {"zone": zone_of(desk)}
    return forms.ChoiceField(
        label=_("Time zone"),
        choices=[("", of_desk), *((name, name) for name in sorted(zone_names()))],
        required=False,
    )


class QueueForm(ShortNameMixin, SettingsMixin, ModelForm):
    """All settings of a queue. The service saves them, not this form."""

    sections = SECTIONS
    depends = {
        **dict.fromkeys(OFFERED, ("mode", (Queue.Mode.OFFER,))),
        **dict.fromkeys((*DAYS, "zone"), ("always", ("",))),
        "no_agent_seconds": ("no_agent", NOT_WAITING),
    }

    topics = LinesField(
        label=_("Topics"),
        most=20,
        length=80,
        help_text=_("One per line. Visitors choose one. Set where each topic leads under Topics."),
    )
    always = forms.BooleanField(label=_("Always open"), required=False)

    class Meta:
        model = Queue
        fields = [
            *("slug", "name", "welcome", "closed_text", "position", "mode", "offer_seconds"),
            *("decline_seconds", "misses_limit", "wrap_up_seconds"),
            *("skills_relax_seconds", "ttl_seconds"),
            *("grace_seconds", "room_grace_seconds", "agent_grace_seconds", "max_length"),
            *("max_wait_seconds", "overflow", "no_agent"),
            *("no_agent_seconds", "answer_within_seconds", "service_level_alarm_percent"),
            *("longest_wait_alarm_seconds", "is_open"),
        ]
        widgets = {
            "welcome": forms.Textarea(attrs={"rows": 2}),
            "closed_text": forms.Textarea(attrs={"rows": 2}),
        }
        labels = {"slug": _("Short name")}
        help_texts = {
            "slug": _("The visitor page is /q/<short name>/. It can't be changed later."),
            "name": _("Visitors see it while they wait."),
            "welcome": _("Shown above the place in line."),
            "closed_text": _("Shown on the queue's page outside its hours."),
            "position": _("Lower numbers come first in the desk's lists."),
            "max_length": _("Further visitors go to the overflow queue, or can't join."),
            "overflow": _("For visitors whom this queue can't take or serve."),
            "grace_seconds": _("For visitors who lose the connection while they wait."),
            "room_grace_seconds": _("For visitors who lose the connection during a chat."),
            "offer_seconds": _("Then the next free agent is asked."),
            "wrap_up_seconds": _("Before the agent's next visitor. 0: none."),
            "skills_relax_seconds": _("Each time a visitor has waited this long. 0: never."),
            "no_agent": _("What visitors get when no agent is online."),
            "no_agent_seconds": _("How long a visitor waits before that."),
            "answer_within_seconds": _("The goal that the service level counts."),
            "service_level_alarm_percent": _("Alert when the service level is below this."),
            "longest_wait_alarm_seconds": _("Alert when someone has waited this long."),
            "ttl_seconds": _(
                "Visitors and agents count as away after this long without a heartbeat."
            ),
        }

    def __init__(self, *args: Any, desk: Desk, **kwargs: Any) -> None:
        queue: Queue | None = kwargs.get("instance")
        week = join_at_midnight(queue.hours) if queue is not None else {}
        initial = {
            "topics": "\n".join(str(topic) for topic in queue.topics) if queue is not None else "",
            "always": not week,
            "zone": queue.zone if queue is not None else "",
            **{f"day_{day}": hours_as_text(spans) for day, spans in week.items()},
        }
        kwargs["initial"] = {**initial, **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        for number, name in WEEKDAYS.items():
            self.fields[f"day_{number}"] = HoursField(label=name, over_midnight=True)
            self.fields[f"day_{number}"].widget.attrs["data-hours-day"] = str(number)
        self.fields["zone"] = zone_field(desk)
        overflow = self.fields["overflow"]
        if isinstance(overflow, forms.ModelChoiceField):
            others = desk.queues.exclude(pk=queue.pk) if queue is not None else desk.queues.all()
            overflow.queryset, overflow.empty_label = others, str(_("none"))
        if queue is not None:
            del self.fields["slug"], self.fields["topics"]

    def clean(self) -> dict[str, Any]:
        """Build the week's hours from the fields of the seven days."""
        found = super().clean() or self.cleaned_data
        week = split_at_midnight({day[4:]: found[day] for day in DAYS if found.get(day)})
        if not found.get("always") and not week and not any(day in self.errors for day in DAYS):
            self.add_error("always", ValidationError(_("Enter the hours or select “Always open”.")))
        found["hours"] = {} if found.get("always") else week
        return found

    def settings(self) -> dict[str, Any]:
        """Return the settings in the form that the service takes."""
        names = [*self._meta.fields, "topics", "hours", "zone"] if self._meta.fields else []
        return {name: self.cleaned_data[name] for name in names if name in self.cleaned_data}

    def changes(self) -> dict[str, Any]:
        """Return the settings that the user changed. The day fields make up the queue's hours."""
        found = super().changes()
        of_hours = [found.pop(name) for name in ("always", *DAYS) if name in found]
        return found | ({"hours": self.cleaned_data["hours"]} if of_hours else {})

    def _post_clean(self) -> None:
        """Leave the instance as it is stored. The service validates and saves."""
