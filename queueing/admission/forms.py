"""What people type into the pages of gates and batches."""

from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from queueing.admission.models import SLUG_PATTERN, Gate
from queueing.admission.models.gates import CAP_LIMIT, DAY_SECONDS, KEY_PATTERN

UPLOAD_LIMIT_BYTES = 32 * 1024 * 1024


class GateCreateForm(forms.Form):
    """The first thing an operator makes; everything else has defaults."""

    name = forms.CharField(label=_("Name"), max_length=120)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=40,
        validators=[RegexValidator(SLUG_PATTERN, _("Use 1 to 40 small letters, digits and -."))],
        help_text=_("Devices and Redis know the gate by it; it never changes."),
    )
    key = forms.CharField(
        label=_("Key"),
        max_length=64,
        required=False,
        validators=[RegexValidator(KEY_PATTERN, _("1 to 64 letters, digits, . _ : and -."))],
        help_text=_("For example an area code. Empty: the short name."),
    )
    cap = forms.IntegerField(
        label=_("At once, at most"), min_value=1, max_value=CAP_LIMIT, initial=60
    )
    permit_seconds = forms.IntegerField(
        label=_("Permit, seconds"),
        min_value=2,
        max_value=DAY_SECONDS,
        initial=300,
        help_text=_("A slot that nobody gives back is free after this."),
    )
    account = forms.ModelChoiceField(
        label=_("Account"),
        queryset=Account.objects.all(),
        required=False,
        empty_label=_("The platform's own"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].widget.attrs |= {"pattern": "[a-z0-9-]{1,40}", "spellcheck": "false"}

    def clean_slug(self) -> str:
        """Refuse a slug that a gate has or had: years of history name it."""
        slug: str = self.cleaned_data["slug"]
        if Gate.all_objects.filter(slug=slug).exists():
            raise ValidationError(_("A gate has or had this short name. Choose another."))
        return slug

    def settings(self) -> dict[str, Any]:
        """What the service takes; an empty key is the service's to fill."""
        return {name: value for name, value in self.cleaned_data.items() if value != ""}


class CapForm(forms.Form):
    """Another cap from this moment on; with `pin` an adaptive one stands still at it."""

    cap = forms.IntegerField(label=_("At once, at most"), min_value=1, max_value=CAP_LIMIT)
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
        help_text=_("Two columns: device, payload. One row for each device."),
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,text/csv"}),
    )
    opens_at = _moment(_("Window opens"))
    closes_at = _moment(_("Window closes"))
    skip_bad = forms.BooleanField(
        label=_("Leave out rows that cannot be taken"),
        required=False,
        help_text=_("Otherwise one bad row stops the whole file."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        now = timezone.localtime().replace(second=0, microsecond=0)
        kwargs.setdefault("initial", {"opens_at": now, "closes_at": now + timedelta(hours=8)})
        super().__init__(*args, **kwargs)

    def clean_file(self) -> Any:
        """A file of a size that one request may bring."""
        file = self.cleaned_data["file"]
        if file.size > UPLOAD_LIMIT_BYTES:
            raise ValidationError(_("The file is larger than 32 MB. Nothing was added."))
        return file
