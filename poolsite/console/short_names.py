"""Short names, made from names. URLs, Redis and the API use them for an object."""

import re
import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

FIELD = "slug"


def short_name(name: str, length: int = 40) -> str:
    """Return sales-uberall-2 for `Sales, überall 2`, or "" for a name in letters other than a to z.

    static/js/console/short_name.js does the same while a person types.
    """
    parts = unicodedata.normalize("NFKD", name).lower()
    plain = "".join(each for each in parts if not unicodedata.combining(each))
    if any(each.isalpha() and not each.isascii() for each in plain):
        return ""
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:length].rstrip("-")


class ShortNameMixin(forms.BaseForm):
    """A form whose `slug` comes after `name` and is made from it if it is left empty."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get(FIELD)
        if field is None:
            return
        field.required = False
        field.widget.attrs |= {
            "data-short-name": True,
            "maxlength": str(getattr(field, "max_length", None) or 40),
            "pattern": "[a-z0-9-]+",
            "spellcheck": "false",
            "autocapitalize": "off",
            "autocomplete": "off",
        }
        rest = [name for name in self.fields if name != FIELD]
        at = rest.index("name") + 1
        self.order_fields([*rest[:at], FIELD, *rest[at:]])

    def clean_slug(self) -> str:
        """Return the typed slug, otherwise one made from the name. The same rules apply to both."""
        field: Any = self.fields[FIELD]
        given = str(self.cleaned_data[FIELD])
        if given:
            return given
        made = short_name(self.cleaned_data.get("name", ""), field.max_length or 40)
        if not made and "name" in self.cleaned_data:
            raise ValidationError(_("Enter a short name. It can't be made from this name."))
        if made:
            field.run_validators(made)
        return made
