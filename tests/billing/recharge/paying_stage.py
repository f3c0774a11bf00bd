"""Make what the browser looks at: an account with money, prices, a sender, and two operators.

A program for a migrated database, run in the environment of the site.
"""

from uuid import uuid4

import django

from tests.browser.console import PASSWORD


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from billing.models import Recharge, Wallet
    from billing.money import UNITS
    from billing.recharging import variants
    from billing.services import adjustments, books, chatbots, refunds, tariffs, wallets
    from billing.services.recharges import recharge_start
    from poolsite.access.models import Account, Grant, Membership

    users = get_user_model().objects
    operators = []
    for name, first in (("lin.mei", "Lin"), ("zhou.yi", "Zhou")):
        user = users.create_user(
            name, email=f"{name}@example.org", password=PASSWORD, first_name=first, is_operator=True
        )
        for grant in ("operate", "finance"):
            Grant.objects.create(user=user, name=grant)
        operators.append(user)
    account = Account.objects.create(slug="evergreen", name="Evergreen Retail")
    owner = users.create_user("chen.er", email="chen@example.org", password=PASSWORD)
    Membership.objects.create(account=account, user=owner, role="owner")
    wallet = wallets.wallet_open(account, "stage")

    def pay(units: int, ending: str) -> Recharge:
        recharge = recharge_start(
            wallet,
            actor=owner,
            amount=units * UNITS,
            variant="demo",
            token=uuid4(),
            keep_method=True,
        )
        variants.provider_of("demo").end(recharge, ending)  # type: ignore[attr-defined]  # the demo's
        return recharge

    pay(2_000, "paid")
    pay(500, "failed")
    pay(1_000, "cancelled")
    books.persist(0, 1)
    adjustments.adjustment_ask(
        wallet,
        actor=operators[0],
        kind="credit",
        amount=50 * UNITS,
        reason="Delivery reports were late on Monday",
        reference="T-1187",
        token=uuid4(),
    )
    refunds.refund_ask(
        Wallet.objects.get(pk=wallet.pk),
        actor=owner,
        amount=120 * UNITS,
        reason="Paid twice",
        payout="Bank of Demo 6222 0000, Chen Er",
    )
    tariffs.tariff_create(
        actor="stage",
        account=account,
        name="Standard",
        prices={
            "native_text": {"unit_price": 420},
            "native_card": {"unit_price": 1_100, "kilobytes_per_unit": 300},
            "yuexin_unresolved": {"unit_price": 380},
            "video": {"unit_price": 1_450},
        },
    )
    chatbots.chatbot_create(actor="stage", account=account, slug="retail", name="Retail offers")
    chatbots.chatbot_create(
        actor="stage", account=account, slug="service", name="Service desk", rate_limit=200
    )


if __name__ == "__main__":
    main()
