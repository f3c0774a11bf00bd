"""What people type into the pages of number health."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from numbers.models import HealthRule
from numbers.models.health import RULE_SETTINGS
from poolsite.operations.forms import field_groups

GROUPS = (
    (_("Rule"), "", ("name", "enabled", "action", "rest_hours", "notify")),
    (
        _("When"),
        _("A number is taken out of use when its value over the window passes the threshold."),
        ("measure", "direction", "threshold", "least_calls", "window"),
    ),
    (
        _("Limits"),
        _("The rule never takes more numbers out of use than this."),
        ("daily_limit", "pool_percent"),
    ),
)

if TYPE_CHECKING:
    RuleForm = forms.ModelForm[HealthRule]
else:
    RuleForm = forms.ModelForm


class HealthRuleForm(RuleForm):
    """Everything about a rule; saved by the service, not here."""

    class Meta:
        model = HealthRule
        fields = RULE_SETTINGS

    def groups(self) -> list[dict[str, Any]]:
        """The cards of the page."""
        return field_groups(self, GROUPS)


class SpamLabelsForm(forms.Form):
    """A file of spam labels."""

    file = forms.FileField(
        label=_("CSV or XLSX file"),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.xlsx,text/csv"}),
        help_text=_("Columns: number, source, label, seen_at. Up to 50,000 rows."),
    )
