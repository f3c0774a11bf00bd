"""The forms of the pools' pages."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers.models import Pool, SwitchKind
from poolsite import number_format
from poolsite.aggregates.forms import AggregateCreateForm
from poolsite.console.settings_forms import SettingsMixin, SettingsSection

SECTIONS = (
    SettingsSection(
        _("Basics"),
        ("name", "description", "blocking_alarm_percent", "occupancy_alarm_percent"),
    ),
    SettingsSection(
        _("Number selection"),
        ("cooldown_seconds", "daily_cap", "sticky_seconds", "near", "callback_window_seconds"),
        _(
            "The number that has been idle longest is picked first. These settings change "
            "the order."
        ),
    ),
    SettingsSection(
        _("Leases"),
        ("lease_seconds", "suspect_seconds"),
        _("What happens to a call whose end is never reported."),
    ),
    SettingsSection(
        _("Number format"),
        ("home_country", "number_spelling"),
        _("Numbers are accepted in any format, then stored and compared in one."),
    ),
    SettingsSection(
        _("Limits and charging"), ("waiters_limit", "charged", "charge_interval_seconds")
    ),
    SettingsSection(
        _("Advanced"),
        (
            *("short_call_seconds", "switch_interval_seconds", "restart_rest_seconds"),
            *("log_limit", "added_by_script"),
        ),
        _("Switch reports, short calls and the event log"),
        advanced=True,
    ),
)


class PoolCreateForm(AggregateCreateForm):
    """Creates a pool."""

    model = Pool
    slug_help = _("Switches and Redis use it to identify the pool. It can't be changed later.")
    slug_taken = _("This short name is or was used by another pool. Choose a different one.")


if TYPE_CHECKING:
    PoolForm = forms.ModelForm[Pool]
else:
    PoolForm = forms.ModelForm


class PoolSettingsForm(SettingsMixin, PoolForm):
    """All settings of a pool that an operator may change. The service saves them, not this form."""

    sections = SECTIONS
    depends = {"charge_interval_seconds": ("charged", ("on",))}

    class Meta:
        model = Pool
        fields = [name for section in SECTIONS for name in section.names]
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}
        help_texts = {
            "blocking_alarm_percent": _("Alert when more of the calls than this get no number."),
            "occupancy_alarm_percent": _("Alert when more of the numbers than this are in use."),
            "cooldown_seconds": _("How long a number rests after a call."),
            "lease_seconds": _("How long a call keeps its number without a renewal."),
            "suspect_seconds": _("How long a silent call's number is still held after that."),
            "waiters_limit": _("Further calls are refused at once."),
            "switch_interval_seconds": _("How often switches report the calls they carry."),
            "restart_rest_seconds": _("How long the numbers of its calls rest."),
            "charge_interval_seconds": _("How often a running call is charged."),
        }


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
    """Looks up the call that had a number at one moment."""

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
        """Write numbers as the history stores them."""
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
