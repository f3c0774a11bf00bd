"""The columns of the list of numbers: which there are, and which the address asks for."""

from collections.abc import Iterable
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

UNASKED = frozenset({"notes"})  # shown only to who asks for them


def columns() -> dict[str, str]:
    """Every column but the number, which is always there, with its head."""
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
    """What the template needs; useless: columns that say nothing in this list.

    `cols` may be given several times, as a form does, or once with commas. Nonsense is left out.
    """
    known = columns()
    given = [name for part in query.getlist("cols") for name in part.split(",")]
    asked = [name for name in known if name in given]
    shown = set(asked or set(known) - UNASKED) - set(useless)
    offered = [
        (name, head, name in shown) for name, head in known.items() if name not in set(useless)
    ]
    return {"cols": shown, "columns": offered, "cols_asked": ",".join(asked)}
