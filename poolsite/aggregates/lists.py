"""The page of an app's aggregates: their list with live figures, and the dialog to create one.

An app declares its own part in an `AggregateList`. templates/components/aggregate_list.html is the
page, which the app's template extends with its rows.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from poolsite import access
from poolsite.access import Principal
from poolsite.aggregates import paging
from poolsite.aggregates.forms import AggregateCreateForm
from poolsite.console import lists
from poolsite.console.form_pages import form_page, saved
from poolsite.console.goals import guide_url
from poolsite.console.lists import Column
from poolsite.console.pages import principal_of
from poolsite.live.scopes import address_for
from poolsite.operations.models import Incident
from poolsite.operations.selectors import open_incidents

M = TypeVar("M", bound=Model)
R = TypeVar("R")
MOST = 500  # the most open incidents of one kind that a page reads


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of the page, in the reader's language."""

    title: str
    new: str  # on the button, and above the dialog
    create: str  # submits the dialog
    none: str  # the list is empty: what is missing, what it is for, the first one
    none_why: str
    first: str
    unlike: str  # no match for the search
    unlike_why: str


@dataclass(frozen=True)
class AggregateList(Generic[M, R]):
    """The list page of one kind. `view` and `make` answer the requests to its two URLs.

    url, create_url: names of the URLs.
    topic: name of the list's live topic.
    visible: the aggregates that a principal may see, by slug.
    figures: returns a row for each aggregate.
    create: the service that gets the form's values; the dialog shows its errors.
    made: the message about a new aggregate.
    goes_to: the name of the URL that follows, which gets its slug.
    goal: the goal whose guide an empty list links to.
    incidents: prefix of the types of incident that the rows show, as `problems` of each aggregate.
    """

    kind: str
    icon: str
    template: str
    url: str
    create_url: str
    view_action: str
    create_action: str
    topic: str
    words: Callable[[], Words]
    counted: Callable[[int], str]
    visible: Callable[[Principal], QuerySet[M]]
    figures: Callable[[list[M]], Iterable[R]]
    columns: Callable[[], list[Column[R]]]
    form: type[AggregateCreateForm]
    create: Callable[..., M]
    made: Callable[[M], str]
    goes_to: str
    goal: str = ""
    incidents: str = ""

    @method_decorator(require_GET)
    def view(self, request: HttpRequest) -> HttpResponse:
        """Show every aggregate that the reader may see, with its figures. The URL has the state."""
        principal = principal_of(request)
        access.require(principal, self.view_action)
        if request.GET.get("format") == "csv":
            return self._csv(request, principal)
        may_create = access.decide(principal, self.create_action).allowed
        context = self._context(request, principal, self.form() if may_create else None)
        return render(request, self.template, context)

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def make(self, request: HttpRequest) -> HttpResponse:
        """Create an aggregate, then show it. With errors, show the dialog again (422)."""
        principal = principal_of(request)
        access.require(principal, self.create_action)
        form = self.form(request.POST or None)

        def done(made: Any) -> HttpResponse:
            messages.success(request, self.made(made))
            return redirect(self.goes_to, slug=made.slug)

        save = partial(self.create, actor=principal)
        if answer := saved(form, save, done, given=form.given):
            return answer
        context = {**self._context(request, principal, form), "open_form": True}
        return form_page(request, self.template, context)

    def _context(
        self, request: HttpRequest, principal: Principal, form: AggregateCreateForm | None
    ) -> dict[str, Any]:
        listing = self._listing(request, principal)
        page = listing.page()
        total = self.counted(page.total)
        return {
            "list": self,
            "words": self.words(),
            "rows": page.rows,
            "page": page,
            "heads": lists.heads(listing.columns, page.sort),
            "total_words": total,
            "shown": _("%(count)s of %(total)s") % {"count": len(page.rows), "total": total},
            "next_url": page.next_url,
            "back_url": page.back_url,
            "many_accounts": principal.is_operator,
            "create_form": form,
            "guide_url": "" if page.total else guide_url(principal, self.goal),
            "topic": address_for(principal, self.topic),
        }

    def _csv(self, request: HttpRequest, principal: Principal) -> HttpResponse:
        listing = self._listing(request, principal)
        return lists.csv_answer(f"{self.kind}s", listing.columns, listing.every_row())

    def _listing(self, request: HttpRequest, principal: Principal) -> paging.Listing[M, R]:
        @cache
        def problems() -> dict[str, list[Incident]]:
            return self._problems(principal)

        def read(shown: list[Any]) -> Iterable[R]:
            for aggregate in shown:
                aggregate.problems = problems()[aggregate.slug]
            return self.figures(shown)

        rows = self.visible(principal)
        return paging.Listing(request, rows, self.kind, read, self.columns())

    def _problems(self, principal: Principal) -> dict[str, list[Incident]]:
        """Return the open incidents by slug, worst first: those that link to its pages."""
        found: dict[str, list[Incident]] = defaultdict(list)
        place = reverse(self.url)
        if self.incidents:
            for each in open_incidents(principal).filter(type__startswith=self.incidents)[:MOST]:
                found[each.url.removeprefix(place).partition("/")[0]].append(each)
        return found


def state_column(aggregate: Callable[[R], Any]) -> Column[R]:
    """Return the column "State": the problems of a row's aggregate."""

    def problems(row: R) -> str | None:
        return "; ".join(each.title for each in aggregate(row).problems) or None

    return Column("state", _("State"), problems, right=False)
