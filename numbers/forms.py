"""What people type into the pages of the pools."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers.models import Pool, SwitchKind
from poolsite import number_format
from poolsite.operations.forms import AggregateCreateForm, field_groups

SETTINGS = (
    (
        _("Name and alerts"),
        "",
        (
            "name",
            "description",
            "blocking_alarm_percent",
            "occupancy_alarm_percent",
            "short_call_seconds",
        ),
    ),
    (
        _("Number selection"),
        _(
            "The number that has been idle longest is picked first. These settings change "
            "the order."
        ),
        ("cooldown_seconds", "daily_cap", "sticky_seconds", "near", "callback_window_seconds"),
    ),
    (
        _("Leases"),
        _("What happens to a call whose end is never reported."),
        ("lease_seconds", "suspect_seconds", "switch_interval_seconds", "restart_rest_seconds"),
    ),
    (
        _("Number format"),
        _("Numbers are accepted in any format, then stored and compared in one."),
        ("home_country", "number_spelling"),
    ),
    (
        _("Limits and charging"),
        "",
        (
            *("waiters_limit", "log_limit", "charged", "charge_interval_seconds"),
            "added_by_script",
        ),
    ),
)


class PoolCreateForm(AggregateCreateForm):
    """The first thing an operator makes."""

    model = Pool
    slug_help = _("Switches and Redis use it to identify the pool. It can't be changed later.")
    slug_taken = _("This short name is or was used by another pool. Choose a different one.")


if TYPE_CHECKING:
    PoolForm = forms.ModelForm[Pool]
else:
    PoolForm = forms.ModelForm


class PoolSettingsForm(PoolForm):
    """Everything about a pool that an operator may change; saved by the service, not here."""

    class Meta:
        model = Pool
        fields = [name for _title, _hint, names in SETTINGS for name in names]
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}

    def groups(self) -> list[dict[str, Any]]:
        """The cards of the page."""
        return field_groups(self, SETTINGS)

    def changes(self) -> dict[str, Any]:
        """The settings that differ from the stored ones."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


class SwitchForm(forms.Form):
    """A switch and its kind."""

    name = forms.CharField(
        label=_("Name"),
        max_length=64,
        help_text=_("The name the switch uses when it reports events."),
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
    )
    kind = forms.ChoiceField(
        label=_("Type"),
        choices=SwitchKind.choices,
        initial=SwitchKind.PROXY,
    )


class WhoHadForm(forms.Form):
    """Who had it, at one moment."""

    what = forms.CharField(
        label=_("Number, callee, agent or call ID"),
        max_length=128,
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
    )
    by = forms.ChoiceField(
        label=_("Search by"),
        choices=[
            ("number", _("Pool number")),
            ("callee", _("Callee")),
            ("agent", _("Agent")),
            ("call_id", _("Call ID")),
        ],
    )
    at = forms.DateTimeField(
        label=_("Time"),
        widget=forms.DateTimeInput(
            attrs={"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S"
        ),
        input_formats=["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"],
    )

    def clean(self) -> dict[str, Any]:
        """Write numbers as the history does."""
        found = super().clean() or self.cleaned_data
        what, by = found.get("what", ""), found.get("by")
        if by in ("number", "callee") and what:
            result = number_format.normalise(what)
            if isinstance(result, number_format.Normalised):
                found["what"] = result.value
            elif by == "number":
                self.add_error("what", _("Enter a valid number."))
        at = found.get("at")
        if at and at > timezone.now():
            self.add_error("at", _("Enter a time in the past."))
        return found
