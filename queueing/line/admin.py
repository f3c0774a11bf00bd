"""The admin's lists of desks. Every change goes through the services and is audited."""

from typing import Any

from django.contrib import admin
from django.db.models import CharField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils.dates import WEEKDAYS
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from poolsite import dates
from poolsite.access.services.actor import Actor
from poolsite.console.admin_columns import Words
from poolsite.console.admin_lists import ChangedAggregate, OfAggregate
from poolsite.console.admin_values import labelled, moment_us
from poolsite.console.templatetags.console import span
from queueing.line import pauses
from queueing.line.admin_words import DATA, DATA_OF, EVENTS, PENDING
from queueing.line.forms.fields import hours_as_text
from queueing.line.models import (
    Agent,
    AgentShift,
    CannedReply,
    Desk,
    LeftMessage,
    LineEvent,
    MessageCall,
    Queue,
    Skill,
    Visit,
)
from queueing.line.selectors.stories import why_words
from queueing.line.services import desk_settings, desks
from queueing.line.services.hours import join_at_midnight

QUEUE_FIELDS = (
    *("name", "welcome", "topics", "mode", "is_open", "hours", "closed_text", "ttl_seconds"),
    *("grace_seconds", "room_grace_seconds", "agent_grace_seconds", "offer_seconds"),
    *("decline_seconds", "misses_limit", "wrap_up_seconds", "max_wait_seconds"),
    *("max_length", "overflow", "no_agent", "no_agent_seconds", "skills_relax_seconds"),
    *("answer_within_seconds", "service_level_alarm_percent", "longest_wait_alarm_seconds"),
    "position",
)


def _known(text: str) -> str:
    """Return the text, or the mark for "nothing": Redis writes a dash for an empty value."""
    return dates.NOTHING if text in ("", "-") else text


def _word_of(text: str) -> str:
    """Return the scripts' word for people: an outcome, a reason, a pause, or an end time."""
    if text in Visit.Outcome.values:
        return Words(dict(Visit.Outcome.choices))(text)
    if text.isdecimal() and len(text) == len("1795000000000"):  # ms since 1970
        return moment_us(int(text) * 1_000)
    return pauses.words_of(why_words(text))


def _waited(ms: str) -> str:
    return span(int(ms) / 1_000) if ms.isdecimal() else ms


class OfDesk(OfAggregate):
    """Rows of a desk. Visitors' data is erased on the desk's own page."""

    view_action = "line.view"
    kind = "desk"
    path = "desk"


class ChangedOfDesk(ChangedAggregate):
    """Rows that operators can change."""

    view_action = "line.view"
    change_action = "line.configure"
    kind = "desk"


@admin.register(Desk)
class DeskAdmin(ChangedOfDesk):
    """Desks. Queues and agents have their own lists."""

    create_action = "line.create"
    list_display = ("slug", "name", "account", "transcript_days", "recovering_since")
    search_fields = ("slug__startswith", "name__istartswith")
    fields = ("slug", "account", *desk_settings.SETTINGS)

    def create(self, actor: Actor, **given: Any) -> Desk:
        return desks.desk_create(actor=actor, **given)

    def configure(self, actor: Actor, stored: Desk, **changes: Any) -> None:
        desk_settings.desk_configure(actor=actor, desk=stored, **changes)


@admin.register(Queue)
class QueueAdmin(ChangedOfDesk):
    """Queues with all their settings."""

    path = "desk"
    fixed = ("desk", "slug")
    list_display = ("slug", "name", "desk", "mode", "is_open", "max_length", "overflow")
    list_filter = ("mode", "is_open")
    search_fields = ("slug__startswith", "name__istartswith")
    fields = ("desk", "slug", *QUEUE_FIELDS)

    @admin.display(description=gettext_lazy("hours"))
    def hours_written(self, queue: Queue) -> str:
        """Return the hours of a week, day by day."""
        week = join_at_midnight(queue.hours)
        return labelled({str(WEEKDAYS[int(day)]): hours_as_text(week[day]) for day in week})

    def create(self, actor: Actor, **given: Any) -> Queue:
        return desks.queue_create(actor=actor, **given)

    def configure(self, actor: Actor, stored: Queue, **changes: Any) -> None:
        desks.queue_configure(actor=actor, queue=stored, **changes)


@admin.register(Agent)
class AgentAdmin(ChangedOfDesk):
    """Agents. They are archived on the desk's own page."""

    path = "desk"
    fixed = ("desk", "user")
    list_display = ("name", "user", "desk", "capacity", "archived_at")
    search_fields = ("name__istartswith", "user__username__startswith")
    fields = ("desk", "user", "name", "capacity", "queues", "skills", "phone")

    def create(self, actor: Actor, **given: Any) -> Agent:
        return desks.agent_create(actor=actor, **given)

    def configure(self, actor: Actor, stored: Agent, **changes: Any) -> None:
        desks.agent_configure(actor=actor, agent=stored, **changes)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Skip the many-to-many save: the service saves the queues with the agent."""
        form.save_m2m = lambda: None
        super().save_related(request, form, formsets, change)


@admin.register(Skill)
class SkillAdmin(OfDesk):
    """Skills, read-only. They are added and removed on the desk's own page."""

    list_display = ("slug", "name", "desk")
    search_fields = ("slug__startswith",)


@admin.register(CannedReply)
class ReplyAdmin(OfDesk):
    """Saved replies, read-only. They are changed on the desk's own page."""

    list_display = ("shortcut", "desk", "text")
    search_fields = ("shortcut__startswith",)


@admin.register(Visit)
class VisitAdmin(OfDesk):
    """Visits, read-only."""

    words = {"why": why_words}
    list_display = ("public_id", "name", "queue", "joined_at", "matched_at", "ended_at", "outcome")
    list_filter = ("outcome",)
    search_fields = ("public_id__startswith", "contact__startswith")
    ordering = ("-id",)


@admin.register(LeftMessage)
class LeftMessageAdmin(OfDesk):
    """Messages that visitors left. They are handled on the desk's own page."""

    view_action = "line.messages"
    path = "queue__desk"
    list_display = ("at", "queue", "name", "contact", "wants_call", "handled_at", "handled_by")
    ordering = ("-id",)


@admin.register(MessageCall)
class MessageCallAdmin(OfDesk):
    """Running callbacks to the authors of left messages. They end on the desk's own page."""

    view_action = "line.messages"
    path = "agent__desk"
    list_display = ("began_at", "agent", "message", "callee", "number", "pool", "ending", "look_at")
    list_filter = ("ending",)
    search_fields = ("operation__startswith", "callee__startswith", "number__startswith")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the calls with their messages. An erased message is None."""
        return super().get_queryset(request).select_related("message")


@admin.register(AgentShift)
class ShiftAdmin(OfDesk):
    """Agents' shifts."""

    path = "agent__desk"
    words = {"reason": pauses.words_of}
    labels = {"from": gettext_lazy("from"), "until": gettext_lazy("until")}
    list_display = ("agent", "began_at", "ended_at", "busy_seconds", "paused_seconds", "served")
    ordering = ("-id",)


@admin.register(LineEvent)
class DeskEventAdmin(OfDesk):
    """All entries of the desks' histories."""

    path = "aggregate"
    words = {
        "kind": Words(EVENTS),
        "visit": _known,
        "w": _word_of,
        "ms": _waited,
        "r": Words({"1": gettext_lazy("yes"), "0": gettext_lazy("no")}),
        "p": Words(PENDING),
    }
    list_display = ("at_us", "aggregate", "kind", "visit", "agent_name", "queue_name")
    list_filter = ("kind",)
    search_fields = ("visit__startswith",)
    ordering = ("-at_us",)
    hidden = ("agent", "queue")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the entries with the names of agents and queues, which Redis stores as numbers."""
        desk = OuterRef("aggregate_id")
        agents = Agent.objects.annotate(number=Cast("user_id", CharField()))
        queues = Queue.objects.annotate(number=Cast("pk", CharField()))
        rows: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                agent_known=_name(agents.filter(desk=desk, number=OuterRef("agent"))),
                queue_known=_name(queues.filter(desk=desk, number=OuterRef("queue"))),
            )
        )
        return rows

    def _shown(self) -> list[str]:
        return [*super()._shown(), "agent_name", "queue_name"]

    @admin.display(description=gettext_lazy("data"))
    def data_written(self, event: LineEvent) -> str:
        """Return the values, labelled by their meaning for this kind of event."""
        labels = DATA | DATA_OF.get(event.kind, {})
        return labelled(
            event.data, lambda name: capfirst(str(labels.get(name, name))), self.value_within
        )

    @admin.display(description=gettext_lazy("agent"))
    def agent_name(self, event: Any) -> str:
        """Return the agent's name, or the number if the agent no longer exists."""
        return event.agent_known or _known(event.agent)

    @admin.display(description=gettext_lazy("queue"))
    def queue_name(self, event: Any) -> str:
        """Return the queue's name, or the number if the queue no longer exists."""
        return event.queue_known or _known(event.queue)


def _name(rows: QuerySet[Any]) -> Subquery:
    return Subquery(rows.values("name")[:1])
