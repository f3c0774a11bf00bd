"""A gate's permits, by page or by name, and the explanation of why a device gets no task."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from poolsite import access, hotpath
from poolsite.console.lists import head
from poolsite.console.pages import principal_of
from queueing.admission import gate as commands
from queueing.admission import selectors
from queueing.admission.gate import is_device_name
from queueing.admission.models import Gate
from queueing.admission.selectors import GATES

ROWS = 100
SORTED_ROWS = 1_000  # permits in one reply of Redis: a longer list is only in its own order
BY = {"holder": "name", "since": "since", "left": "left_seconds"}
SORTS = {**BY, **{f"-{name}": row for name, row in BY.items()}}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GOOD = ("running", "next-report", "done", "result-pending")  # reasons that need no action


@require_GET
def holder_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List permits, earliest deadline first. `q` is the whole name of a holder or a device.

    Up to SORTED_ROWS of them can be sorted by other columns.
    """
    principal = principal_of(request)
    gate = GATES.get(principal, slug)
    text = request.GET.get("q", "").strip()[:64]
    page = request.GET.get("page", "0")
    start = int(page) * ROWS if page.isascii() and page.isdecimal() and len(page) < 6 else 0
    sort = request.GET.get("sort", "")
    found = _read(gate, text, 0, SORTED_ROWS) if sort in SORTS else None
    if found is None or found.total > SORTED_ROWS:
        sort, found = "", _read(gate, text, start, ROWS)
    rows = [] if found is None else [_row(found, row) for row in found.rows]
    if sort:
        rows.sort(key=lambda row: row[SORTS[sort.removeprefix("-")]], reverse=sort[0] == "-")
        rows = rows[start : start + ROWS]
    more = f"&sort={sort}" if sort else ""
    total = 0 if found is None else found.total
    sorts = total <= SORTED_ROWS
    figures = selectors.GATES.with_figures([gate], patient=True)[0].figures
    context = {
        "gate": gate,
        "rows": rows,
        "heads": [
            head(label, name if sorts else "", sort or "left", right=right)
            for name, label, right in (
                ("holder", _("Holder"), False),
                ("", _("Task"), False),
                ("", _("Weight"), True),
                ("since", _("Since"), True),
                ("left", _("Time remaining"), True),
                ("", _("Token"), True),
            )
        ],
        "missing": found is None,
        "text": text,
        "may_operate": access.decide(principal, "admission.operate", gate).allowed,
        "total": total,
        "used": figures.used if figures else None,
        "limit": figures.cap if figures else gate.cap,
        "sort": sort,
        "shown": _("%(count)s of %(total)s holders") % {"count": len(rows), "total": total},
        "next_url": f"?page={start // ROWS + 1}{more}" if not text and start + ROWS < total else "",
        "back_url": f"?page={start // ROWS - 1}{more}" if not text and start else "",
    }
    return render(request, "admission/holders.html", context)


def _read(gate: Gate, text: str, start: int, count: int) -> commands.Holders | None:
    """Return permits from `start`, or those named `text`, or None if Redis doesn't answer."""
    try:
        found = hotpath.run(commands.holders(gate.slug, start, count))
        if not text:
            return found
        names = (text, f"@{text}", f"#{text}")  # as users enter them: plain, a device, anonymous
        ones = hotpath.run_batch([commands.holder(gate.slug, name) for name in names])
    except hotpath.HotPathError:
        return None
    held = tuple(one for one in ones if isinstance(one, commands.Holder))
    return commands.Holders(found.as_of_us, len(held), held)


def _row(found: commands.Holders, row: commands.Holder) -> dict[str, Any]:
    return {
        "holder": row.holder,
        "name": row.holder.removeprefix("@"),
        "token": row.token,
        "task": row.task,
        "weight": row.weight,
        "since": EPOCH + timedelta(microseconds=row.granted_us),
        "age_seconds": (found.as_of_us - row.granted_us) // 1_000_000,
        "left_seconds": max(0, (row.deadline_us - found.as_of_us) // 1_000_000),
    }


@require_GET
def device_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Explain the device `q`, a whole name. Without `q`, show only the form."""
    gate = GATES.get(principal_of(request), slug)
    text = request.GET.get("q", "").strip()[:64]
    is_missing, found = False, None
    if is_device_name(text):
        try:
            found = selectors.explain(gate, text)
        except hotpath.HotPathError:
            is_missing = True
    context = {
        "gate": gate,
        "text": text,
        "found": found,
        "is_good": found is not None and found.reason in GOOD,
        "is_missing": is_missing,
        "is_malformed": bool(text) and not is_device_name(text),
    }
    return render(request, "admission/device.html", context)
