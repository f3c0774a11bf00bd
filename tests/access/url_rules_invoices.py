"""Who may open the pages of invoices, and the objects that they need."""

from collections.abc import Callable
from typing import Any

from django.db import transaction

from billing.models import CreditNote, TaxRate
from billing.services.invoices_credit import credit_issue
from tests.access.url_rules_money import BOOKS, OWN
from tests.access.url_rules_paying import (
    API_BODY_FIRST,
    FINANCE,
    FINANCE_ANYWHERE,
    PAYERS,
    SEEN,
    of_wallet,
    wallet,
)
from tests.access.world import World
from tests.billing.invoices.invoice_books import issued, set_up

Make = Callable[[World], str]
_OF = "accounts/<slug:slug>/"
_ONE = f"{_OF}invoices/<int:pk>/"


def invoice(part: str, before: str = "") -> Make:
    def make(world: World) -> str:
        return f"{before}/accounts/own/invoices/{issued(wallet(world)).pk}/{part}"

    return make


def _note(world: World, is_issued: bool) -> CreditNote:
    asker = world.users["finance"]
    found, _made = CreditNote.objects.get_or_create(
        invoice=issued(wallet(world)), defaults={"reason": "test", "asked_by": asker}
    )
    if is_issued and not found.number:
        with transaction.atomic():
            credit_issue(found, "test")
    return found


def credited(part: str, before: str = "") -> Make:
    """Return a function for a URL of an invoice that a credit note cancels."""

    def make(world: World) -> str:
        note = _note(world, True)
        return f"{before}/accounts/own/invoices/{note.invoice_id}/{part}"

    return make


def note(part: str) -> Make:
    """Return a function for a URL of a credit note that waits for approval."""

    def make(world: World) -> str:
        return f"/billing/credit-notes/{_note(world, False).pk}/{part}"

    return make


def rate(address: str) -> Make:
    def make(world: World) -> str:
        set_up()
        return address % TaxRate.objects.earliest("pk").pk

    return make


def _with_seller(address: str) -> Make:
    def make(world: World) -> str:
        set_up()
        return address

    return make


def rows(Rule: Any) -> dict[str, Any]:  # noqa: N803  the table's own class
    """Return the rows of these pages, for tests/access/url_rules.py."""
    return {
        "invoices/": Rule(OWN),
        f"{_OF}invoices/": Rule(SEEN, url=of_wallet("invoices/")),
        f"{_OF}invoices/issue/": Rule(FINANCE, url=of_wallet("invoices/issue/"), method="post"),
        f"{_OF}tax-profile/": Rule(PAYERS, url=of_wallet("tax-profile/")),
        **{f"{_ONE}{part}": Rule(SEEN, url=invoice(part)) for part in ("", "pdf/", "csv/")},
        f"{_ONE}credit-note/pdf/": Rule(SEEN, url=credited("credit-note/pdf/")),
        f"{_ONE}credit/": Rule(FINANCE, url=invoice("credit/"), method="post"),
        "billing/invoices/": Rule(BOOKS),
        "billing/seller/": Rule(FINANCE_ANYWHERE),
        "billing/tax-rates/<int:pk>/end/": Rule(
            FINANCE_ANYWHERE, url=rate("/billing/tax-rates/%s/end/")
        ),
        **{
            f"billing/credit-notes/<int:pk>/{verb}/": Rule(
                FINANCE, url=note(f"{verb}/"), method="post"
            )
            for verb in ("approve", "reject")
        },
        **_api(Rule),
    }


def _api(Rule: Any) -> dict[str, Any]:  # noqa: N803  the table's own class
    api = "/api/v1"
    one = "api/v1/accounts/<slug>"

    def of_api(part: str) -> Make:
        return lambda world: f"{api}/accounts/{wallet(world).slug}/{part}"

    return {
        **{f"{one}/{part}": Rule(SEEN, url=of_api(part)) for part in ("invoices", "tax-profile")},
        **{
            f"{one}/invoices/<invoice>{part and '/'}{part}": Rule(
                SEEN, url=lambda world, part=part: invoice(part, api)(world).removesuffix("/")
            )
            for part in ("", "pdf", "csv")
        },
        f"{one}/invoices/<invoice>/credit/pdf": Rule(SEEN, url=credited("credit/pdf", api)),
        **{
            f"{one}/invoices/<invoice>/{part}": Rule(
                API_BODY_FIRST, url=invoice(part, api), method="post"
            )
            for part in ("credit", "credit/approve", "credit/reject")
        },
        **{
            f"api/v1/invoicing/{part}": Rule(BOOKS, url=_with_seller(f"{api}/invoicing/{part}"))
            for part in ("invoices", "seller", "tax-rates")
        },
        "api/v1/invoicing/tax-rates/<rate>/end": Rule(
            API_BODY_FIRST, url=rate(f"{api}/invoicing/tax-rates/%s/end"), method="post"
        ),
    }
