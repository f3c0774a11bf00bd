"""The forms of the number health pages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from numbers.models import HealthRule, Measure
from numbers.models.health_rules import RULE_SETTINGS
from poolsite.console.settings_forms import SettingsMixin, SettingsSection

# The threshold's field for each measure, because the measures have different units.
THRESHOLDS: Final[Mapping[str, str]] = {
    Measure.ASR.value: "percent",
    Measure.MEAN.value: "talk_seconds",
    Measure.SHORT.value: "percent",
    Measure.UNANSWERED.value: "percent",
    Measure.SPAM.value: "sources",
}
OF_CALLS: Final = tuple(str(each.value) for each in Measure if each != Measure.SPAM)

SECTIONS = (
    SettingsSection(_("Rule"), ("name", "enabled", "action", "rest_hours", "notify")),
    SettingsSection(
        _("When"),
        ("measure", "direction", *dict.fromkeys(THRESHOLDS.values()), "least_calls", "window"),
        _("A number is taken out of use when its value over the window passes the threshold."),
    ),
    SettingsSection(
        _("Limits"),
        ("daily_limit", "pool_percent"),
        _("The rule never takes more numbers out of use than this."),
    ),
)

if TYPE_CHECKING:
    RuleForm = forms.ModelForm[HealthRule]
else:
    RuleForm = forms.ModelForm


class HealthRuleForm(SettingsMixin, RuleForm):
    """All settings of a rule. The service saves them, not this form.

    The threshold has a field for each unit. Only the field of the chosen measure is validated and
    used; the cleaned data has its value as `threshold`.
    """

    percent = forms.FloatField(
        label=_("Threshold (%)"),
        min_value=0,
        max_value=100,
        initial=20,
        help_text=_("For the answer rate and the shares of short or unanswered calls."),
    )
    talk_seconds = forms.IntegerField(  # becomes a duration
        label=_("Threshold"),
        min_value=0,
        max_value=86_400,
        initial=10,
        help_text=_("For the mean talk time."),
    )
    sources = forms.IntegerField(
        label=_("Threshold (sources)"),
        min_value=1,
        max_value=86_400,
        initial=2,
        help_text=_("For spam labels: how many sources report the number."),
    )

    sections = SECTIONS
    depends = {
        "rest_hours": ("action", (HealthRule.REST,)),
        "direction": ("measure", OF_CALLS),
        "least_calls": ("measure", OF_CALLS),
        **{
            name: ("measure", tuple(key for key, its in THRESHOLDS.items() if its == name))
            for name in THRESHOLDS.values()
        },
    }

    class Meta:
        model = HealthRule
        fields = [name for name in RULE_SETTINGS if name != "threshold"]
        help_texts = {"direction": _("Spam labels always use “at or above”.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in THRESHOLDS.values():
            self.initial[name] = self.fields[name].initial
        if self.instance.pk is not None:
            stored = self.instance.threshold
            its = THRESHOLDS[Measure(self.instance.measure)]
            self.initial[its] = int(stored) if stored.is_integer() else stored

    def full_clean(self) -> None:
        """Check the form. A threshold that the chosen measure does not use may be empty."""
        measure = self["measure"].data if self.is_bound else None
        for name in dict.fromkeys(THRESHOLDS.values()):
            self.fields[name].required = THRESHOLDS.get(str(measure)) == name
        super().full_clean()

    def clean(self) -> dict[str, Any]:
        """Use the threshold of the chosen measure. Spam labels always use “at or above”."""
        found = super().clean()
        its = THRESHOLDS.get(found.get("measure", ""), "percent")
        for name in set(THRESHOLDS.values()) - {its}:
            self.errors.pop(name, None)
            found.pop(name, None)
        if found.get("measure") == Measure.SPAM:
            found["direction"] = HealthRule.ABOVE
        self.instance.threshold = 1.0  # valid for each measure; the field reports what is wrong
        if its in found:
            found["threshold"] = self.instance.threshold = float(found.pop(its))
        return found


class SpamLabelsForm(forms.Form):
    """A file of spam labels."""

    file = forms.FileField(
        label=_("CSV or XLSX file"),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.xlsx,text/csv"}),
        help_text=_("Columns: number, source, label, seen_at. Up to 50,000 rows."),
    )
