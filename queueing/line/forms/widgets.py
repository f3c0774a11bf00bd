"""The form of a desk's chat widget: the sites that may show it, and its appearance."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from queueing.line.forms.fields import LinesField
from queueing.line.models import Widget
from queueing.line.origins import ORIGIN_LENGTH, ORIGINS_LIMIT, read_origin

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Widget]
else:
    ModelForm = forms.ModelForm


class WidgetForm(ModelForm):
    """The settings of a desk's widget. The service saves them, not this form."""

    origins = LinesField(
        label=_("Allowed sites"),
        most=ORIGINS_LIMIT,
        length=ORIGIN_LENGTH,
        help_text=_(
            "One origin per line, such as https://shop.example. Browsers refuse to show the chat"
            " on any other site."
        ),
    )

    class Meta:
        model = Widget
        fields = ["origins", "colour", "side", "greeting"]
        labels = {"colour": _("Color"), "side": _("Position"), "greeting": _("Greeting")}
        help_texts = {
            "colour": _(
                "Used for the chat bubble and the buttons. White text must be readable on it."
            ),
            "greeting": _(
                "Shown when a visitor opens the chat. Leave empty to use the queue's welcome text."
            ),
        }
        widgets = {
            "colour": forms.TextInput(attrs={"type": "color"}),
            "greeting": forms.Textarea(attrs={"rows": 2, "maxlength": "300"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        stored: Widget = kwargs["instance"]
        self.stored = {name: getattr(stored, name) for name in self.base_fields}
        kwargs["initial"] = {"origins": "\n".join(stored.origins)}
        super().__init__(*args, **kwargs)
        self.fields["origins"].widget.attrs |= {
            "placeholder": "https://shop.example",
            "spellcheck": "false",
            "autocapitalize": "off",
        }

    def clean_origins(self) -> list[str]:
        """Return each origin once, in the form that browsers use."""
        found: dict[str, None] = {}
        faults = []
        for line in self.cleaned_data["origins"]:
            try:
                found[read_origin(line)] = None
            except ValidationError as error:
                faults += error.messages
        if faults:
            raise ValidationError(faults)
        return list(found)

    def _post_clean(self) -> None:
        """Leave the instance as it is stored. The service validates and saves."""

    def changes(self) -> dict[str, Any]:
        """Return the settings that differ from the stored ones."""
        found = self.cleaned_data
        return {name: found[name] for name in self.stored if found[name] != self.stored[name]}
