"""Forms of a desk: creation, settings, skills, replies, holidays, erasing a visitor."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from poolsite.access.models.tenants import RESERVED_SLUGS
from poolsite.aggregates.forms import AggregateCreateForm
from poolsite.console.settings_forms import SettingsMixin, SettingsSection
from poolsite.console.short_names import ShortNameMixin
from queueing.line.forms.fields import HoursField
from queueing.line.models import Desk, Queue


class DeskCreateForm(AggregateCreateForm):
    """The form that creates a desk. Its queues and agents come next."""

    model = Desk
    slug_help = _("Used in web addresses and in Redis. It can't be changed later.")
    slug_taken = _("This short name is already taken. Choose another.")

    def clean_slug(self) -> str:
        """Refuse a slug that another desk has or that URLs reserve."""
        slug = super().clean_slug()
        if slug in RESERVED_SLUGS:
            raise ValidationError(self.slug_taken)
        return slug


if TYPE_CHECKING:
    DeskForm = forms.ModelForm[Desk]
else:
    DeskForm = forms.ModelForm


class DeskSettingsForm(SettingsMixin, DeskForm):
    """A desk's own settings. The service saves them, not this form."""

    sections = (
        SettingsSection(
            _("Desk settings"), ("name", "pause_reasons", "outcome_required", "callback_pool")
        ),
        SettingsSection(
            _("Transcripts and files"),
            (
                *("transcript_days", "attachment_kinds", "attachment_mb"),
                *("attachments_per_visit", "attachment_day_mb"),
            ),
        ),
        SettingsSection(_("Advanced"), ("log_limit",), _("The event log"), advanced=True),
    )

    class Meta:
        model = Desk
        fields = [
            *("name", "transcript_days", "callback_pool", "pause_reasons", "log_limit"),
            *("outcome_required",),
            *("attachment_mb", "attachment_kinds", "attachments_per_visit", "attachment_day_mb"),
        ]
        help_texts = {
            "name": _("Shown to agents and supervisors."),
            "outcome_required": _("Agents can't finish a visit without choosing an outcome."),
            "transcript_days": _("Older transcripts and files are deleted."),
            "attachment_kinds": _("Other files are refused."),
        }
        widgets = {"pause_reasons": forms.Textarea(attrs={"rows": 5, "spellcheck": "false"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound and "pause_reasons" not in self.data:  # a page of the previous release
            self.fields["pause_reasons"].disabled = True

    def clean_pause_reasons(self) -> str:
        """Return one reason per line, without empty lines."""
        lines = self.cleaned_data["pause_reasons"].splitlines()
        return "\n".join(line.strip() for line in lines if line.strip())


class SkillForm(ShortNameMixin, forms.Form):
    """A skill that visitors may need."""

    name = forms.CharField(label=_("Name"), max_length=80)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=20,
        validators=[
            RegexValidator(
                r"^[a-z0-9-]{1,20}\Z", _("Use 1 to 20 of the characters a-z, 0-9 and -.")
            )
        ],
    )


class ReplyForm(forms.Form):
    """A saved reply. An existing shortcut gets the new text."""

    shortcut = forms.CharField(
        label=_("Shortcut"),
        max_length=20,
        validators=[
            RegexValidator(
                r"^[a-z0-9-]{1,20}\Z", _("Use 1 to 20 of the characters a-z, 0-9 and -.")
            )
        ],
    )
    text = forms.CharField(
        label=_("Text"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "Filled in when an agent inserts the reply: {visitor}, {agent}, {queue}, "
            "{topic}, {place} (place in line on joining), {wait}. Agents replace any other "
            "word in braces."
        ),
    )


class ClosureForm(forms.Form):
    """A holiday of a queue, or a day with other hours."""

    queue = forms.ModelChoiceField(
        label=_("Queue"), queryset=Queue.objects.none(), empty_label=None
    )
    day = forms.DateField(
        label=_("Day"), widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    )
    hours = HoursField(label=_("Hours"), help_text=_("Leave empty if closed all day."))
    text = forms.CharField(label=_("Message for visitors"), max_length=200, required=False)
    yearly = forms.BooleanField(label=_("Every year"), required=False)

    def __init__(self, *args: Any, desk: Desk, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["queue"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = desk.queues.all()


class EraseForm(forms.Form):
    """The person to erase, and the reason. The audit log gets the reason and never the person."""

    contact = forms.CharField(
        label=_("Phone or email"),
        max_length=120,
        help_text=_(
            "Enter it as the visitor wrote it. Every visit and left message with this "
            "contact is erased."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=200,
        help_text=_("Kept in the audit log. Don't name the person."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
