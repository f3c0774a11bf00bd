"""The history: who did what to which thing, from what to what, and why."""

import json
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from poolsite.access import selectors
from poolsite.access.models import AuditEntry
from poolsite.access.views.common import actor_of, asks
from poolsite.operations import lists, tables
from poolsite.operations.tables import SqlColumn

OLDEST_YEAR, LATEST_YEAR = 1970, 9000  # beyond, the edges of datetime itself come near
SHOWN_LONGEST = 300
FILTERS = ("thing_kind", "thing_id", "actor", "action", "account", "job")


@never_cache
@require_GET
@asks("access.history_view")
def history(request: HttpRequest) -> HttpResponseBase:
    """The audit log with filters in the URL, newest first."""
    wanted = {name: tables.text_of(request, name, 200) for name in FILTERS}
    days = {name: tables.text_of(request, name, 10) for name in ("since", "until")}
    given = {**wanted, **days}
    return tables.answer(
        request,
        "access/history.html",
        selectors.history(
            actor_of(request),
            **wanted,
            since=_midnight(days["since"]),
            until=_after(days["until"]),
        ),
        _columns(),
        given=given,
        file="history",
        default="-when",
        dress=lambda entries: [(each, _shown(each.before), _shown(each.after)) for each in entries],
        context={"filters": given, "chips": _chips({**given, "sort": request.GET.get("sort", "")})},
    )


def _chips(given: dict[str, str]) -> list[dict[str, str]]:
    """One chip per filter, with the address that leaves it out."""
    return [
        {"name": name, "value": value, "remove_url": lists.address({**given, name: ""})}
        for name, value in given.items()
        if value and name != "sort"
    ]


def _columns() -> list[SqlColumn[AuditEntry]]:
    """Each order is one of the log's indexes: a page of a million entries is as quick as of ten."""
    return [
        SqlColumn("when", _("When"), lambda entry: entry.at.isoformat(), order=("pk",)),
        SqlColumn("who", _("Who"), lambda entry: entry.actor_name, order=("actor_name",)),
        SqlColumn("who_kind", "", lambda entry: entry.actor_kind),
        SqlColumn("did", _("Did"), lambda entry: entry.action, order=("action",)),
        SqlColumn(
            "thing", _("Thing"), lambda entry: entry.thing_label, order=("thing_kind", "thing_id")
        ),
        SqlColumn("thing_kind", "", lambda entry: entry.thing_kind),
        SqlColumn("thing_id", "", lambda entry: entry.thing_id),
        SqlColumn("account", "", lambda entry: entry.account.slug if entry.account else None),
        SqlColumn("from", _("From"), lambda entry: _as_json(entry.before)),
        SqlColumn("to", _("To"), lambda entry: _as_json(entry.after)),
        SqlColumn("why", _("Why"), lambda entry: entry.reason),
        SqlColumn("job", "", lambda entry: entry.job),
    ]


def _as_json(values: dict[str, Any] | None) -> str | None:
    return None if values is None else json.dumps(values, ensure_ascii=False)


def _shown(values: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What an entry holds, in words: lists as lists, yes and no, nothing left out but blanks.

    A long text is cut: the whole of it stands in the file.
    """
    shown = [(name, value) for name, value in (values or {}).items() if value not in ("", [])]
    return [(name, Truncator(_word(value)).chars(SHOWN_LONGEST)) for name, value in shown]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    if isinstance(value, list):
        return ", ".join(map(_word, value))
    return "–" if value is None else str(value)


def _midnight(day: str) -> datetime | None:
    """The start of a day in the reader's zone; None when it is not a date."""
    try:
        parsed = parse_date(day)
    except ValueError:
        return None
    if parsed is None or not OLDEST_YEAR <= parsed.year <= LATEST_YEAR:
        return None
    return timezone.make_aware(datetime(parsed.year, parsed.month, parsed.day))  # noqa: DTZ001


def _after(day: str) -> datetime | None:
    start = _midnight(day)
    return None if start is None else start + timedelta(days=1)
