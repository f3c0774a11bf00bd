"""Make the data of the browser tests: an account with money, prices, and a sender.

A program for a database with the people of tests/browser/stage.py, run in the environment of the
site. It prints the sessions, and the IDs that addresses contain, as JSON.
"""

import json
from uuid import uuid4

import django

from tests.browser.stage import sessions_of

SLUG = "orchard"


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from billing import servers
    from billing import wallet as wallet_commands
    from billing.models import Recharge, Wallet
    from billing.money import UNITS
    from billing.pricing.calls import Rate
    from billing.recharging import variants
    from billing.services import adjustments, books, chatbots, refunds, tariffs, wallets
    from billing.services.auditing import audit_some
    from billing.services.days import month_at
    from billing.services.recharges import recharge_start
    from poolsite.access.models import Account, Membership

    users = get_user_model().objects
    account = Account.objects.create(slug=SLUG, name="Orchard Foods")
    owner = users.create_user("tao.ran", email="tao.ran@example.org")
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
        variants.provider_of("demo").end(recharge, ending)
        return recharge

    paid = pay(2_000, "paid")
    price = wallet_commands.Quote({"native_session": 1_500})
    asked = wallet_commands.HoldRequest("uplink-1", "hash", price, kind="session", chatbot="retail")
    servers.path(wallet).run(wallet_commands.session(SLUG, asked))
    pay(500, "failed")
    pay(1_000, "cancelled")
    books.persist(0, 1)
    adjustment = adjustments.adjustment_ask(
        wallet,
        actor=users.get(username="lin.mei"),
        kind="credit",
        amount=15_000 * UNITS,
        reason="Delivery reports were late on Monday",
        reference="T-1187",
        token=uuid4(),
    )
    refund = refunds.refund_ask(
        Wallet.objects.get(pk=wallet.pk),
        actor=owner,
        amount=120 * UNITS,
        reason="Paid twice",
        payout="Bank of Demo 6222 0000, Chen Er",
    )
    tariff = tariffs.tariff_create(
        actor="stage",
        account=account,
        name="Standard",
        prices={
            "native_text": {"unit_price": 420},
            "native_card": {"unit_price": 1_100, "kilobytes_per_unit": 300},
            "yuexin_unresolved": {"unit_price": 380},
            "video": {"unit_price": 1_450},
        },
        call_rates=[
            Rate("+49", "Germany", 1_000),
            Rate("+4917", "Germany mobile", 1_200, 60, 1, 500),
            Rate("+4917", "Germany mobile, by day", 1_500, 60, 1, 500, 0b1_1111, 480, 1_080),
        ],
    )
    chatbots.chatbot_create(actor="stage", account=account, slug="retail", name="Retail offers")
    chatbots.chatbot_create(
        actor="stage", account=account, slug="service", name="Service desk", rate_limit=200
    )
    audit_some(20, 0)
    rows = {"recharge": paid, "adjustment": adjustment, "refund": refund, "tariff": tariff}
    month = month_at(wallet.account).name
    ids = {**{name: row.pk for name, row in rows.items()}, "month": month}
    print(json.dumps({"ids": ids, "sessions": sessions_of(owner)}))


if __name__ == "__main__":
    main()
