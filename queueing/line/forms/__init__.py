"""What people type into the desks' pages."""

from queueing.line.forms.agents import AgentForm
from queueing.line.forms.desks import (
    ClosureForm,
    DeskCreateForm,
    DeskSettingsForm,
    EraseForm,
    ReplyForm,
    SkillForm,
)
from queueing.line.forms.queues import QueueForm
from queueing.line.forms.routing import HolidaysForm, LanguagesForm, TopicFormSet
from queueing.line.forms.widgets import WidgetForm

__all__ = [
    "AgentForm",
    "ClosureForm",
    "DeskCreateForm",
    "DeskSettingsForm",
    "EraseForm",
    "HolidaysForm",
    "LanguagesForm",
    "QueueForm",
    "ReplyForm",
    "SkillForm",
    "TopicFormSet",
    "WidgetForm",
]
