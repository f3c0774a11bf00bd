"""The demo's invoices: a seller, tax rates, tax profiles, and the past months' invoices."""

from datetime import date, datetime, timedelta
from typing import Final

from billing.models import Wallet
from billing.services.days import day_start
from billing.services.invoices_due import issue_due
from billing.services.tax_profiles import profile_set, rate_create, seller_of, seller_set
from poolsite.access.models import Account
from poolsite.runtime.demo_data import ACTOR

MONTHS: Final = 2  # before the current month
MIDDLE: Final = 15  # the day of an earlier month that has messages
RATES: Final = (("messages", 600), ("calls", 900))
PROFILES: Final = {
    "evergreen": ("Evergreen Retail Ltd", "18 Garden Road\nShanghai 200040", "accounts"),
    "northbank": ("North Bank Ltd", "1 Riverside Square\nShanghai 200120", "billing"),
    "careline": ("Careline Health Ltd", "7 Willow Street\nHangzhou 310000", "office"),
}


def earlier_days(account: Account) -> list[datetime]:
    """Return noon of the 15th of each of the account's last MONTHS months, newest first."""
    day = day_start(account).replace(day=1)
    found = []
    for _month in range(MONTHS):
        day = (day - timedelta(days=1)).replace(day=1)
        found.append(day.replace(day=MIDDLE, hour=12))
    return found


def make_invoices(wallets: list[Wallet]) -> None:
    """Create the seller, rates and profiles, and issue the invoices, unless there is a seller."""
    if not wallets or seller_of() is not None:
        return
    first = min(earlier_days(each.account)[-1] for each in wallets).date().replace(day=1)
    seller_set(
        actor=ACTOR,
        name="Poolsite Ltd",
        address="88 Harbour Street\nShanghai 200080",
        country="CN",
        tax_id="91310000MA1FL2026P",
        prefix="PS",
        zone="Asia/Shanghai",
        first_month=first,
    )
    for kind, rate in RATES:
        rate_create(
            actor=ACTOR,
            country="CN",
            kind=kind,
            name="VAT",
            rate=rate,
            valid_from=date(first.year, 1, 1),
            valid_until=None,
        )
    for number, wallet in enumerate(wallets):
        name, address, contact = PROFILES[wallet.slug]
        profile_set(
            wallet,
            actor=ACTOR,
            legal_name=name,
            address=address,
            country="CN",
            tax_id=f"91310000MA1FL300{number}Q",
            treatment="standard",
            email=f"{contact}@{wallet.slug}.example",
        )
    issue_due()
