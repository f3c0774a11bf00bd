"""The columns of the number list, and those that the URL asks for."""

from collections.abc import Iterable
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

UNASKED = frozenset({"notes"})  # shown only on request


def columns() -> dict[str, str]:
    """Every column and its heading, except the number, which is always shown."""
    return {
        "state": _("State"),
        "pool": _("Pool"),
        "label": _("Label and tags"),
        "region": _("Region"),
        "carrier": _("Carrier"),
        "notes": _("Notes"),
        "last": _("Last call"),
        "today": _("Today"),
    }


def read_columns(query: QueryDict, useless: Iterable[str] = ()) -> dict[str, Any]:
    """Return the template's data. `useless`: columns without information in this list.

    `cols` can be given several times, as by a form, or once with commas. Unknown names are ignored.
    """
    known = columns()
    given = [name for part in query.getlist("cols") for name in part.split(",")]
    asked = [name for name in known if name in given]
    shown = set(asked or set(known) - UNASKED) - set(useless)
    offered = [
        (name, head, name in shown) for name, head in known.items() if name not in set(useless)
    ]
    return {"cols": shown, "columns": offered, "cols_asked": ",".join(asked)}
