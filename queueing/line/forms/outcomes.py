"""The form of outcomes."""

from django import forms
from django.utils.translation import gettext_lazy as _

from queueing.line.models import OutcomeCode


class OutcomeForm(forms.Form):
    """A new outcome of a desk."""

    name = forms.CharField(label=_("Name"), max_length=40)
    tone = forms.ChoiceField(
        label=_("Category"),
        choices=OutcomeCode.Tone.choices,
        initial=OutcomeCode.Tone.GOOD,
        help_text=_("Sets the color of the label."),
    )
