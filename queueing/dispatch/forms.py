"""The forms on the pages of groups."""

from typing import TYPE_CHECKING

from django import forms
from django.core.validators import RegexValidator
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from poolsite.aggregates.forms import AggregateCreateForm
from poolsite.console.settings_forms import DurationsMixin, SettingsMixin, SettingsSection
from queueing.dispatch.models import PEER_PATTERN, Group, Sharing, Upgrade
from queueing.dispatch.models.groups import DAY_SECONDS

SECTIONS = (
    SettingsSection(_("Basics"), ("name", "description", "sharing")),
    SettingsSection(
        _("Links"),
        ("heartbeat_seconds", "missed_limit", "disconnect_seconds"),
        _("When a link counts as lost, and when its peer counts as stopped."),
    ),
    SettingsSection(
        _("Sessions"),
        ("route_limit_seconds", "timed_route_seconds"),
        _("When a session is cleared if its end is never reported."),
    ),
    SettingsSection(
        _("Failed sessions"),
        (
            *("start_retries", "answer_seconds", "failure_threshold_percent"),
            *("failure_minimum_sessions", "failure_window_seconds", "ejection_seconds"),
            *("max_ejection_percent", "slow_start_seconds"),
        ),
        _("When an instance that fails its sessions gets no new ones for a time."),
    ),
    SettingsSection(
        _("Advanced"),
        ("out_limit", "ends_limit", "log_limit"),
        _("Buffers for each peer and the event log"),
        advanced=True,
    ),
)
VERSION = RegexValidator(
    PEER_PATTERN, _("Use 1 to 40 letters, digits, or the characters . _ and -.")
)


class GroupCreateForm(AggregateCreateForm):
    """The settings needed to create a group. All others have defaults."""

    model = Group
    slug_help = _(
        "Front-ends and instances identify the group by this name. It can't be changed later."
    )
    slug_taken = _("This short name is or was used by another group. Choose a different one.")

    sharing = forms.ChoiceField(
        label=_("Load sharing"), choices=Sharing.choices, initial=Sharing.LEAST
    )
    heartbeat_seconds = forms.IntegerField(
        label=_("Heartbeat interval"), min_value=1, max_value=300, initial=5
    )
    disconnect_seconds = forms.IntegerField(
        label=_("Disconnect timer"),
        min_value=1,
        max_value=DAY_SECONDS,
        initial=60,
        help_text=_(
            "A pending peer that doesn't reconnect in this time counts as stopped, and its "
            "sessions end."
        ),
    )


if TYPE_CHECKING:
    GroupForm = forms.ModelForm[Group]
else:
    GroupForm = forms.ModelForm


class GroupSettingsForm(SettingsMixin, GroupForm):
    """Every setting. The form only validates; the service saves."""

    sections = SECTIONS

    reason = forms.CharField(
        label=_("Reason"), max_length=200, required=False, help_text=_("Kept in the audit log.")
    )

    class Meta:
        model = Group
        fields = [name for section in SECTIONS for name in section.names]
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}
        help_texts = {
            "name": _("Shown in lists and alerts."),
            "sharing": _("How new sessions are spread over the instances."),
        }


class UpgradeForm(DurationsMixin, forms.Form):
    """Starts a rolling upgrade."""

    target_version = forms.CharField(
        label=_("Target version"),
        max_length=40,
        validators=[VERSION],
        help_text=_("The version that new instances report when they register."),
    )
    max_drain_seconds = forms.IntegerField(
        label=_("Drain timeout per instance"),
        min_value=1,
        max_value=DAY_SECONDS,
        initial=600,
    )
    at_limit = forms.ChoiceField(
        label=_("After the drain timeout"),
        choices=[(value, capfirst(label)) for value, label in Upgrade.AtLimit.choices],
        initial=Upgrade.AtLimit.WAIT,
    )
    reason = forms.CharField(label=_("Reason"), max_length=200, required=False)


class UntilForm(forms.Form):
    """When a drain or block ends."""

    until = forms.DateTimeField(
        label=_("Until"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        help_text=_(
            "The instance opens automatically at this time. Leave empty to wait until "
            "someone opens it."
        ),
    )
