"""Who may open the pages of balances, books and messages: rows of tests/access/url_rules.py."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from billing.models import FlaggedReport, Wallet
from billing.services.wallets import wallet_open
from poolsite.access.models import FinanceRequest
from tests.access.world import World

if TYPE_CHECKING:
    from tests.access.url_rules import Rule

MEMBERS = ("owner", "admin", "payer", "sender")
# The readers' own account, whichever that is. Operators are led to the list.
OWN = {"nobody": "login", **dict.fromkeys((*MEMBERS, "foreign", "operators"), "ok"), "*": "no"}
# Of the account `own`.
SEE = {
    "nobody": "login",
    **dict.fromkeys((*MEMBERS, "operators"), "ok"),
    **dict.fromkeys(("foreign", "roleless"), "hidden"),
    "*": "no",
}
BOOKS = {"nobody": "login", "operators": "ok", "*": "no"}
FINANCE_ANYWHERE = {"nobody": "login", "finance": "confirm", "*": "no"}
BOOKS_OF_IT = {**BOOKS, **dict.fromkeys(("foreign", "roleless"), "hidden")}
# Finance's actions, as JSON: a missing second factor is a refusal with a text.
FINANCE_OF_IT = {
    "nobody": "login",
    **dict.fromkeys(("foreign", "roleless"), "hidden"),
    "*": "no",
}


def _of_own(address: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        wallet_open(world.own, "test")
        return address

    return make


def _report(template: str) -> Callable[[World], str]:
    def make(world: World) -> str:
        wallet = wallet_open(world.own, "test")
        found = FlaggedReport.objects.create(
            wallet=Wallet.objects.get(pk=wallet.pk),
            generation=1,
            seq=1,
            message_id="m",
            flag="late",
            at=wallet.created_at,
        )
        return template % found.pk

    return make


def finance_request(verb: str = "") -> Callable[[World], str]:
    """Return a function for the page of a waiting finance grant, or one of its verbs."""

    def make(world: World) -> str:
        people = {"user": world.users["looker"], "asked_by": world.users["operate"]}
        made, _ = FinanceRequest.objects.get_or_create(**people)
        return f"/operators/finance/{made.pk}/{verb}"

    return make


def rows(rule: Any) -> Mapping[str, "Rule"]:
    """Return the rows. `rule` is the table's class."""
    one = "accounts/<slug:slug>/"
    operators_one = "billing/accounts/<slug:slug>/"
    found = {
        f"{page}/": rule(OWN)
        for page in (
            *("balance", "usage", "messages", "top-ups", "statements", "prices", "chatbots"),
            "alerts",
        )
    }
    pages = ("", "pace/", "usage/", "usage/data/", "entries/", "messages/")
    found |= {f"{one}{page}": rule(SEE, url=_of_own(f"/accounts/own/{page}")) for page in pages}
    found |= {
        f"{one}explain/<slug:leg>/": rule(SEE, url=_of_own("/accounts/own/explain/spendable/")),
        # The message doesn't exist: readers who may view find nothing, others are refused before.
        f"{one}message/": rule(
            {**SEE, **dict.fromkeys((*MEMBERS, "operators"), "hidden")},
            url=_of_own("/accounts/own/message/?id=unknown"),
        ),
        "billing/rules/": rule(OWN),
        "billing/accounts/": rule(BOOKS),
        operators_one: rule(BOOKS_OF_IT, url=_of_own("/billing/accounts/own/")),
        "billing/holds/": rule(BOOKS),
        "billing/flagged/": rule(BOOKS),
        "billing/terminals/": rule(BOOKS),
        "billing/terminals/upload/": rule(FINANCE_ANYWHERE, method="post"),
        "billing/books/": rule(BOOKS),
        "billing/audit/": rule(BOOKS),
        "billing/audit/run/": rule(BOOKS, method="post"),
    }
    found |= {
        f"{operators_one}{verb}/": rule(
            FINANCE_OF_IT, url=_of_own(f"/billing/accounts/own/{verb}/"), method="post"
        )
        for verb in ("freeze", "unfreeze", "rebuild")
    }
    found |= {
        f"billing/flagged/<int:report_id>/{verb}/": rule(
            FINANCE_OF_IT, url=_report(f"/billing/flagged/%s/{verb}/"), method="post"
        )
        for verb in ("accept", "charge")
    }
    return {**found, **_api(rule)}


# The API reads a body before it checks the caller.
BODY_FIRST = {"nobody": "login", "*": "ok"}
API_SEE = {**SEE, **dict.fromkeys(("agent", "supervisor"), "no")}
API_MONEY = {"nobody": "login", **dict.fromkeys(("foreign", "roleless"), "hidden"), "*": "no"}


def _api(rule: Any) -> Mapping[str, "Rule"]:
    """Return the API's rows. A missing second factor is a refusal with a text."""
    one = "api/v1/accounts/<slug>"
    seen = {"messages": "", "entries": "", "receivables": "", "statements": ""}
    seen |= {"statements/<month>": "statements/2026-01"}
    seen |= {
        f"statements/<month>/{part}": f"statements/2026-01/{part}"
        for part in ("rows", "csv", "pdf")
    }
    found = {
        "api/v1/accounts": rule(OWN | {"foreign": "ok"}),
        one: rule(API_SEE, url=_of_own("/api/v1/accounts/own")),
        f"{one}/settings": rule(API_MONEY, url=_of_own("/api/v1/accounts/own/settings")),
        f"{one}/open": rule(API_MONEY, url=_of_own("/api/v1/accounts/own/open"), method="post"),
    }
    found |= {
        f"{one}/{pattern}": rule(API_SEE, url=_of_own(f"/api/v1/accounts/own/{part or pattern}"))
        for pattern, part in seen.items()
    }
    found |= {
        f"{one}/{part}": rule(BOOKS_OF_IT, url=_of_own(f"/api/v1/accounts/own/{part}"))
        for part in ("open-holds", "flagged-reports")
    }
    found |= {
        f"{one}/{verb}": rule(
            BODY_FIRST, url=_of_own(f"/api/v1/accounts/own/{verb}"), method="post"
        )
        for verb in (
            *("freeze", "unfreeze", "close", "rebuild", "payment-method/remove"),
            "credit-limit",
        )
    }
    found |= {
        f"{one}/flagged-reports/<report>/{verb}": rule(
            BODY_FIRST,
            url=_report(f"/api/v1/accounts/own/flagged-reports/%s/{verb}"),
            method="post",
        )
        for verb in ("accept", "charge")
    }
    return found
