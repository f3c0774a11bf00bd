"""The summary of a form's errors above the form. `{% load forms %}`."""

from typing import Any, NamedTuple

from django import forms, template
from django.forms.boundfield import BoundField
from django.template import Context
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()


class Fault(NamedTuple):
    """A field that needs a change: the ID of its control, and the error."""

    control: str
    words: str


@register.filter
def faults(form: Any) -> list[Fault]:
    """Return the fields with an error, in the form's order. Return [] for a form with one field.

    In that case, the error next to the field is enough.
    """
    if not isinstance(form, forms.BaseForm) or len(form.visible_fields()) < 2:
        return []
    wrong = [field for field in form.visible_fields() if field.errors]
    words = _("%(label)s: %(error)s")
    return [
        Fault(_control(field), words % {"label": field.label, "error": field.errors[0]})
        for field in wrong
    ]


@register.simple_tag(takes_context=True)
def faults_title(context: Context, count: int) -> str:
    """Return how many fields need a change. "Not saved" is only for users who are logged in: a
    login or sign-up saves nothing.
    """
    if getattr(context.get("user"), "is_authenticated", False):
        words = ngettext(
            "Not saved: %(n)s field needs a change", "Not saved: %(n)s fields need a change", count
        )
    else:
        words = ngettext("%(n)s field needs a change", "%(n)s fields need a change", count)
    return words % {"n": count}


def _control(field: BoundField) -> str:
    return field.id_for_label or f"{field.auto_id}_0"  # the first of several boxes
