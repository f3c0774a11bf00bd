"""What lists and pages of messages say: why a message ended as it did, and where a list stands."""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from billing.selectors.messages_list import COUNTED
from poolsite.console.tables import key_of
from poolsite.console.templatetags.console import figure


def outcome(state: str, error: str = "") -> str:
    """Why a message was not delivered; "" for one that was, or is on its way.

    Status reports carry no reason of their own: what is known is who ended the message.
    """
    words = {
        "failed": _("The gateway reported a final failure"),
        "expired": _("No final report within 72 h"),
        "cancelled": _("Never submitted to the gateway"),
        "unpaid": _("The balance was too low"),
        "parked": _("The report came before the hold"),
    }
    return (_(error) if error else "") or words.get(state, "")


def place_of(request: HttpRequest) -> int:
    """How many rows stand before the page, as the links of its neighbours said; 0 on the first."""
    if not (request.GET.get("after") or request.GET.get("before")):
        return 0
    return max(0, key_of(request, "at") or 0)


def range_words(first: int, rows: int, total: int | None) -> str:
    """“51 to 100 of 2,040”; total None: more than are counted."""
    if not rows:
        return ""
    return _("%(first)s to %(last)s of %(total)s") % {
        "first": figure(first + 1),
        "last": figure(first + rows),
        "total": count_words(total),
    }


def count_words(total: int | None) -> str:
    """How many there are: 2,040; None: more than are counted."""
    return _("more than %s") % figure(COUNTED) if total is None else figure(total)
