"""Texts of the lists and pages of messages: why a message ended, and the position in a list."""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from billing.selectors.messages_list import COUNTED
from poolsite.console.tables import key_of
from poolsite.console.templatetags.console import figure


def outcome(state: str, error: str = "") -> str:
    """Return why a message was not delivered, or "" if it was or is under way.

    Status reports contain no reason: only who ended the message is known.
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
    """Return the number of rows before the page, from its link; 0 on the first page."""
    if not (request.GET.get("after") or request.GET.get("before")):
        return 0
    return max(0, key_of(request, "at") or 0)


def range_words(first: int, rows: int, total: int | None) -> str:
    """Return “51 to 100 of 2,040”; `total` is None if there are too many to count."""
    if not rows:
        return ""
    return _("%(first)s to %(last)s of %(total)s") % {
        "first": figure(first + 1),
        "last": figure(first + rows),
        "total": count_words(total),
    }


def count_words(total: int | None) -> str:
    """Return the number of rows as text: 2,040; None if there are too many to count."""
    return _("more than %s") % figure(COUNTED) if total is None else figure(total)
