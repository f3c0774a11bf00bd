"""A desk is set up: its own settings, queues, agents, skills, replies, holidays."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out
from queueing.line.errors import LineError
from queueing.line.forms.agents import AgentForm
from queueing.line.forms.desks import ClosureForm, DeskSettingsForm, ReplyForm, SkillForm
from queueing.line.forms.queues import QueueForm
from queueing.line.forms.routing import HolidaysForm
from queueing.line.models import Agent, Closure, Desk, Queue
from queueing.line.services import desk_settings as use
from queueing.line.services import desks
from queueing.line.views import outcomes
from queueing.line.views.common import desk_of, faults_of, tabs

CONFIGURE = "line.configure"
ID_DIGITS = 12


@require_http_methods(["GET", "HEAD", "POST"])
def desk_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """All that belongs to a desk; POST saves its own settings."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    form = DeskSettingsForm(request.POST if request.method == "POST" else None, instance=desk)
    if form.is_valid():
        changes = form.changes()
        if _saved(form, lambda: use.desk_configure(actor=principal, desk=desk, **changes)):
            messages.success(request, _("Settings saved."))
            return redirect("line:settings", slug=desk.slug)
    desk.refresh_from_db()
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
    return render(request, "line/settings.html", context, status=_status(form))


@require_POST
def settings_act(request: HttpRequest, slug: str) -> HttpResponse:
    """One of VERBS."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    carry_out(request, lambda: _act(principal, desk, request))
    return redirect("line:settings", slug=desk.slug)


def _act(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    verb = request.POST.get("verb", "")
    does = VERBS.get(verb)
    if does is None:
        raise LineError("malformed", _("Action not found."))
    return does(principal, desk, request)


def _skill(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = _cleaned(SkillForm(request.POST, prefix="skill"))
    use.skill_create(actor=principal, desk=desk, **given)
    return _("Skill %(name)s added.") % {"name": given["name"]}


def _skill_delete(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    skill = desk.skills.filter(pk=_key(request)).first()
    if skill is None:
        raise LineError("malformed", _("Skill not found."))
    use.skill_delete(actor=principal, skill=skill)
    return _("Skill removed.")


def _reply(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = _cleaned(ReplyForm(request.POST, prefix="reply"))
    use.reply_save(actor=principal, desk=desk, **given)
    return _("Reply saved. Agents insert it with /%(shortcut)s.") % {"shortcut": given["shortcut"]}


def _reply_delete(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    reply = desk.canned_replies.filter(pk=_key(request)).first()
    if reply is None:
        raise LineError("malformed", _("Reply not found."))
    use.reply_delete(actor=principal, reply=reply)
    return _("Reply removed.")


def _closure(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = _cleaned(ClosureForm(request.POST, desk=desk, prefix="closure"))
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
        Closure.objects.filter(queue__desk=desk, pk=_key(request))
        .select_related("queue__desk__account")
        .first()
    )
    if closure is None:
        raise LineError("malformed", _("Day not found."))
    use.closure_delete(actor=principal, closure=closure)
    return _("Day removed. Its usual hours apply again.")


def _archive(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    agent = use.agent_archive(actor=principal, agent=_agent(desk, _key(request)))
    return _("Agent %(name)s archived.") % {"name": agent.name}


def _restore(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    agent = use.agent_restore(actor=principal, agent=_agent(desk, _key(request)))
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


def _key(request: HttpRequest) -> int:
    text = request.POST.get("id", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < ID_DIGITS else 0


def _agent(desk: Desk, key: int) -> Agent:
    agent = Agent.objects.filter(desk=desk, user_id=key).select_related("desk").first()
    if agent is None:
        raise LineError("unknown-agent", _("Agent not found."))
    return agent


def _cleaned(form: forms.Form) -> dict[str, Any]:
    if form.is_valid():
        return form.cleaned_data
    raise ValidationError(faults_of(form))


# -- queues and agents ---------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def queue_create(request: HttpRequest, slug: str) -> HttpResponse:
    """A new queue of the desk."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    form = QueueForm(request.POST if request.method == "POST" else None, desk=desk)
    if form.is_valid() and _saved(
        form, lambda: desks.queue_create(actor=principal, desk=desk, **form.settings())
    ):
        messages.success(request, _("Queue created. Its page is open to visitors."))
        return redirect("line:settings", slug=desk.slug)
    return _form_page(request, principal, desk, form, {"queue": None})


@require_http_methods(["GET", "HEAD", "POST"])
def queue_settings(request: HttpRequest, slug: str, queue: str) -> HttpResponse:
    """A queue's settings; they hold from the moment on which they are saved."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    found = desk.queues.filter(slug=queue).first()
    if found is None:
        raise Http404
    form = QueueForm(request.POST if request.method == "POST" else None, desk=desk, instance=found)
    if form.is_valid() and _saved(form, lambda: _configure(principal, found, form)):
        messages.success(request, _("Settings saved."))
        return redirect("line:settings", slug=desk.slug)
    return _form_page(request, principal, desk, form, {"queue": found})


def _configure(principal: Principal, queue: Queue, form: QueueForm) -> None:
    changes = form.changes()
    if changes:
        desks.queue_configure(actor=principal, queue=queue, **changes)


@require_http_methods(["GET", "HEAD", "POST"])
def agent_create(request: HttpRequest, slug: str) -> HttpResponse:
    """A member of the account becomes an agent of the desk."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    form = AgentForm(request.POST if request.method == "POST" else None, desk=desk)
    if form.is_valid() and _saved(
        form,
        lambda: desks.agent_create(
            actor=principal, desk=desk, user=form.cleaned_data["user"], **form.settings()
        ),
    ):
        messages.success(request, _("Agent added. They can go online now."))
        return redirect("line:settings", slug=desk.slug)
    return _form_page(request, principal, desk, form, {"agent": None, "of_agent": True})


@require_http_methods(["GET", "HEAD", "POST"])
def agent_settings(request: HttpRequest, slug: str, user_id: int) -> HttpResponse:
    """What an agent may do; rooms that run go on."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    agent = desk.agents.filter(user_id=user_id).first() if user_id < 2**31 else None
    if agent is None:
        raise Http404
    form = AgentForm(request.POST if request.method == "POST" else None, desk=desk, agent=agent)
    if form.is_valid() and _saved(
        form, lambda: desks.agent_configure(actor=principal, agent=agent, **form.changes())
    ):
        messages.success(request, _("Settings saved."))
        return redirect("line:settings", slug=desk.slug)
    return _form_page(request, principal, desk, form, {"agent": agent, "of_agent": True})


def _form_page(
    request: HttpRequest,
    principal: Principal,
    desk: Desk,
    form: QueueForm | AgentForm,
    more: dict[str, Any],
) -> HttpResponse:
    access.require(principal, CONFIGURE, desk)
    context = {**tabs(principal, desk), "tab": "settings", "form": form, **more}
    context |= {"groups": form.groups(), "thing": form.instance if form.instance.pk else None}
    return render(request, "line/settings_form.html", context, status=_status(form))


def _saved(form: forms.BaseForm, save: Any) -> bool:
    """Whether it was saved; else the form says why not."""
    try:
        save()
    except ValidationError as error:
        _tell(form, error)
        return False
    except LineError as error:
        form.add_error(None, error.detail)
        return False
    return True


def _tell(form: forms.BaseForm, error: ValidationError) -> None:
    by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    for name, words in by_field.items():
        form.add_error(name if name in form.fields else None, ValidationError(words))


def _status(form: forms.BaseForm) -> int:
    return 422 if form.is_bound and form.errors else 200
