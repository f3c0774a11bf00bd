"""The number list: search, filters, live states, CSV export; next to it the import panel."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from numbers.guide import numbers_url
from numbers.models import Pool
from numbers.selectors import NumberFilter, about_count, number_list, visible_numbers
from numbers.selectors.lists import About
from numbers.views.common import answers_json, visible_pools
from numbers.views.import_panel import panel_of
from numbers.views.number_columns import read_columns
from numbers.views.number_filter import (
    ROWS_AT_MOST,
    Filters,
    choices,
    other_forms,
    read_filters,
    with_prefix,
)
from numbers.views.number_rows import rows_of
from numbers.views.twins import twin_count
from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import figure
from poolsite.csv_text import csv_file

ROWS = (25, 50, ROWS_AT_MOST)
LAST = "~"  # sorts after every number
EXPORT_HEAD = ("number", "pool", "label", "region", "carrier", "tags", "notes", "quarantined")


@require_GET
def number_list_page(request: HttpRequest) -> HttpResponse:
    """Show the list. Its whole state is in the URL."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    filters = read_filters(request.GET)
    size = _size(request)
    descending = request.GET.get("sort") == "-number" and not filters.wanted.state
    rows, back, following, wanted = _page(principal, filters, request, size, descending)
    prefetch_related_objects([row.number for row in rows], "tags")
    count = about_count(principal, wanted)
    pools = list(visible_pools(principal).order_by("slug")[:500])
    show_cap = any(row.number.pool.daily_cap for row in rows)
    many_pools = len(pools) > 1 and not filters.given["pool"]
    useless = ([] if show_cap else ["today"]) + ([] if many_pools else ["pool"])
    cols = read_columns(request.GET, useless)
    keep = {
        "sort": "-number" if descending else "",
        "rows": size if size != ROWS[0] else "",
        "cols": cols["cols_asked"],
        "panel": request.GET.get("panel", ""),
    }
    kept = {name: value for name, value in keep.items() if value}
    operable = [pool for pool in pools if access.decide(principal, "numbers.operate", pool).allowed]
    empty = not filters.any and not rows
    context = {
        "rows": rows,
        "empty": empty,
        **cols,
        "kept": kept,
        "page_sizes": [
            (each, filters.address(**{**keep, "rows": each if each != ROWS[0] else ""}))
            for each in ROWS
        ],
        "filters": filters,
        "chips": filters.chips(kept),
        "hint": _hint(count, filters, len(pools)),
        "count": count,
        "shown": _shown(len(rows), count, bool(back), bool(filters.wanted.state)),
        "total": figure(count.count) if count.exact else _("about %s") % figure(count.count),
        "size": size,
        "sort_url": filters.address(**{**keep, "sort": "" if descending else "-number"}),
        "descending": descending,
        "next_url": filters.address(after=following, **keep) if following else "",
        "back_url": filters.address(before=back, **keep) if back else "",
        "clear_url": f"?{urlencode(kept)}",
        "export_url": reverse("numbers:export") + filters.address(),
        "operable": operable,
        "guide_url": numbers_url(principal, pools) if empty else "",
        "twins": twin_count(principal),
        "panel": panel_of(request, principal, operable),
        "page": _page_json(filters, rows, count, operable),
        **choices(principal, filters, pools),
    }
    return render(request, "numbers/number_list.html", context)


def _page(
    principal: Principal, filters: Filters, request: HttpRequest, size: int, descending: bool
) -> tuple[list[Any], str, str, NumberFilter]:
    """Return the rows, the keys of the neighbouring pages, and the filter that was used.

    If no number has the prefix, it is tried after the country code (138 finds +86 138 …), and as a
    whole number in another format.
    """
    after, before = (request.GET.get(name, "")[:40] for name in ("after", "before"))
    tries = [filters.wanted]
    if filters.wanted.prefix:
        tries += [
            with_prefix(filters.wanted, each) for each in other_forms(principal, filters.wanted)
        ]
    for wanted in tries:
        if descending:
            page = number_list(
                principal, wanted, after=before, before="" if before else after or LAST, limit=size
            )
            rows = [listed.number for listed in page.rows][::-1]
            back, following = (page.next if after or before else ""), page.previous
            if not after and not before:
                following = rows[-1].value if len(rows) == size else ""
        else:
            page = number_list(principal, wanted, after=after, before=before, limit=size)
            rows = [listed.number for listed in page.rows]
            back, following = page.previous, page.next
        if rows or after or before:
            break
    return rows_of(rows), back, following, wanted


def _size(request: HttpRequest) -> int:
    given = request.GET.get("rows", "")
    return int(given) if given in {str(size) for size in ROWS} else ROWS[0]


def _hint(count: About, filters: Filters, pools: int) -> str:
    numbers = figure(count.count)
    if filters.any:
        return _("%(n)s found") % {"n": numbers if count.exact else _("about %s") % numbers}
    words = ngettext("%(n)s in %(pools)s pool", "%(n)s in %(pools)s pools", pools)
    shown = numbers if count.exact else _("about %s") % numbers
    return words % {"n": shown, "pools": figure(pools)}


def _shown(rows: int, count: About, later: bool, by_state: bool) -> str:
    if by_state:
        return ngettext("%(n)s shown", "%(n)s shown", rows) % {"n": figure(rows)}
    total = figure(count.count) if count.exact else _("about %s") % figure(count.count)
    if later:
        return _("%(n)s of %(total)s") % {"n": figure(rows), "total": total}
    return _("%(first)s to %(last)s of %(total)s") % {
        "first": 1 if rows else 0,
        "last": figure(rows),
        "total": total,
    }


def _page_json(
    filters: Filters, rows: list[Any], count: About, operable: list[Pool]
) -> dict[str, Any]:
    """The data for the page's JavaScript module."""
    return {
        "states_url": reverse("numbers:states"),
        "bulk_url": reverse("numbers:bulk"),
        "add_url": reverse("numbers:add"),
        "range_url": reverse("numbers:add_range"),
        "filter": filters.given,
        "count": count.count,
        "exact": count.exact,
        "numbers": [row.number.value for row in rows],
        "watched": sorted({row.number.pool.slug for row in rows})[:20],
        "may_operate": bool(operable),
        "details": {
            row.number.value: {
                "label": row.number.label,
                "notes": row.number.notes,
                "region": row.number.region,
                "tags": [tag.tag for tag in row.number.tags.all()] if operable else [],
                "url": reverse("numbers:change", args=[row.number.value]),
            }
            for row in rows
            if operable
        },
    }


@require_GET
@answers_json
def number_states(request: HttpRequest) -> HttpResponse:
    """The live states of a page's numbers. Numbers that the user may not see are left out."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    values = request.GET.get("n", "")[:8_000].split(",")[:ROWS_AT_MOST]
    numbers = visible_numbers(principal).select_related("pool").filter(value__in=values)
    return JsonResponse({"rows": [row.as_json() for row in rows_of(list(numbers))]})


@require_GET
def number_export(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the filtered list as CSV: a million rows need no memory."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    filters = read_filters(request.GET)
    return csv_file("numbers.csv", EXPORT_HEAD, _exported(principal, filters.wanted))


def _exported(principal: Principal, wanted: NumberFilter) -> Iterator[list[str]]:
    """Yield the rows, a page at a time: no cursor stays open while a slow client reads."""
    after = ""
    while True:
        page = number_list(principal, wanted, after=after, limit=1_000)
        numbers = [listed.number for listed in page.rows]
        prefetch_related_objects(numbers, "tags")
        for number in numbers:
            yield [
                number.value,
                number.pool.slug,
                number.label,
                number.region,
                number.carrier,
                " ".join(sorted(tag.tag for tag in number.tags.all())),
                number.notes,
                number.quarantined_reason if number.quarantined_at else "",
            ]
        if not page.next:
            return
        after = page.next
