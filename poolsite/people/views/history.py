"""The history: who did what to which object, from what to what, and why, as sentences."""

import json
from typing import Any

from django.apps import apps
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from poolsite.access import principal_of_request, selectors
from poolsite.access.models import AuditEntry
from poolsite.console import lists, sentences, tables
from poolsite.console.days import span
from poolsite.console.sentences import Names, Reading
from poolsite.console.tables import SqlColumn
from poolsite.people.views.common import asks
from poolsite.people.views.history_rows import rows_of

FILTERS = ("thing_kind", "thing_id", "actor", "action", "account", "job")
PEOPLE_SUGGESTED_OF = 500  # latest entries


@never_cache
@require_GET
@asks("access.history_view")
def history(request: HttpRequest) -> HttpResponseBase:
    """Show the audit log with filters in the URL, newest first."""
    reader = principal_of_request(request)
    wanted = {name: tables.text_of(request, name, 200) for name in FILTERS}
    days = {name: tables.text_of(request, name, 10) for name in ("since", "until")}
    entry = tables.key_of(request, "entry")
    given = {**wanted, **days, "entry": "" if entry is None else str(entry)}
    since, until = span(days["since"], days["until"])
    rows = selectors.history(reader, **wanted, entry=entry, since=since, until=until)
    suggested = selectors.history(reader)[:PEOPLE_SUGGESTED_OF].values_list("actor_name", flat=True)
    names = Names()
    return tables.answer(
        request,
        "access/history.html",
        rows,
        columns(names, by_time=since is not None or until is not None),
        given=given,
        file="history",
        default="-when",
        counted=lambda n: ngettext("%(n)s change", "%(n)s changes", n) % {"n": n},
        dress=lambda entries: rows_of(reader, entries),
        context={
            "filters": given,
            "chips": _chips(given, names, request.GET.get("sort", "")),
            "actions": sentences.groups(),
            "kinds": sentences.object_words(),
            "people": _people(sorted(set(suggested)), names) if "format" not in request.GET else {},
        },
    )


def columns(names: Names, *, by_time: bool) -> list[SqlColumn[AuditEntry]]:
    """Return the columns. Each order is one of the log's indexes.

    So a page of a million entries is as quick as one of ten. by_time: with a time span, the index
    on the times finds the rows, and it orders them, too.
    """
    order = ("at", "pk") if by_time else ("pk",)
    return [
        SqlColumn("when", _("When"), lambda entry: entry.at.isoformat(), order=order),
        SqlColumn("who", _("User"), lambda entry: entry.actor_name),
        SqlColumn("who_kind", "", lambda entry: entry.actor_kind),
        SqlColumn("what", "", lambda entry: sentences.said(Reading(entry, names)).text),
        SqlColumn("did", _("Action"), lambda entry: entry.action),
        SqlColumn("thing", _("Object"), lambda entry: entry.thing_label),
        SqlColumn("thing_kind", "", lambda entry: entry.thing_kind),
        SqlColumn("thing_id", "", lambda entry: entry.thing_id),
        SqlColumn("account", "", lambda entry: entry.account.slug if entry.account else None),
        SqlColumn("from", _("Before"), lambda entry: _as_json(entry.before)),
        SqlColumn("to", _("After"), lambda entry: _as_json(entry.after)),
        SqlColumn("why", _("Reason"), lambda entry: entry.reason),
        SqlColumn("job", "", lambda entry: entry.job),
    ]


def _people(usernames: list[str], names: Names) -> dict[str, str]:
    """Return the users that the filter suggests: user name → displayed name."""
    names.read(usernames)
    return {username: names.of(username) for username in usernames}


def _chips(given: dict[str, str], names: Names, sort: str) -> list[dict[str, str]]:
    """Return one chip per filter: its text, and the address without this filter."""
    labels = {
        "thing_kind": _("Type"),
        "thing_id": _("Object"),
        "actor": _("User"),
        "action": _("Action"),
        "account": _("Account"),
        "job": _("Job"),
        "since": _("From"),
        "until": _("Until"),
        "entry": _("Change"),
    }
    return [
        {
            "name": labels[name],
            "value": _filter_words(name, value, names),
            "remove_url": lists.address({**given, "sort": sort, name: ""}),
        }
        for name, value in given.items()
        if value
    ]


def _filter_words(name: str, value: str, names: Names) -> str:
    if name == "action" and (sentence := sentences.registered(value)):
        return f"{sentence.group}: {sentences.title_of(sentence)}"
    if name == "action" and value.endswith(".") and value[:-1] in apps.app_configs:
        return str(apps.get_app_config(value[:-1]).verbose_name)
    if name == "thing_kind":
        return sentences.object_word(value) or value
    return names.of(value) if name == "actor" else value


def _as_json(values: dict[str, Any] | None) -> str | None:
    return None if values is None else json.dumps(values, ensure_ascii=False)
