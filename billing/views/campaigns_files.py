"""A campaign's rows as CSV: the rows dropped from the upload, and each recipient's result."""

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing.money import plain
from billing.presentation import mode_word, state_word
from billing.selectors.campaigns import results
from billing.views.campaigns_common import found_of
from poolsite.csv_text import csv_file


@require_GET
def campaign_dropped(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Return the rows that were skipped, to be corrected and uploaded again."""
    found = found_of(request, slug, pk, "billing.view")
    rows = found.dropped_rows.order_by("row").iterator()
    head = (_("row"), "number", _("why"))
    cells = ((row.row, row.raw, row.reason) for row in rows)
    return csv_file(f"{found.public_id}-dropped.csv", head, cells)


@require_GET
def campaign_results(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Return every recipient with the state, the mode and the price of its message."""
    found = found_of(request, slug, pk, "billing.view")
    head = (
        *(_("row"), "number", _("message"), _("state"), _("mode"), _("price"), _("at")),
        *(_("Yuexin"), _("capability source"), _("reason")),
    )
    rows = (
        (
            *(each.row, each.number, each.message_id, _state(each.state)),
            *(mode_word(each.mode), plain(each.charged)),
            each.at.isoformat(timespec="seconds") if each.at else "",
            {True: _("yes"), False: _("no"), None: ""}[each.supports_yuexin],
            *(each.ability_source, _(each.reason) if each.reason else ""),
        )
        for each in results(found)
    )
    return csv_file(f"{found.public_id}-results.csv", head, rows)


def _state(state: str) -> str:
    words = {"waiting": _("Not sent"), "refused": _("Refused")}
    return words.get(state) or state_word(state)[0]
