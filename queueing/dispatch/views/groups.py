"""All groups live, and the first group."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from poolsite import access
from poolsite.access import Principal
from poolsite.live.scopes import address_for
from poolsite.operations import lists
from poolsite.operations.lists import Column
from poolsite.operations.pages import principal_of
from queueing.dispatch import selectors, services
from queueing.dispatch.forms import GroupCreateForm
from queueing.dispatch.selectors import GroupNow


@require_GET
def group_list(request: HttpRequest) -> HttpResponse:
    """Every group that the reader may see, with its figures; state in the address."""
    principal = principal_of(request)
    access.require(principal, "dispatch.view")
    may_create = access.decide(principal, "dispatch.create").allowed
    form = GroupCreateForm() if may_create else None
    context = _context(request, principal, form)
    if request.GET.get("format") == "csv":
        return lists.csv_answer("groups", _columns(), context["rows"])
    return render(request, "dispatch/groups.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def group_create(request: HttpRequest) -> HttpResponse:
    """Make a group, then show it."""
    principal = principal_of(request)
    access.require(principal, "dispatch.create")
    form = GroupCreateForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            group = services.group_create(actor=principal, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            words = _("Group %(name)s is there. Its front-ends and instances can link now.")
            messages.success(request, words % {"name": group.name})
            return redirect("dispatch:group", slug=group.slug)
    context = {**_context(request, principal, form), "open_form": True}
    return render(request, "dispatch/groups.html", context, status=422 if form.is_bound else 200)


def _context(
    request: HttpRequest, principal: Principal, form: GroupCreateForm | None
) -> dict[str, Any]:
    page = lists.page_of(request, selectors.visible_groups(principal), kind="group")
    found = selectors.with_figures(page.rows, patient=True)
    rows = lists.ordered(found, _columns(), page.sort)
    words = ngettext("%(n)s group", "%(n)s groups", page.total)
    return {
        "rows": rows,
        "page": page,
        "heads": lists.heads(_columns(), page.sort),
        "total_words": words % {"n": f"{page.total:,}"},
        "shown": _("%(count)s of %(total)s groups") % {"count": len(rows), "total": page.total},
        "next_url": page.next_url,
        "back_url": page.back_url,
        "many_accounts": principal.is_operator,
        "create_form": form,
        "topic": address_for(principal, "dispatch.groups"),
    }


def _columns() -> list[Column[GroupNow]]:
    return [
        Column("group", _("Group"), lambda row: row.group.name, right=False),
        *(
            Column(name, label, _figure(name))
            for name, label in (
                ("sessions", _("Sessions")),
                ("active", _("Links active")),
                ("pending", _("Links pending")),
                ("started", _("Started")),
                ("refused", _("Refused")),
            )
        ),
    ]


def _figure(name: str) -> Callable[[GroupNow], int | None]:
    return lambda row: getattr(row.figures, name, None)
