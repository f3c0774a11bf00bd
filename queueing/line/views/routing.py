"""Routing of visitors: topics of queues, skills of languages, secrets for signed visitors."""

from typing import Any

from django.forms import BaseFormSet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.verbs import act, carry_out
from queueing.line.errors import LineError
from queueing.line.forms.routing import (
    OTHER_LANGUAGES,
    HolidaysForm,
    LanguagesForm,
    TopicForm,
    TopicFormSet,
    topic_initial,
)
from queueing.line.models import Desk, Queue, Topic
from queueing.line.services import desk_settings, identities, routing
from queueing.line.views.common import cleaned, desk_of, tabs

CONFIGURE = "line.configure"


@require_http_methods(["GET", "HEAD"])
def routing_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the topics of each queue, the skills of languages, and the signing secrets."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    queues = list(desk.queues.select_related("desk__account"))
    keys = desk.identity_keys.filter(revoked_at=None)
    context = {
        **tabs(principal, desk),
        "tab": "settings",
        "queues": [(queue, _meanings(queue, routing.topics_of(queue))) for queue in queues],
        "languages": LanguagesForm(desk=desk, prefix="languages"),
        "has_skills": desk.skills.exists(),
        "sets": len(routing.skill_sets(desk)),
        "sets_limit": routing.SKILL_SETS_LIMIT,
        "keys": keys,
        "may_add_key": len(keys) < identities.KEYS_LIMIT,
        "example": queues[0] if queues else None,
    }
    return render(request, "line/routing.html", context)


@never_cache
@require_POST
def routing_act(request: HttpRequest, slug: str) -> HttpResponse:
    """Run one of VERBS. A new secret is shown in this response only."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    made: list[str] = []

    def new_key(principal: Principal, desk: Desk, _request: HttpRequest) -> str:
        made.append(identities.key_new(actor=principal, desk=desk))
        return _("Signing secret created.")

    if act(request, {**VERBS, "key": new_key}, desk) and made:
        context = {**tabs(principal, desk), "tab": "settings", "secret": made[0]}
        return render(request, "line/identity_key_shown.html", context)
    page = "line:settings" if request.POST.get("verb") == "holidays" else "line:routing"
    return redirect(page, slug=desk.slug)


def _languages(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    form = LanguagesForm(request.POST, desk=desk, prefix="languages")
    cleaned(form)
    routing.languages_save(actor=principal, desk=desk, skills=form.skills())
    return _("Languages saved.")


def _key_revoke(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    key = desk.identity_keys.filter(pk=key_of(request, "id") or 0).first()
    if key is None:
        raise LineError("malformed", _("Secret not found."))
    identities.key_revoke(actor=principal, key=key)
    return _("Secret revoked. Tokens signed with it are refused.")


def _holidays(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    form = HolidaysForm(request.POST, desk=desk, prefix="holidays")
    given = cleaned(form)
    count = desk_settings.closures_import(
        actor=principal, queues=form.queues(), days=given["days"], yearly=given["yearly"]
    )
    return _("Days added: %(count)s.") % {"count": count}


VERBS = {"languages": _languages, "key_revoke": _key_revoke, "holidays": _holidays}


# -- the topics of a queue -----------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def topics_page(request: HttpRequest, slug: str, queue: str) -> HttpResponse:
    """Show and save a queue's topics, as a table that is saved as a whole."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    found = desk.queues.select_related("desk__account").filter(slug=queue).first()
    if found is None:
        raise Http404
    topics = routing.topics_of(found)
    rows = TopicFormSet(
        request.POST if request.method == "POST" else None,
        initial=[topic_initial(topic) for topic in topics],
        form_kwargs={"queue": found},
        prefix="topics",
    )
    is_good = rows.is_bound and rows.is_valid()
    if is_good and carry_out(request, lambda: _save(principal, found, rows)):
        return redirect("line:topics", slug=desk.slug, queue=found.slug)
    context = {
        **tabs(principal, desk),
        "tab": "settings",
        "queue": found,
        "rows": rows,
        "languages": OTHER_LANGUAGES,
        "meanings": _meanings(found, topics),
        "archived": found.topic_rows.exclude(archived_at=None)[:50],
        "skills": desk.skills.order_by("slug"),
    }
    return render(request, "line/topics.html", context, status=422 if rows.is_bound else 200)


def _save(principal: Principal, queue: Queue, rows: "BaseFormSet[TopicForm]") -> str:
    known = {topic.pk: topic for topic in queue.topic_rows.all()}
    kept = [form for form in rows.forms if _is_kept(form)]
    last = len(rows.forms) + 1  # for rows without an order
    kept = sorted(kept, key=lambda form: form.cleaned_data.get("ORDER") or last)
    topics = [form.topic(known) for form in kept]
    routing.topics_save(actor=principal, queue=queue, topics=topics)
    return _("Topics saved. They apply to the next visitor.")


def _is_kept(form: TopicForm) -> bool:
    found = form.cleaned_data
    return bool(found.get("text")) and not found.get("DELETE")


def _meanings(queue: Queue, topics: list[Topic]) -> list[dict[str, Any]]:
    """Return each topic with a sentence about its effect."""
    names = dict(queue.desk.skills.values_list("slug", "name"))
    return [{"topic": topic, "words": _meaning(topic, queue, names)} for topic in topics]


def _meaning(topic: Topic, queue: Queue, names: dict[str, str]) -> str:
    target = topic.target or queue
    needed = ", ".join(
        _("%(skill)s at level %(level)s or higher") % {"skill": names.get(slug, slug), "level": at}
        for slug, at in sorted(topic.skills.items())
    )
    words = {"queue": target.name, "skills": needed, "class": topic.priority}
    sentence = (
        _("Visitors wait in %(queue)s for an agent with %(skills)s.")
        if needed
        else _("Visitors wait in %(queue)s for any agent.")
    )
    if topic.priority < routing.ORDINARY:
        sentence += " " + _("They are served before visitors with a class above %(class)s.")
    elif topic.priority > routing.ORDINARY:
        sentence += " " + _("They are served after visitors with a class below %(class)s.")
    return sentence % words
