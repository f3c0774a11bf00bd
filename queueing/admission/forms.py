"""The forms on the pages of gates and batches."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from poolsite.aggregates.forms import AggregateCreateForm
from poolsite.console.settings_forms import SettingsMixin, SettingsSection
from queueing.admission.models import Gate
from queueing.admission.models.gates import CAP_LIMIT, DAY_SECONDS, KEY_PATTERN

UPLOAD_LIMIT_BYTES = 32 * 1024 * 1024

SECTIONS = (
    SettingsSection(_("Basics"), ("name", "key", "description", "overrun_alarm", "waiting_alarm")),
    SettingsSection(
        _("Permits"),
        ("cap", "permit_seconds", "margin_seconds", "longest_seconds"),
        _(
            "How many permits are granted at once, and when slots that are never released "
            "become free."
        ),
    ),
    SettingsSection(
        _("Admission and tasks"),
        ("fair", "look_ahead", "rate_per_second", "attempts"),
        _("The order in which requests are admitted, and how many times a task is issued."),
    ),
    SettingsSection(
        _("Adaptive limit"),
        (
            *("adaptive", "adaptive_min", "adaptive_max", "adaptive_step"),
            *("adaptive_down_percent", "adaptive_error_percent", "adaptive_latency_ms"),
            "adaptive_interval_seconds",
        ),
        _(
            "Raises the limit by a step while all is well. Lowers it to a percentage when "
            "errors or latency exceed their thresholds."
        ),
    ),
    SettingsSection(
        _("Advanced"),
        ("period_seconds", "log_limit"),
        _("Report period and the event log"),
        advanced=True,
    ),
)


class GateCreateForm(AggregateCreateForm):
    """The settings needed to create a gate. All others have defaults."""

    model = Gate
    slug_help = _("Devices and Redis identify the gate by this name. It can't be changed later.")
    slug_taken = _("This short name is or was used by another gate. Choose a different one.")

    key = forms.CharField(
        label=_("Key"),
        max_length=64,
        required=False,
        validators=[
            RegexValidator(
                KEY_PATTERN, _("Use 1 to 64 letters, digits, or the characters . _ : and -.")
            )
        ],
        help_text=_("For example, an area code. Leave empty to use the short name."),
    )
    cap = forms.IntegerField(
        label=_("Concurrency limit"), min_value=1, max_value=CAP_LIMIT, initial=60
    )
    permit_seconds = forms.IntegerField(
        label=_("Permit duration"),
        min_value=2,
        max_value=DAY_SECONDS,
        initial=300,
        help_text=_("A slot that isn't released becomes free after this time."),
    )


if TYPE_CHECKING:
    GateForm = forms.ModelForm[Gate]
else:
    GateForm = forms.ModelForm


class GateChecks(GateForm):
    """A gate's settings, with the checks that involve several fields. The admin uses it, too."""

    def clean(self) -> dict[str, Any]:
        """Report fields that contradict another field or another gate."""
        found = super().clean() or self.cleaned_data
        self._in_order(
            "margin_seconds",
            "permit_seconds",
            _("Enter a value lower than the permit duration."),
            equal=False,
        )
        self._in_order(
            "permit_seconds",
            "longest_seconds",
            _("The permit duration can't exceed the maximum duration."),
        )
        self._in_order("adaptive_min", "adaptive_max", _("The minimum can't exceed the maximum."))
        key, account = found.get("key"), found.get("account") or self.instance.account
        same = Gate.objects.filter(account=account, key=key)
        if key and same.exclude(pk=self.instance.pk).exists():
            self.add_error("key", _("Another gate already uses this key."))
        return found

    def _in_order(self, less: str, more: str, message: Any, *, equal: bool = True) -> None:
        low, high = self.cleaned_data.get(less), self.cleaned_data.get(more)
        if low is not None and high is not None and not (low < high or (equal and low == high)):
            self.add_error(less, message)


class GateSettingsForm(SettingsMixin, GateChecks):
    """All settings of a gate that an operator may change. The service saves them."""

    sections = SECTIONS
    depends = {name: ("adaptive", ("on",)) for name in SECTIONS[3].names if name != "adaptive"}

    reason = forms.CharField(
        label=_("Reason"), max_length=200, required=False, help_text=_("Kept in the audit log.")
    )

    class Meta:
        model = Gate
        fields = [name for section in SECTIONS for name in section.names]
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}
        labels = {"fair": _("First come, first served"), "attempts": _("Maximum attempts")}
        help_texts = {
            "name": _("Shown in lists and alerts."),
            "overrun_alarm": _("Enter 0 for no alert."),
            "margin_seconds": _(
                "Devices stop this long before their permit ends. For example, with a permit of "
                "150 s and a margin of 10 s, they stop after 140 s."
            ),
            "adaptive": _("Off: the limit changes only when someone changes it."),
            "attempts": _("How often a task is issued before it fails."),
            "period_seconds": _("How often waiting devices ask again."),
            "adaptive_interval_seconds": _("How often the limit is changed."),
            "adaptive_step": _("Permits added while all is well."),
            "adaptive_down_percent": _("Of the limit, when a threshold is exceeded."),
        }


class CapForm(forms.Form):
    """A new limit, effective immediately. With `pin`, an adaptive limit stays at this value."""

    cap = forms.IntegerField(label=_("Concurrency limit"), min_value=1, max_value=CAP_LIMIT)
    reason = forms.CharField(label=_("Reason"), max_length=200, required=False)


def _moment(label: Any) -> forms.DateTimeField:
    return forms.DateTimeField(
        label=label,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
    )


class BatchForm(forms.Form):
    """Tasks for many devices, and the window in which they are issued."""

    name = forms.CharField(label=_("Name"), max_length=120)
    file = forms.FileField(
        label=_("CSV file"),
        help_text=_("Two columns: device and payload. One row per device."),
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,text/csv"}),
    )
    opens_at = _moment(_("Window opens"))
    closes_at = _moment(_("Window closes"))
    skip_bad = forms.BooleanField(
        label=_("Skip invalid rows"),
        required=False,
        help_text=_("Otherwise, a single invalid row rejects the whole file."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        now = timezone.localtime().replace(second=0, microsecond=0)
        kwargs.setdefault("initial", {"opens_at": now, "closes_at": now + timedelta(hours=8)})
        super().__init__(*args, **kwargs)

    def clean_file(self) -> Any:
        """Refuse a file that is too large for one request."""
        file = self.cleaned_data["file"]
        if file.size > UPLOAD_LIMIT_BYTES:
            raise ValidationError(_("The file is larger than 32 MB. Nothing was added."))
        return file

    def given(self) -> dict[str, Any]:
        """Return the service's arguments, with the file's content in chunks."""
        given = {name: value for name, value in self.cleaned_data.items() if name != "file"}
        return {**given, "csv": self.cleaned_data["file"].chunks()}
