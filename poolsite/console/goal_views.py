"""`/start/<goal>/`: all steps of a goal on one page, the next one open with its form."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from poolsite import access, hotpath
from poolsite.access import Decision
from poolsite.access.confirming import asks_again, confirm_url, factor_url
from poolsite.access.mails import site_of
from poolsite.api.problems import RefusedError
from poolsite.console.form_pages import add_errors
from poolsite.console.goals import DONE, LATER, NEXT, GoalStep, Guide, goals, guide_of, open_guides
from poolsite.console.pages import principal_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, goal: str) -> HttpResponseBase:
    """Show a goal's steps. POST does a step. A second click finds it done and repeats nothing.

    A reader who may do none of the steps gets 403.
    """
    principal = principal_of(request)
    if not principal.is_authenticated:
        raise access.LoginNeeded(goal)
    found = goals().get(goal)
    if found is None:
        raise Http404
    guide = guide_of(found, principal, request)
    if not guide.is_offered:
        raise access.Forbidden(goal)
    if request.method != "POST":
        return _page(request, guide)
    step = guide.step(request.POST.get("step", "")[:40])
    if step is None or step.form is None:
        return redirect(guide.url)
    access.require(principal, step.action, guide.things.get(step.thing))
    return asks_again(_do)(request, guide, step) if step.asks_again else _do(request, guide, step)


def _do(request: HttpRequest, guide: Guide, step: GoalStep) -> HttpResponseBase:
    if step.form is None or step.save is None:
        raise Http404
    form = step.form(guide, request.POST)
    if form.is_valid() and _saved(request, guide, step, form):
        return redirect(guide.url)
    return _page(request, guide, step, form)


def _saved(request: HttpRequest, guide: Guide, step: GoalStep, form: forms.Form) -> bool:
    """Run the step's service and show its message. Return False if the form has the errors."""
    try:
        message = step.save(guide, form) if step.save else ""
    except (ValidationError, RefusedError) as error:
        add_errors(form, error)
    except hotpath.UnknownOutcome:
        text = _(
            "Redis received the request but did not respond. Check the result before you try again."
        )
        form.add_error(None, text)
    except hotpath.HotPathError:
        form.add_error(None, _("Redis is down. Nothing was changed."))
    else:
        if message:
            messages.success(request, message)
        return True
    return False


def _page(
    request: HttpRequest, guide: Guide, step: GoalStep | None = None, form: forms.Form | None = None
) -> HttpResponse:
    rows = [
        _row(request, guide, each, place, form if each is step else None)
        for place, each in enumerate(guide.goal.steps, start=1)
    ]
    context = {
        "guide": guide,
        "goal": guide.goal,
        "rows": rows,
        "topic": guide.goal.topic(guide),
        "things": guide.things,
        **(guide.goal.ending_context(guide, site_of(request)) if guide.is_finished else {}),
        "sees_overview": access.decide(guide.principal, "operations.overview").allowed,
    }
    if guide.is_finished:
        others = [each for each in open_guides(guide.principal) if not each.is_finished]
        context["others"] = [each for each in others if each.goal is not guide.goal]
    status = 422 if form is not None else 200
    return render(request, "operations/start.html", context, status=status)


def _row(
    request: HttpRequest, guide: Guide, step: GoalStep, place: int, bound: forms.Form | None
) -> dict[str, Any]:
    """Return a step's data for the template.

    waits_for: why its form is missing: "factor", "password" or "other".
    """
    state = guide.state(step)
    row: dict[str, Any] = {"step": step, "place": place, "state": state, "told": "", "link": ""}
    if state == DONE:
        found = guide.things[step.name]
        row["told"] = step.told(guide, found)
        row["link"] = step.link(guide, found) if step.link else ""
    if state != LATER and step.context is not None:
        row |= step.context(guide)
    if state == LATER or (state == DONE and not step.again):
        return row
    decision = guide.decision(step)
    if decision is Decision.FACTOR:
        row |= {"waits_for": "factor", "confirm_url": factor_url(request)}
    elif not decision:
        row["waits_for"] = "other"
    elif step.asks_again and (url := confirm_url(request)):
        row |= {"waits_for": "password", "confirm_url": url}
    elif step.form is not None and not row.get("closed"):
        form = bound or step.form(guide, None)
        row |= {"form": form, **_fields(step, form, focus=state == NEXT)}
    return row


def _fields(step: GoalStep, form: forms.Form, *, focus: bool) -> dict[str, Any]:
    """Return the fields that are shown at once, and those that already have a good value."""
    shown = [name for name in step.first if name in form.fields] or list(form.fields)
    fields = [form[name] for name in shown if not form[name].is_hidden]
    if focus and fields:
        fields[0].field.widget.attrs["autofocus"] = True
    rest = [form[name] for name in form.fields if name not in shown]
    more = [field for field in rest if not field.is_hidden]
    return {
        "fields": fields,
        "hidden": form.hidden_fields(),
        "more": more,
        "more_open": any(field.errors for field in more),
    }
