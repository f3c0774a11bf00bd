"""Make the data of the browser tests: an account with invoices, one with a pending credit note.

A program for a database with the people of tests/browser/stage.py, run in the environment of the
site. It prints the sessions, and the IDs that addresses contain, as JSON.
"""

import json

import django

from tests.browser.stage import sessions_of

SLUG = "vineyard"


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from billing.models import TaxRate, Wallet
    from billing.services.invoices import invoice_issue
    from billing.services.invoices_credit import credit_ask
    from billing.services.tax_profiles import profile_set
    from billing.services.wallets import wallet_open
    from poolsite.access.models import Account, Membership
    from tests.billing.invoices.invoice_books import charges, later, month, set_up
    from tests.billing.recharge.statement_books import at_us, top_up

    users = get_user_model().objects
    account = Account.objects.create(slug=SLUG, name="Vineyard Hotels")
    owner = users.create_user("han.mei", email="han.mei@example.org")
    Membership.objects.create(account=account, user=owner, role="owner")
    wallet_open(account, "stage")
    wallet = Wallet.objects.select_related("account").get(account=account)
    set_up()
    profile_set(
        wallet,
        actor="stage",
        legal_name="Vineyard Hotels Ltd",
        address="3 Hill Road\nShanghai",
        country="CN",
        email="accounts@vineyard.example",
    )
    total = sum(charges(wallet, 2026, number) for number in (1, 2, 3))
    top_up(wallet, at_us(wallet, 2026, 1, 1, 1), total)  # so that the books agree
    later(wallet)
    first, second = (
        invoice_issue(wallet, month(wallet, f"2026-0{number}"), actor="stage") for number in (1, 2)
    )
    users_of_finance = users.get(username="lin.mei")
    credit_ask(second, actor=users_of_finance, reason="The address was wrong")
    rate = TaxRate.objects.earliest("pk")
    ids = {"invoice": first.pk, "waiting": second.pk, "rate": rate.pk}
    print(json.dumps({"ids": ids, "sessions": sessions_of(owner)}))


if __name__ == "__main__":
    main()
