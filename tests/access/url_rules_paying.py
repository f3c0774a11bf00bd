"""Who may open the pages of what is paid in and out, and the objects that they need.

Paying and finance's work need a second factor: readers with the right are led to confirm it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from billing.models import (
    Adjustment,
    Chatbot,
    JournalEntry,
    Promotion,
    Recharge,
    RefundRequest,
    Tariff,
    Wallet,
)
from billing.money import UNITS
from tests.access.world import World

_NOT_THEIRS = {"nobody": "login", "foreign": "hidden", "roleless": "hidden"}
PAYERS = {**_NOT_THEIRS, "owner": "confirm", "payer": "confirm", "finance": "confirm", "*": "no"}
FINANCE = {**_NOT_THEIRS, "finance": "confirm", "*": "no"}
FINANCE_ANYWHERE = {"nobody": "login", "finance": "confirm", "*": "no"}
SENDERS = {**_NOT_THEIRS, "owner": "ok", "admin": "ok", "sender": "ok", "*": "no"}
SEEN = {**_NOT_THEIRS, "agent": "no", "supervisor": "no", "*": "ok"}
Make = Callable[[World], str]
_OF = "accounts/<slug:slug>/"


def wallet(world: World) -> Wallet:
    return Wallet.objects.get_or_create(account=world.own)[0]


def of_wallet(part: str, before: str = "") -> Make:
    """Return a function for a URL below the wallet's own."""

    def make(world: World) -> str:
        return f"/{before}accounts/{wallet(world).slug}/{part}"

    return make


def this_year(world: World) -> str:
    return f"/accounts/{wallet(world).slug}/statements/year/{timezone.now().year}/csv/"


def finished_month(world: World) -> str:
    """Return a month that has its document: the books have an entry after it."""
    row = wallet(world)
    JournalEntry.objects.get_or_create(
        wallet=row, generation=1, seq=1, defaults={"at_us": 1_770_000_000_000_000, "kind": "hold"}
    )
    return f"/accounts/{row.slug}/statements/2026-01/pdf/"


def recharge(part: str) -> Make:
    def make(world: World) -> str:
        row = Recharge(wallet=wallet(world), amount=UNITS, total=1, currency="CNY", variant="demo")
        row.token = str(uuid4())
        row.credited_at = timezone.now() if part == "pdf/" else None
        row.save()
        return f"/accounts/own/top-ups/{row.pk}/{part}"

    return make


def adjustment(part: str) -> Make:
    def make(world: World) -> str:
        row = Adjustment.objects.create(
            wallet=wallet(world),
            kind="credit",
            amount=UNITS,
            reason="test",
            asked_by=world.users["finance"],
            operation_id=f"adjust:{uuid4()}",
        )
        return f"/billing/adjustments/{row.pk}/{part}"

    return make


def refund(address: str) -> Make:
    def make(world: World) -> str:
        row = RefundRequest.objects.create(
            wallet=wallet(world),
            amount=UNITS,
            reason="test",
            payout="bank",
            asked_by=world.users["owner"],
        )
        return address % row.pk

    return make


def promotion(address: str) -> Make:
    def make(world: World) -> str:
        row = Promotion.objects.create(
            wallet=wallet(world),
            amount=UNITS,
            expires_at=timezone.now() + timedelta(days=9),
            reason="test",
            granted_by="test",
            operation_id=f"adjust:{uuid4()}",
        )
        return address % row.pk

    return make


def tariff(part: str) -> Make:
    def make(world: World) -> str:
        row = Tariff.objects.create(
            account=wallet(world).account,
            name="to come",
            prices={"video": {"unit_price": 1}},
            valid_from=timezone.now() + timedelta(days=9),
        )
        return f"/accounts/own/tariffs/{row.pk}/{part}"

    return make


def chatbot(part: str) -> Make:
    def make(world: World) -> str:
        Chatbot.objects.get_or_create(
            account=wallet(world).account, slug="bot", defaults={"name": "B"}
        )
        return f"/accounts/own/chatbots/bot/{part}"

    return make


# In the API, a missing second factor is a refusal with a text, and a body is read first.
API_MONEY = {**_NOT_THEIRS, "*": "no"}
API_BODY_FIRST = {"nobody": "login", "*": "ok"}


def _in_api(make: Make) -> Make:
    """Return a function for the same object's URL in the API."""

    def made(world: World) -> str:
        address = make(world).removeprefix("/billing").removeprefix("/accounts/own")
        return f"/api/v1/accounts/own{address}".removesuffix("/")

    return made


def _api(Rule: Any) -> dict[str, Any]:  # noqa: N803  the table's own class
    one = "api/v1/accounts/<slug>"

    def post(answers: Any, make: Make) -> Any:
        return Rule(answers, url=_in_api(make), method="post")

    return {
        **{
            f"{one}/{part}": Rule(SEEN, url=_in_api(of_wallet(part)))
            for part in ("tariffs", "top-ups", "promotions")
        },
        **{
            f"{one}/{part}": Rule(API_MONEY, url=_in_api(of_wallet(part)))
            for part in ("adjustments", "alert-recipients", "refunds")
        },
        f"{one}/tariff-previews": post(API_BODY_FIRST, of_wallet("tariff-previews")),
        f"{one}/tariffs/<tariff>": Rule(SEEN, url=_in_api(tariff(""))),
        f"{one}/tariffs/<tariff>/call-rates": Rule(SEEN, url=_in_api(tariff("call-rates"))),
        f"{one}/tariffs/<tariff>/end": post(API_BODY_FIRST, tariff("end")),
        f"{one}/top-ups/<top_up>": Rule(SEEN, url=_in_api(recharge(""))),
        f"{one}/top-ups/<top_up>/cancel": post(API_MONEY, recharge("cancel")),
        f"{one}/alert-recipients/<recipient>": Rule(
            API_MONEY, url=_in_api(of_wallet("alert-recipients/1")), method="delete"
        ),
        f"{one}/adjustments/<adjustment>": Rule(API_MONEY, url=_in_api(adjustment(""))),
        **{
            f"{one}/adjustments/<adjustment>/{verb}": post(API_BODY_FIRST, adjustment(verb))
            for verb in ("approve", "reject", "cancel")
        },
        f"{one}/promotions/<promotion>/revoke": post(
            API_BODY_FIRST, promotion("/promotions/%s/revoke")
        ),
        f"{one}/refunds/<refund>/withdraw": post(API_MONEY, refund("/refunds/%s/withdraw")),
        **{
            f"{one}/refunds/<refund>/{verb}": post(API_BODY_FIRST, refund(f"/refunds/%s/{verb}"))
            for verb in ("accept", "decline")
        },
    }


def rows(Rule: Any) -> dict[str, Any]:  # noqa: N803  the table's own class
    """Return the rows of these pages, for tests/access/url_rules.py."""
    return {
        **{
            f"{_OF}{part}": Rule(PAYERS, url=of_wallet(part))
            for part in ("top-up/", "limits/", "refund/")
        },
        f"{_OF}card/remove/": Rule(PAYERS, url=of_wallet("card/remove/"), method="post"),
        **{
            f"{_OF}{part}": Rule(SEEN, url=of_wallet(part))
            for part in ("top-ups/", "statements/", "tariffs/", "chatbots/")
        },
        **{
            f"{_OF}statements/<str:month>/{part}": Rule(
                SEEN, url=of_wallet(f"statements/2026-01/{part}")
            )
            for part in ("", "csv/")
        },
        f"{_OF}statements/<str:month>/pdf/": Rule(SEEN, url=finished_month),
        f"{_OF}statements/year/<int:year>/csv/": Rule(SEEN, url=this_year),
        **{
            f"{_OF}top-ups/<int:pk>/{part}": Rule(SEEN, url=recharge(part))
            for part in ("", "state/")
        },
        f"{_OF}top-ups/<int:pk>/pay/": Rule(PAYERS, url=recharge("pay/")),
        f"{_OF}top-ups/<int:pk>/cancel/": Rule(PAYERS, url=recharge("cancel/"), method="post"),
        f"{_OF}top-ups/<int:pk>/pdf/": Rule(SEEN, url=recharge("pdf/")),
        "refunds/<int:pk>/withdraw/": Rule(
            PAYERS, url=refund("/refunds/%s/withdraw/"), method="post"
        ),
        "billing/refunds/<int:pk>/": Rule(FINANCE, url=refund("/billing/refunds/%s/")),
        **{
            f"billing/accounts/<slug:slug>/{part}": Rule(FINANCE, url=of_wallet(part, "billing/"))
            for part in ("adjust/", "close/", "credit-limit/", "promotions/")
        },
        "billing/promotions/<int:pk>/revoke/": Rule(
            FINANCE, url=promotion("/billing/promotions/%s/revoke/"), method="post"
        ),
        "billing/open/": Rule(FINANCE_ANYWHERE),
        "billing/adjustments/": Rule(FINANCE_ANYWHERE),
        "billing/adjustments/<int:pk>/": Rule(FINANCE, url=adjustment("")),
        **{
            f"billing/adjustments/<int:pk>/{verb}/": Rule(
                FINANCE, url=adjustment(f"{verb}/"), method="post"
            )
            for verb in ("approve", "reject", "give-up")
        },
        f"{_OF}tariffs/new/": Rule(FINANCE, url=of_wallet("tariffs/new/")),
        **{
            f"{_OF}tariffs/<int:pk>/{part}": Rule(FINANCE, url=tariff(part))
            for part in ("", "end/", "call-rates/import/")
        },
        f"{_OF}tariffs/<int:pk>/call-rates/": Rule(SEEN, url=tariff("call-rates/")),
        f"{_OF}tariffs/<int:pk>/delete/": Rule(FINANCE, url=tariff("delete/"), method="post"),
        f"{_OF}chatbots/new/": Rule(SENDERS, url=of_wallet("chatbots/new/")),
        f"{_OF}chatbots/<slug:chatbot>/": Rule(SEEN, url=chatbot("")),
        **{
            f"{_OF}chatbots/<slug:chatbot>/{verb}/": Rule(
                SENDERS, url=chatbot(f"{verb}/"), method="post"
            )
            for verb in ("token", "archive")
        },
        **_api(Rule),
        # What providers send is accepted for its signature alone (tests/billing/recharge).
        "payments/events/<slug:variant>/": Rule({"*": "method"}, url="/payments/events/stripe/"),
        "payments/process/<uuid:token>/": Rule(
            {"*": "hidden"}, url="/payments/process/11111111-1111-4111-8111-111111111111/"
        ),
        "payments/^process/(?P<variant>[a-z-]+)/$": Rule(
            {"*": "ok"}, url="/payments/process/stripe/"
        ),
    }
