"""Make the data of the generated clients' examples, or do what worker and provider would do.

A program in the environment of the site. `make`: accounts with a month of history, and an
operator; prints the arguments of the examples. `work`: persists histories and books to SQL, opens
batches, sends webhooks; prints the top-ups that wait for their payment.
"""

import json
import random
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from poolsite.access.models import User

ACCOUNTS = ("acme-py", "acme-ts")
CSRF = "c" * 32
PRICE, MESSAGES, TOP_UP = 1_500, 4, 100 * 10_000  # of the previous month, in 1/10 000


def _account(slug: str) -> "User":
    """Make an account with a history, an agent and an owner. Return the owner."""
    from poolsite.access.models import Account
    from poolsite.access.services import membership_set, user_create

    account = Account.objects.create(slug=slug, name=slug.title())
    agent = user_create(username=f"{slug}-agent", actor="test")
    membership_set(user=agent, account=account, roles=["agent"], actor="test")
    owner = user_create(username=f"{slug}-owner", actor="test")
    membership_set(user=owner, account=account, roles=["owner"], actor="test")
    _past(account)
    return owner


def _past(account: Any) -> None:
    """Make a wallet with messages in the previous month; its next generation has the rest."""
    from django.utils import timezone

    from billing import servers
    from billing import wallet as commands
    from billing.demo.past import GENERATION, WalletPast
    from billing.models import Wallet
    from billing.services.days import day_start
    from billing.services.wallet_settings import settings_of

    now = timezone.now()
    wallet = Wallet.objects.create(account=account, generation=GENERATION, opened_at=now)
    past = WalletPast(wallet, TOP_UP, random.Random(1))
    middle = (day_start(account).replace(day=1) - timedelta(days=1)).replace(day=15)
    for number in range(MESSAGES):
        past.session(f"earlier-{number}", "news", PRICE, middle + timedelta(hours=number))
    past.write("test")
    wallet.refresh_from_db()
    wallet.generation, wallet.seq, wallet.batch_number = GENERATION + 1, 0, 0
    wallet.save(update_fields=["generation", "seq", "batch_number"])
    begin = commands.create(
        wallet.slug, wallet.generation, settings_of(wallet), balance=wallet.spendable, status="o"
    )
    servers.path(wallet).run(begin)


def _seller() -> None:
    """Make the seller of the invoices, and the tax that prices include."""
    from datetime import date

    from billing.services.tax_profiles import rate_create, seller_set

    told = {"name": "Poolsite Ltd", "address": "Harbour Street 8", "tax_id": "91310000"}
    begin = date(2020, 1, 1)
    seller_set(
        actor="test", country="CN", prefix="PS", zone="Asia/Shanghai", first_month=begin, **told
    )
    rate_create(actor="test", country="CN", kind="messages", name="VAT", rate=600, valid_from=begin)


def make() -> None:
    from poolsite.access.services import grant_set, user_create
    from tests.browser.stage import sessions_of

    owners = [_account(slug) for slug in ACCOUNTS]
    _seller()
    user = user_create(username="operator", actor="test", is_operator=True)
    for grant in ("operate", "finance", "supervise"):
        grant_set(user=user, name=grant, actor="test")
    sessions = sessions_of(user, *owners)
    print(json.dumps({name: f"session={key}; csrf={CSRF}" for name, key in sessions.items()}))


def work() -> None:
    from billing.models import Recharge
    from billing.services import books
    from numbers.models import Pool
    from poolsite import history
    from poolsite.history import Aggregate
    from poolsite.operations.webhooks import sending
    from queueing.admission.models import Gate
    from queueing.dispatch.models import Group
    from queueing.line.models import Desk
    from tests.admission.people import load_due

    for kind, model in (("numbers.pool", Pool), ("line.desk", Desk), ("admission.gate", Gate)):
        for row in model.objects.all():
            history.drain(kind, Aggregate(row.tag, row.pk))
    for group in Group.objects.all():
        _link(group.slug)
    books.persist(0, 1)
    load_due()
    sending.send_due()
    waiting = Recharge.objects.filter(variant="stripe", credited_at=None)
    print(json.dumps([_told(row) for row in waiting]))


def _link(group: str) -> None:
    """Do what a front-end and an application server do: link, and carry one session.

    A group is in SQL a moment before it is open in Redis: servers would try again, as `work` does.
    """
    from poolsite import hotpath
    from queueing.dispatch import dispatcher
    from tests.dispatch.people import back, front

    try:
        linked = hotpath.run(dispatcher.peers(group))
    except dispatcher.DispatchRefusedError:
        return
    if not linked:
        back("as-1", group)
        front(group).start("s-1")


def _told(row: Any) -> dict[str, Any]:
    return {
        "pk": row.pk,
        "token": str(row.token),
        "cents": row.amount // 100,
        "currency": row.currency.lower(),
    }


if __name__ == "__main__":
    django.setup()
    {"make": make, "work": work}[sys.argv[1]]()
