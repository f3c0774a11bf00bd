"""The console's pages for the lists and forms of the admin."""

from operator import attrgetter
from typing import Any, Final

from django.urls import NoReverseMatch, reverse

from poolsite.console.admin_index import AREAS

# Lists with a page of their own. Others lead to the page of their area.
LISTS: Final = {
    "access.apitoken": "access:tokens",
    "access.auditentry": "access:history",
    "access.user": "access:operators",
    "billing.batch": "billing:books",
    "billing.flaggedreport": "billing:flagged",
    "billing.journalentry": "billing:books",
    "numbers.callrecord": "numbers:who_had",
    "numbers.number": "numbers:numbers",
    "numbers.numberimport": "numbers:imports",
    "operations.incident": "operations:incidents",
    "operations.noticetarget": "operations:incidents",
}
# One row, or the object to which it belongs: the page, and the path from the row to its argument.
ROWS: Final = {
    "admission.gate": ("admission:gate", ("slug",)),
    "admission.taskbatch": ("admission:batch", ("pk",)),
    "admission.task": ("admission:batch", ("batch_id",)),
    "admission": ("admission:gate", ("aggregate.slug",)),
    "billing.wallet": ("billing:account", ("slug",)),
    "billing": ("billing:account", ("wallet.slug", "account.wallet.slug")),
    "dispatch.group": ("dispatch:group", ("slug",)),
    "dispatch": ("dispatch:group", ("group.slug", "aggregate.slug")),
    "line.desk": ("line:desk", ("slug",)),
    "line": ("line:desk", ("desk.slug", "queue.desk.slug", "agent.desk.slug", "aggregate.slug")),
    "numbers.number": ("numbers:number", ("value",)),
    "numbers.pool": ("numbers:pool", ("slug",)),
    "numbers": ("numbers:pool", ("pool.slug", "aggregate.slug")),
    "operations.incident": ("operations:incident", ("pk",)),
    "jobs.job": ("jobs:job", ("pk",)),
}


def list_page(model: Any) -> str:
    """Return the URL of the console's page of a list, or "" if it has none."""
    label, app = model._meta.label_lower, model._meta.app_label
    areas = (area.console for area in AREAS if app in area.apps)
    name = LISTS.get(label) or next(areas, "")
    return reverse(name) if name else ""


def row_page(row: Any) -> str:
    """Return the URL of a row's page, or of the object to which it belongs, or of its list."""
    label, app = row._meta.label_lower, row._meta.app_label
    name, paths = ROWS.get(label) or ROWS.get(app) or ("", ())
    for path in paths:
        try:
            return reverse(name, args=[attrgetter(path)(row)])
        except (AttributeError, NoReverseMatch):  # a row of another kind, or without an object
            continue
    return list_page(row)
