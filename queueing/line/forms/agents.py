"""The form of an agent: person, queues, number of rooms, skills."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import User
from poolsite.console.settings_forms import SettingsMixin, SettingsSection
from queueing.line.models import Agent, Desk, Queue
from queueing.line.selectors.people import people_of

PREFIX = "skill_"
BASICS = SettingsSection(_("Agent"), ("user", "name", "capacity", "queues", "phone"))
LEVELS = _("A level from 1 to 9. Leave empty if the agent doesn't have this skill.")
NO_QUEUES = _("This desk has no queues yet. Create one first.")


class PersonField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic in its stubs only
    """A choice of people by name."""

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.display_name)


class AgentForm(SettingsMixin, forms.Form):
    """An agent of a desk. The person is chosen only once, on creation."""

    sections: Sequence[SettingsSection] = (BASICS,)

    user = PersonField(
        label=_("Person"),
        queryset=User.objects.none(),
        empty_label=None,
        help_text=_("A member of the desk's account. Invite members under Accounts."),
    )
    name = forms.CharField(label=_("Name shown to visitors"), max_length=80)
    capacity = forms.IntegerField(label=_("Concurrent rooms"), min_value=1, max_value=20, initial=1)
    queues = forms.ModelMultipleChoiceField(
        label=_("Queues"),
        queryset=Queue.objects.none(),
        widget=forms.CheckboxSelectMultiple,
    )
    phone = forms.CharField(label=_("Callback phone"), max_length=33, required=False)

    def __init__(self, *args: Any, desk: Desk, agent: Agent | None = None, **kwargs: Any) -> None:
        if agent is not None:
            kwargs["initial"] = {
                "name": agent.name,
                "capacity": agent.capacity,
                "queues": list(agent.queues.values_list("pk", flat=True)),
                "phone": agent.phone,
                **{PREFIX + slug: level for slug, level in agent.skills.items()},
            }
        super().__init__(*args, **kwargs)
        self.instance = agent or Agent()
        self.skills = list(desk.skills.order_by("slug"))
        for skill in self.skills:
            self.fields[PREFIX + skill.slug] = forms.IntegerField(
                label=skill.name,
                required=False,
                validators=[MinValueValidator(1), MaxValueValidator(9)],
                widget=forms.NumberInput(attrs={"min": 1, "max": 9}),
            )
        names = tuple(PREFIX + skill.slug for skill in self.skills)
        self.sections = (BASICS, SettingsSection(_("Skills"), names, LEVELS))
        queues = self.fields["queues"]
        if isinstance(queues, forms.ModelMultipleChoiceField):
            queues.queryset = desk.queues.all()
            queues.help_text = "" if queues.queryset.exists() else NO_QUEUES
        if agent is not None:
            del self.fields["user"]
            return
        people = self.fields["user"]
        if isinstance(people, forms.ModelChoiceField):
            people.queryset = people_of(desk)

    def settings(self) -> dict[str, Any]:
        """Return the settings in the form that the services take."""
        names = ("user", "name", "capacity", "queues", "phone")
        found = {name: self.cleaned_data[name] for name in names}
        levels = {skill.slug: self.cleaned_data.get(PREFIX + skill.slug) for skill in self.skills}
        return {**found, "skills": {slug: level for slug, level in levels.items() if level}}

    def changes(self) -> dict[str, Any]:
        """Return the settings that the user changed.

        The level fields make up the agent's skills.
        """
        found = super().changes()
        levels = {name[len(PREFIX) :]: found.pop(name) for name in [*found] if _is_level(name)}
        if levels:
            known = {**self.instance.skills, **levels}
            found["skills"] = {slug: level for slug, level in known.items() if level}
        return found


def _is_level(name: str) -> bool:
    return name.startswith(PREFIX)
