"""The settings of a desk: its own, queues, agents, skills, replies, holidays."""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.access import Principal
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.verbs import act
from queueing.line.errors import LineError
from queueing.line.forms.agents import AgentForm
from queueing.line.forms.desks import ClosureForm, DeskSettingsForm, ReplyForm, SkillForm
from queueing.line.forms.queues import QueueForm
from queueing.line.forms.routing import HolidaysForm
from queueing.line.models import Agent, Closure, Desk
from queueing.line.services import desk_settings as use
from queueing.line.services import desks
from queueing.line.views import outcomes
from queueing.line.views.common import cleaned, desk_of, tabs

CONFIGURE = "line.configure"


@require_http_methods(["GET", "HEAD", "POST"])
def desk_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all that belongs to a desk. POST saves its own settings."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    form = DeskSettingsForm(request.POST or None, instance=copy(desk))
    save = partial(use.desk_configure, actor=principal, desk=desk)
    if answer := saved(form, save, _back(request, desk, _("Settings saved.")), given=form.given):
        return answer
    today = timezone.localdate()
    context = {
        **tabs(principal, desk),
        "tab": "settings",
        "form": form,
        "groups": form.groups(),
        "queues": desk.queues.prefetch_related("agents"),
        "agents": desk.agents.select_related("user").prefetch_related("queues"),
        "skills": desk.skills.order_by("slug"),
        "replies": desk.canned_replies.order_by("shortcut"),
        "closures": Closure.objects.filter(Q(day__gte=today) | Q(yearly=True), queue__desk=desk)
        .select_related("queue")
        .order_by("day")[:100],
        "skill_form": SkillForm(prefix="skill"),
        "reply_form": ReplyForm(prefix="reply"),
        "closure_form": ClosureForm(desk=desk, prefix="closure"),
        "holidays_form": HolidaysForm(desk=desk, prefix="holidays"),
        **outcomes.settings_context(desk),
    }
    return form_page(request, "line/settings.html", context)


@require_POST
def settings_act(request: HttpRequest, slug: str) -> HttpResponse:
    """Run one of VERBS."""
    act(request, VERBS, desk_of(principal_of(request), slug, CONFIGURE))
    return redirect("line:settings", slug=slug)


def _skill(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = cleaned(SkillForm(request.POST, prefix="skill"))
    use.skill_create(actor=principal, desk=desk, **given)
    return _("Skill %(name)s added.") % {"name": given["name"]}


def _skill_delete(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    skill = desk.skills.filter(pk=key_of(request, "id") or 0).first()
    if skill is None:
        raise LineError("malformed", _("Skill not found."))
    use.skill_delete(actor=principal, skill=skill)
    return _("Skill removed.")


def _reply(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = cleaned(ReplyForm(request.POST, prefix="reply"))
    use.reply_save(actor=principal, desk=desk, **given)
    return _("Reply saved. Agents insert it with /%(shortcut)s.") % {"shortcut": given["shortcut"]}


def _reply_delete(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    reply = desk.canned_replies.filter(pk=key_of(request, "id") or 0).first()
    if reply is None:
        raise LineError("malformed", _("Reply not found."))
    use.reply_delete(actor=principal, reply=reply)
    return _("Reply removed.")


def _closure(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = cleaned(ClosureForm(request.POST, desk=desk, prefix="closure"))
    closure = use.closure_save(
        actor=principal,
        queue=given["queue"],
        day=given["day"],
        spans=given["hours"],
        text=given["text"],
        yearly=given["yearly"],
    )
    return _("Day saved: %(closure)s.") % {"closure": closure}


def _closure_delete(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    closure = (
        Closure.objects.filter(queue__desk=desk, pk=key_of(request, "id") or 0)
        .select_related("queue__desk__account")
        .first()
    )
    if closure is None:
        raise LineError("malformed", _("Day not found."))
    use.closure_delete(actor=principal, closure=closure)
    return _("Day removed. Its usual hours apply again.")


def _archive(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    agent = use.agent_archive(actor=principal, agent=_agent(desk, request))
    return _("Agent %(name)s archived.") % {"name": agent.name}


def _restore(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    agent = use.agent_restore(actor=principal, agent=_agent(desk, request))
    return _("Agent %(name)s restored. They can go online again.") % {"name": agent.name}


VERBS = {
    "skill": _skill,
    "skill_delete": _skill_delete,
    "reply": _reply,
    "reply_delete": _reply_delete,
    "closure": _closure,
    "closure_delete": _closure_delete,
    "archive": _archive,
    "restore": _restore,
    **outcomes.VERBS,
}


def _agent(desk: Desk, request: HttpRequest) -> Agent:
    key = key_of(request, "id") or 0
    agent = Agent.objects.filter(desk=desk, user_id=key).select_related("desk").first()
    if agent is None:
        raise LineError("unknown-agent", _("Agent not found."))
    return agent


# -- queues and agents ---------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def queue_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a queue of the desk."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    form = QueueForm(request.POST or None, desk=desk)
    save = partial(desks.queue_create, actor=principal, desk=desk)
    done = _back(request, desk, _("Queue created. Its page is open to visitors."))
    answer = saved(form, save, done, given=form.settings)
    return answer or _form_page(request, principal, desk, form, {"queue": None})


@require_http_methods(["GET", "HEAD", "POST"])
def queue_settings(request: HttpRequest, slug: str, queue: str) -> HttpResponse:
    """Change a queue's settings, effective immediately."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    found = desk.queues.filter(slug=queue).first()
    if found is None:
        raise Http404
    form = QueueForm(request.POST or None, desk=desk, instance=copy(found))
    save = partial(desks.queue_configure, actor=principal, queue=found)
    answer = saved(form, save, _back(request, desk, _("Settings saved.")), given=form.given)
    return answer or _form_page(request, principal, desk, form, {"queue": found})


@require_http_methods(["GET", "HEAD", "POST"])
def agent_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a member of the account an agent of the desk."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    form = AgentForm(request.POST or None, desk=desk)
    save = partial(desks.agent_create, actor=principal, desk=desk)
    done = _back(request, desk, _("Agent added. They can go online now."))
    answer = saved(form, save, done, given=form.settings)
    more = {"agent": None, "of_agent": True}
    return answer or _form_page(request, principal, desk, form, more)


@require_http_methods(["GET", "HEAD", "POST"])
def agent_settings(request: HttpRequest, slug: str, user_id: int) -> HttpResponse:
    """Change an agent's settings. The agent's open rooms continue."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    agent = desk.agents.filter(user_id=user_id).first() if user_id < 2**31 else None
    if agent is None:
        raise Http404
    form = AgentForm(request.POST or None, desk=desk, agent=copy(agent))
    save = partial(desks.agent_configure, actor=principal, agent=agent)
    answer = saved(form, save, _back(request, desk, _("Settings saved.")), given=form.given)
    more = {"agent": agent, "of_agent": True}
    return answer or _form_page(request, principal, desk, form, more)


def _back(request: HttpRequest, desk: Desk, words: str) -> Callable[[object], HttpResponse]:
    return redirect_with(request, words, "line:settings", slug=desk.slug)


def _form_page(
    request: HttpRequest,
    principal: Principal,
    desk: Desk,
    form: QueueForm | AgentForm,
    more: dict[str, Any],
) -> HttpResponse:
    context = {**tabs(principal, desk), "tab": "settings", "form": form, **more}
    context |= {"groups": form.groups(), "thing": form.instance if form.instance.pk else None}
    return form_page(request, "line/settings_form.html", context)
