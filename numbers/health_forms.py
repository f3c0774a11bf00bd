"""What people type into the pages of number health."""

from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

from numbers.models import HealthRule
from numbers.models.health import RULE_SETTINGS
from poolsite.operations.settings_forms import Section, SettingsMixin

SECTIONS = (
    Section(_("Rule"), ("name", "enabled", "action", "rest_hours", "notify")),
    Section(
        _("When"),
        ("measure", "direction", "threshold", "least_calls", "window"),
        _("A number is taken out of use when its value over the window passes the threshold."),
    ),
    Section(
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
    """Everything about a rule; saved by the service, not here."""

    sections = SECTIONS
    depends = {"rest_hours": ("action", (HealthRule.REST,))}

    class Meta:
        model = HealthRule
        fields = RULE_SETTINGS


class SpamLabelsForm(forms.Form):
    """A file of spam labels."""

    file = forms.FileField(
        label=_("CSV or XLSX file"),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.xlsx,text/csv"}),
        help_text=_("Columns: number, source, label, seen_at. Up to 50,000 rows."),
    )
