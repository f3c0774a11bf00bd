"""The demo has a seller, tax profiles, and invoices of the months before this one, once."""

import pytest

from billing import demo
from billing.models import Invoice, Seller, TaxProfile, Wallet
from billing.money import UNITS
from billing.persistence.invoices import unlike_numbers, unlike_of
from poolsite.people import demo as people
from poolsite.runtime.demo_data import DemoData

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def test_the_months_before_are_invoiced(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = demo.DemoWallet("evergreen", (("loyalty", "Evergreen Loyalty", 60),), top_up=400 * UNITS)
    monkeypatch.setattr(demo, "WALLETS", (plan,))
    made = DemoData(password="a demo's password", small=False)
    people.make_people(made)
    for _ in range(2):
        demo.make_billing(made)
    assert Invoice.objects.count() == 2
    assert (Seller.objects.count(), TaxProfile.objects.count()) == (1, 1)
    assert all(invoice.mails.exists() for invoice in Invoice.objects.all())
    wallet = Wallet.objects.select_related("account").get()
    assert unlike_of([wallet], whole=True) == unlike_numbers() == []
