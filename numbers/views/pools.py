"""The list of all pools, live, and the creation of a pool."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from numbers import selectors, services
from numbers.forms import PoolCreateForm
from numbers.models import Pool
from numbers.selectors.rows import PoolRow, pool_rows
from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import Account
from poolsite.aggregates.paging import page_after, pages_of
from poolsite.console.chips import chips_of
from poolsite.console.form_pages import form_page, saved
from poolsite.console.goals import guide_url
from poolsite.console.lists import address, head
from poolsite.console.pages import principal_of
from poolsite.csv_text import csv_file
from poolsite.live.scopes import address_for
from poolsite.operations.tags_and_notes import with_tag

FILTERS = ("q", "show", "account", "tag", "sort")
LIVE_FILTERS = ("attention", "paused", "recovering")


SORTS: dict[str, Callable[[PoolRow], Any]] = {
    "name": lambda row: row.pool.name.lower(),
    "occupancy": lambda row: row.occupancy or 0,
    "busy": lambda row: row.busy or 0,
    "blocked": lambda row: row.hour.blocked_share or 0,
}


@require_GET
def pool_list(request: HttpRequest) -> HttpResponseBase:
    """List every pool that the user may see, with its figures. The list's state is in the URL."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    if request.GET.get("format") == "csv":
        filters = _filters(request)
        return _csv(_read_rows(pages_of(_matching(principal, filters)), filters))
    may_create = access.decide(principal, "numbers.create").allowed
    context = _context(request, principal, PoolCreateForm() if may_create else None)
    return render(request, "numbers/pools.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def pool_create(request: HttpRequest) -> HttpResponse:
    """Create a pool, then show it."""
    principal = principal_of(request)
    access.require(principal, "numbers.create")
    form = PoolCreateForm(request.POST or None)

    def done(pool: Pool) -> HttpResponse:
        words = _("Pool %(name)s created. Add its numbers next.")
        messages.success(request, words % {"name": pool.name})
        return redirect("numbers:pool", slug=pool.slug)

    save = partial(services.pool_create, actor=principal)
    if answer := saved(form, save, done, given=form.given):
        return answer
    context = {**_context(request, principal, form), "open_form": True}
    return form_page(request, "numbers/pools.html", context)


def _context(
    request: HttpRequest, principal: Principal, form: PoolCreateForm | None
) -> dict[str, Any]:
    total = selectors.visible_pools(principal).count()
    filters, after = _filters(request), request.GET.get("after", "")
    matching, following = _matching(principal, filters), ""
    # SQL doesn't know these, so every pool is read.
    if filters["show"] in LIVE_FILTERS or filters["sort"].removeprefix("-") in SORTS:
        rows = _read_rows(pages_of(matching), filters)
    else:
        shown, following = page_after(matching, after)
        rows = _read_rows([shown], filters)
    return {
        "empty": total == 0,
        "may_create": form is not None,
        "guide_url": "" if total else guide_url(principal, "call"),
        "create_form": form,
        "rows": rows,
        "filters": filters,
        "heads": _heads(filters["sort"]),
        "shows": _shows(),
        "chips": _chips(filters),
        "accounts": Account.objects.order_by("name")[:500] if principal.is_operator else [],
        "totals": _totals(rows),
        "shown": _shown(len(rows), total),
        "next_url": address(filters, after=following) if following else "",
        "back_url": address(filters) if after else "",
        "topic": address_for(principal, "numbers.pools"),
        **_words(total),
    }


def _filters(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "")[:120] for name in FILTERS}


def _matching(principal: Principal, filters: dict[str, str]) -> QuerySet[Pool]:
    pools = selectors.visible_pools(principal)
    if begins := filters["q"]:
        pools = pools.filter(Q(slug__startswith=begins.lower()) | Q(name__istartswith=begins))
    if filters["account"]:
        pools = pools.filter(account__slug=filters["account"])
    return with_tag(pools, filters["tag"], kind="pool")


def _read_rows(pages: Iterable[list[Pool]], filters: dict[str, str]) -> list[PoolRow]:
    rows = [row for shown in pages for row in pool_rows(shown)]
    return _sorted(_chosen(rows, filters["show"]), filters["sort"])


def _words(total: int) -> dict[str, str]:
    return {
        "total_words": ngettext("%(n)s pool", "%(n)s pools", total) % {"n": f"{total:,}"},
        "empty_title": _("No pools yet"),
        "empty_text": _("A pool gives its numbers to calls, one call at a time."),
        "none_title": _("No pools match"),
        "none_text": _("Change or clear the filters to see other pools."),
        "clear_label": _("Clear all"),
    }


def _shows() -> list[tuple[str, str]]:
    return [
        ("", _("All pools")),
        ("attention", _("Over threshold")),
        ("paused", _("Paused")),
        ("recovering", _("Recovering")),
    ]


def _chosen(rows: list[PoolRow], show: str) -> list[PoolRow]:
    if show == "attention":
        return [row for row in rows if row.over or row.status == "lost"]
    if show in ("paused", "recovering"):
        return [row for row in rows if row.status == show]
    return rows


def _sorted(rows: list[PoolRow], sort: str) -> list[PoolRow]:
    key = SORTS.get(sort.removeprefix("-"))
    return sorted(rows, key=key, reverse=sort.startswith("-")) if key else rows


def _heads(sort: str) -> list[dict[str, Any]]:
    names = [
        (_("Occupancy"), "occupancy", False),
        (_("In call"), "busy", True),
        (_("Idle"), "", True),
        (_("Offline"), "", True),
        (_("Offered /min"), "", True),
        (_("Carried /min"), "", True),
        (_("Blocked, 1 h"), "blocked", True),
        (_("1 h"), "", True),
    ]
    figures = [head(label, name, sort, right=right, falls=True) for label, name, right in names]
    return [head(_("Pool"), "name", sort, right=False), *figures]


def _chips(filters: dict[str, str]) -> list[dict[str, str]]:
    names = {"q": _("Begins with"), "show": _("Filter"), "account": _("Account"), "tag": _("Tag")}
    show = dict(_shows()).get(filters["show"], filters["show"])
    return chips_of(filters, names, {"show": show})


def _totals(rows: Sequence[PoolRow]) -> dict[str, Any]:
    known = [row for row in rows if row.figures is not None]
    busy = sum(row.busy or 0 for row in known)
    usable = sum(row.usable or 0 for row in known)
    offered = sum(row.hour.offered for row in rows)
    blocked = sum(row.hour.blocked for row in rows)
    return {
        "busy": busy,
        "usable": usable,
        "numbers": sum(row.figures.numbers for row in known if row.figures),
        "occupancy": busy / usable if usable else None,
        "blocked_share": blocked / offered if offered else None,
    }


def _shown(count: int, total: int) -> str:
    if count == total:
        return ngettext("%(n)s pool", "%(n)s pools", total) % {"n": total}
    return _("%(count)s of %(total)s pools") % {"count": count, "total": total}


CSV_HEAD = ("pool", "name", "status", "in call", "usable", "occupancy", "blocked, last hour")


def _csv(rows: Sequence[PoolRow]) -> StreamingHttpResponse:
    return csv_file("pools.csv", CSV_HEAD, map(_cells, rows))


def _cells(row: PoolRow) -> list[Any]:
    shares = (row.occupancy, row.hour.blocked_share)
    return [
        *(row.pool.slug, row.pool.name, row.status or "open", row.busy, row.usable),
        *("" if share is None else f"{share:.4f}" for share in shares),
    ]
