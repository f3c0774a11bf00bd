"""The audit log's sentences about desks, queues, agents and visitors."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from poolsite.console.sentences import (
    HistoryObject,
    Reading,
    Sentence,
    SettingsFields,
    count,
    moment,
    person,
    plain,
    register,
    register_object,
)
from poolsite.operations.logs import mask_text
from queueing.line import pauses
from queueing.line.forms.agents import AgentForm
from queueing.line.forms.desks import DeskSettingsForm
from queueing.line.forms.fields import hours_as_text
from queueing.line.forms.queues import DAYS, QueueForm
from queueing.line.forms.widgets import WidgetForm
from queueing.line.models import Agent, Desk, Queue, Widget

DESKS, AGENTS, VISITORS = _("Desks"), _("Agents"), _("Visitors")


def register_all() -> None:
    """Register the sentences. Called once, before the log is first read."""
    register(*_of_desks(), *_of_outcomes(), *_of_agents(), *_of_visitors(), *_of_messages())
    register_object(HistoryObject("agent", _("Agent")), HistoryObject("visit", _("Visit")))


def _of_desks() -> list[Sentence]:
    week = SettingsFields(Queue, QueueForm, {"hours": _week})
    day = {"day": moment, "hours": _spans}
    return [
        Sentence("line.desk_create", DESKS, _("%(actor)s created the desk %(thing)s")),
        Sentence(
            "line.desk_configure",
            DESKS,
            settings=SettingsFields(Desk, DeskSettingsForm),
            title=_("Changed settings of a desk"),
        ),
        Sentence(
            "line.desk_rebuild", DESKS, _("%(actor)s rebuilt the desk %(thing)s from the database")
        ),
        Sentence("line.queue_create", DESKS, _("%(actor)s created the queue %(thing)s")),
        Sentence(
            "line.queue_configure", DESKS, settings=week, title=_("Changed settings of a queue")
        ),
        Sentence(
            "line.widget_configure",
            DESKS,
            settings=SettingsFields(Widget, WidgetForm),
            title=_("Changed the chat widget of a desk"),
        ),
        Sentence(
            "line.closure_save",
            DESKS,
            _("%(actor)s set the hours of the queue %(thing)s on %(day)s to %(hours)s"),
            day,
            variant=lambda entry: (
                ""
                if (entry.after or {}).get("hours")
                else _("%(actor)s closed the queue %(thing)s on %(day)s")
            ),
        ),
        Sentence(
            "line.closure_delete",
            DESKS,
            _("%(actor)s removed the special hours of the queue %(thing)s on %(day)s"),
            day,
        ),
        Sentence(
            "line.skill_create",
            DESKS,
            _("%(actor)s added the skill %(skill)s to the desk %(thing)s"),
        ),
        Sentence(
            "line.skill_delete",
            DESKS,
            _("%(actor)s deleted the skill %(skill)s from the desk %(thing)s"),
        ),
        Sentence(
            "line.topics_save", DESKS, _("%(actor)s changed the topics of the queue %(thing)s")
        ),
        Sentence(
            "line.languages_save",
            DESKS,
            _("%(actor)s changed the language skills of the desk %(thing)s"),
        ),
        Sentence(
            "line.identity_key_new",
            DESKS,
            _("%(actor)s created the signing secret %(secret)s for the desk %(thing)s"),
        ),
        Sentence(
            "line.identity_key_revoke",
            DESKS,
            _("%(actor)s revoked the signing secret %(secret)s of the desk %(thing)s"),
        ),
        Sentence(
            "line.reply_save",
            DESKS,
            _("%(actor)s saved the reply %(shortcut)s for the desk %(thing)s"),
        ),
        Sentence(
            "line.reply_delete",
            DESKS,
            _("%(actor)s deleted the saved reply %(shortcut)s from the desk %(thing)s"),
        ),
    ]


def _of_outcomes() -> list[Sentence]:
    return [
        Sentence(
            "line.outcome_add",
            DESKS,
            _("%(actor)s added the outcome %(outcome)s to the desk %(thing)s"),
        ),
        Sentence(
            "line.outcome_remove",
            DESKS,
            _("%(actor)s removed the outcome %(outcome)s from the desk %(thing)s"),
        ),
        Sentence(
            "line.outcome_move",
            DESKS,
            _(
                "%(actor)s moved the outcome %(outcome)s of the desk %(thing)s to position "
                "%(place)s"
            ),
        ),
        Sentence(
            "line.visit_outcome",
            VISITORS,
            _("%(actor)s set the outcome of the visit %(thing)s to %(outcome)s"),
            variant=lambda entry: (
                ""
                if (entry.after or {}).get("outcome")
                else _("%(actor)s cleared the outcome of the visit %(thing)s")
            ),
        ),
    ]


def _of_agents() -> list[Sentence]:
    return [
        Sentence(
            "line.agent_create",
            AGENTS,
            _("%(actor)s made %(user)s an agent, shown to visitors as %(thing)s"),
            {"user": person},
        ),
        Sentence("line.agent_configure", AGENTS, settings=SettingsFields(Agent, AgentForm)),
        Sentence("line.agent_archive", AGENTS, _("%(actor)s archived the agent %(thing)s")),
        Sentence("line.agent_restore", AGENTS, _("%(actor)s restored the agent %(thing)s")),
        Sentence(
            "line.agent_pause",
            AGENTS,
            _("%(actor)s paused the agent %(thing)s: %(reason)s"),
            {"reason": lambda value, _reading: pauses.words_of(str(value))},
        ),
        Sentence("line.agent_log_out", AGENTS, _("%(actor)s logged out the agent %(thing)s")),
    ]


def _of_visitors() -> list[Sentence]:
    visits = count(lambda n: ngettext("%(n)s visit", "%(n)s visits", n))
    return [
        Sentence("line.visit_end", VISITORS, _("%(actor)s ended the visit %(thing)s")),
        Sentence(
            "line.visit_move",
            VISITORS,
            _("%(actor)s moved the visit %(thing)s to the queue %(queue)s"),
            variant=lambda entry: (
                _("%(actor)s moved the visit %(thing)s to the front of the queue %(queue)s")
                if (entry.after or {}).get("front")
                else ""
            ),
        ),
        Sentence(
            "line.visit_take_over",
            VISITORS,
            _("%(actor)s transferred the visit %(thing)s to the agent %(agent)s"),
        ),
        Sentence(
            "line.room_whisper",
            VISITORS,
            _("%(actor)s whispered to the agent of the visit %(thing)s"),
        ),
        Sentence("line.room_join", VISITORS, _("%(actor)s joined the room of the visit %(thing)s")),
        Sentence("line.room_leave", VISITORS, _("%(actor)s left the room of the visit %(thing)s")),
        Sentence(
            "line.visitor_block",
            VISITORS,
            _("%(actor)s blocked the visitor %(key)s at %(thing)s until %(until)s"),
            {"key": _masked, "until": moment},
            variant=lambda entry: (
                ""
                if (entry.after or {}).get("until")
                else _("%(actor)s blocked the visitor %(key)s at %(thing)s")
            ),
        ),
        Sentence(
            "line.visitor_unblock",
            VISITORS,
            _("%(actor)s unblocked the visitor %(key)s at %(thing)s"),
            {"key": _masked},
        ),
        Sentence(
            "line.visitor_erase",
            VISITORS,
            _("%(actor)s erased the personal data of a visitor of %(thing)s: %(visits)s"),
            {"visits": visits},
        ),
        Sentence(
            "line.call_back",
            VISITORS,
            _("%(actor)s called back the visitor of the visit %(thing)s"),
        ),
        Sentence(
            "line.call_back_end",
            VISITORS,
            _("%(actor)s ended the callback by the agent %(thing)s"),
        ),
    ]


def _of_messages() -> list[Sentence]:
    return [
        Sentence(
            "line.message_handle",
            VISITORS,
            _("%(actor)s marked a message to the queue %(thing)s as handled"),
        ),
        Sentence(
            "line.message_reopen",
            VISITORS,
            _("%(actor)s reopened a message to the queue %(thing)s"),
        ),
        Sentence(
            "line.message_call",
            VISITORS,
            _("%(actor)s called back about a message to the queue %(thing)s"),
        ),
        Sentence(
            "line.message_call_end",
            VISITORS,
            _("%(actor)s ended the callback about a message to the queue %(thing)s"),
        ),
    ]


def _masked(value: Any, reading: Reading) -> str:
    """Mask the middle of a phone number or address, as in the logs."""
    return mask_text(plain(value, reading))


def _spans(value: Any, reading: Reading) -> str:
    try:
        return hours_as_text(value) or plain(value, reading)
    except (TypeError, ValueError):
        return plain(value, reading)


def _week(value: Any, reading: Reading) -> str:
    """Return the hours of a week, day by day."""
    from django.utils.dates import WEEKDAYS_ABBR

    if value == {}:
        return str(QueueForm.base_fields["always"].label)
    if not isinstance(value, dict):
        return plain(value, reading)
    days = [
        f"{WEEKDAYS_ABBR[number]} {_spans(value[str(number)], reading)}"
        for number in range(len(DAYS))
        if value.get(str(number))
    ]
    return plain(days, reading)
