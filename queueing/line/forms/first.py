"""The short forms of the guide to the first visitor. All other settings keep their defaults."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import User
from poolsite.console.short_names import ShortNameMixin
from queueing.line.forms.agents import PersonField
from queueing.line.models import Agent, Desk, Queue
from queueing.line.models.desks import SLUG
from queueing.line.selectors.people import people_of


class FirstQueueForm(ShortNameMixin, forms.Form):
    """A queue that is always open."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("Visitors see it while they wait.")
    )
    slug = forms.CharField(
        label=_("Short name"),
        max_length=40,
        validators=[SLUG],
        help_text=_("The visitor page is /q/<short name>/. It can't be changed later."),
    )

    def clean_slug(self) -> str:
        """Refuse a slug that another queue has."""
        slug = super().clean_slug()
        if Queue.objects.filter(slug=slug).exists():
            raise ValidationError(_("This short name is already taken. Choose another."))
        return slug


class FirstAgentForm(forms.Form):
    """The first agent: a member of the desk's account, or the user as a new member."""

    user = PersonField(label=_("Person"), queryset=User.objects.none(), empty_label=None)
    name = forms.CharField(label=_("Name shown to visitors"), max_length=80)

    def __init__(self, *args: Any, desk: Desk, reader: User | None, **kwargs: Any) -> None:
        if reader is not None:
            kwargs.setdefault("initial", {"user": reader.pk, "name": reader.display_name})
        super().__init__(*args, **kwargs)
        people: Any = self.fields["user"]
        own = [reader.pk] if reader is not None else []
        free = people_of(desk).values("pk")
        is_free = not Agent.objects.filter(user__in=own).exists()
        rows = User.objects.filter(pk__in=free)
        people.queryset = (rows | User.objects.filter(pk__in=own) if is_free else rows).order_by(
            "username"
        )
