"""Forms for topics of a queue, skills of languages, and holidays pasted as a list."""

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from queueing.line.forms.fields import read_hours
from queueing.line.models import Desk, Queue, Skill, Topic
from queueing.line.services.routing import ORDINARY, TOPICS_LIMIT

if TYPE_CHECKING:
    BaseRows = forms.BaseFormSet["TopicForm"]
else:
    BaseRows = forms.BaseFormSet

OTHER_LANGUAGES = [(c, name) for c, name in settings.LANGUAGES if c != settings.LANGUAGE_CODE]
HOLIDAYS_LIMIT = 100  # per submission
_SKILL = re.compile(r"^([a-z0-9-]{1,20})(?:\s*[:≥ ]\s*(\d+))?\Z")
_HOLIDAY = re.compile(
    r"^(\d{4}-\d{2}-\d{2})(?:\s+(\d{1,2}[:.]\d{2}\s*[-–][\d:.,\s–-]*\d))?(?:\s+(.*))?\Z"
)


class SkillsField(forms.CharField):
    """Skills with levels: "invoices 2, mandarin 1".

    Cleans to slug → level. The default level is 1.
    """

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("required", False)
        kwargs.setdefault("max_length", 120)
        super().__init__(**kwargs)
        self.known: set[str] = set()
        self.widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}

    def clean(self, value: Any) -> dict[str, int]:
        """Return the skills. Raise ValidationError for an unknown skill or an invalid level."""
        text: str = super().clean(value) or ""
        found: dict[str, int] = {}
        for part in text.split(","):
            if not part.strip():
                continue
            match = _SKILL.match(part.strip().lower())
            level = int(match[2] or 1) if match is not None else 0
            if match is None or not 1 <= level <= 9:
                raise ValidationError(
                    _("Enter each skill with a level from 1 to 9, such as invoices 2.")
                )
            if match[1] not in self.known:
                words = _("This desk doesn't have the skill %(name)s.")
                raise ValidationError(words, params={"name": match[1]})
            found[match[1]] = level
        return found


def skills_as_text(skills: dict[str, int]) -> str:
    """Return skills as text."""
    return ", ".join(f"{name} {level}" for name, level in sorted(skills.items()))


class TopicForm(forms.Form):
    """A row of the table of topics. A row without a text is ignored."""

    key = forms.IntegerField(required=False, widget=forms.HiddenInput)
    text = forms.CharField(label=_("Topic"), max_length=80, required=False)
    target = forms.ModelChoiceField(
        label=_("Goes to"),
        queryset=Queue.objects.none(),
        required=False,
        empty_label=_("This queue"),
    )
    skills = SkillsField(label=_("Required skills"))
    priority = forms.IntegerField(
        label=_("Class"), min_value=1, max_value=9, initial=ORDINARY, required=False
    )

    def __init__(self, *args: Any, queue: Queue, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for code, name in OTHER_LANGUAGES:
            self.fields[f"text_{code}"] = forms.CharField(
                label=name, max_length=80, required=False, widget=forms.TextInput({"lang": code})
            )
        self.order_fields(["key", "text", *(f"text_{code}" for code, _name in OTHER_LANGUAGES)])
        target, skills = self.fields["target"], self.fields["skills"]
        if isinstance(target, forms.ModelChoiceField):
            target.queryset = queue.desk.queues.exclude(pk=queue.pk)
        if isinstance(skills, SkillsField):
            skills.known = set(queue.desk.skills.values_list("slug", flat=True))

        for field in self.fields.values():
            if not field.widget.is_hidden:
                field.widget.attrs["class"] = "input"

    def clean(self) -> dict[str, Any]:
        """Refuse a row that has values but no text."""
        found = super().clean() or self.cleaned_data
        said = [name for name in self.changed_data if name not in ("priority", "ORDER", "DELETE")]
        if said and not found.get("text") and not found.get("DELETE") and not self.errors:
            self.add_error("text", ValidationError(_("Enter the topic.")))
        return found

    def topic(self, rows: dict[int, Topic]) -> Topic:
        """Return the topic of this row: one of `rows`, or a new one."""
        found = self.cleaned_data
        topic = rows.get(found["key"] or 0) or Topic()
        topic.text = " ".join(found["text"].split())
        words = {code: found.get(f"text_{code}", "") for code, _name in OTHER_LANGUAGES}
        topic.texts = {code: text for code, text in words.items() if text}
        topic.target, topic.skills = found["target"], found["skills"]
        topic.priority = found["priority"] or ORDINARY
        return topic


class TopicRows(BaseRows):
    """The table of topics."""

    def add_fields(self, form: Any, index: int | None) -> None:
        """Add the fields for order and archiving, styled and labelled for the page."""
        super().add_fields(form, index)
        form.fields["ORDER"].widget.attrs["class"] = "input"
        form.fields["DELETE"].label = _("Archive")


TopicFormSet = forms.formset_factory(
    TopicForm,
    formset=TopicRows,
    extra=3,
    max_num=TOPICS_LIMIT,
    validate_max=True,
    absolute_max=TOPICS_LIMIT + 5,
    can_order=True,
    can_delete=True,
)


def topic_initial(topic: Topic) -> dict[str, Any]:
    """Return the initial values of a topic's row."""
    return {
        "key": topic.pk,
        "text": topic.text,
        "target": topic.target_id,
        "skills": skills_as_text(topic.skills),
        "priority": topic.priority,
        **{f"text_{code}": topic.texts.get(code, "") for code, _name in OTHER_LANGUAGES},
    }


class LanguagesForm(forms.Form):
    """The skill that visitors of each language need."""

    def __init__(self, *args: Any, desk: Desk, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = {row.language: row for row in desk.language_skills.all()}
        for code, name in settings.LANGUAGES:
            row = known.get(code)
            self.fields[f"skill_{code}"] = forms.ModelChoiceField(
                label=name,
                queryset=desk.skills.order_by("name"),
                required=False,
                empty_label=_("no skill"),
                initial=row.skill_id if row is not None else None,
            )
            self.fields[f"level_{code}"] = forms.IntegerField(
                label=_("Level"),
                min_value=1,
                max_value=9,
                required=False,
                initial=row.level if row is not None else 1,
            )

    def rows(self) -> list[tuple[Any, Any]]:
        """Return the two fields of each language."""
        codes = [code for code, _name in settings.LANGUAGES]
        return [(self[f"skill_{code}"], self[f"level_{code}"]) for code in codes]

    def skills(self) -> dict[str, tuple[Skill, int]]:
        """Return the skills in the form that the service takes."""
        found = self.cleaned_data
        chosen = {code: found[f"skill_{code}"] for code, _name in settings.LANGUAGES}
        return {
            code: (skill, found[f"level_{code}"] or 1)
            for code, skill in chosen.items()
            if skill is not None
        }


class HolidaysForm(forms.Form):
    """Several days at once: per line a date, the hours unless closed, and a text."""

    queue = forms.ModelChoiceField(
        label=_("Queue"),
        queryset=Queue.objects.none(),
        required=False,
        empty_label=_("All queues"),
    )
    days = forms.CharField(
        label=_("Days"),
        max_length=12_000,
        widget=forms.Textarea(
            attrs={
                "rows": 4,
                "placeholder": "2026-12-24 09:00-14:00 Christmas Eve\n2026-12-25 Christmas Day",
            }
        ),
        help_text=_("One per line: the date, the hours (leave out if closed) and a message."),
    )
    yearly = forms.BooleanField(
        label=_("Every year"),
        required=False,
        help_text=_(
            "Repeats on the same date each year. A day set for a specific year replaces it."
        ),
    )

    def __init__(self, *args: Any, desk: Desk, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.desk = desk
        field = self.fields["queue"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = desk.queues.all()

    def clean_days(self) -> list[tuple[date, list[list[str]], str]]:
        """Return each day with its hours and text.

        Raise ValidationError that names an unreadable line.
        """
        lines = [line.strip() for line in self.cleaned_data["days"].splitlines() if line.strip()]
        if len(lines) > HOLIDAYS_LIMIT:
            words = _("Add up to %(most)s days at a time.")
            raise ValidationError(words, params={"most": HOLIDAYS_LIMIT})
        return [_holiday(line) for line in lines]

    def queues(self) -> list[Queue]:
        """Return the queues that the days are for."""
        one: Queue | None = self.cleaned_data["queue"]
        return [one] if one is not None else list(self.desk.queues.select_related("desk__account"))


def _holiday(line: str) -> tuple[date, list[list[str]], str]:
    found = _HOLIDAY.match(line)
    try:
        if found is None:
            raise ValueError(line)
        day = date.fromisoformat(found[1])
        return day, read_hours(found[2] or ""), (found[3] or "").strip()[:200]
    except (ValueError, ValidationError):
        words = _("Can't read “%(line)s”. Use this format: 2026-12-24 09:00-14:00 Christmas Eve.")
        raise ValidationError(words, params={"line": line[:60]}) from None
