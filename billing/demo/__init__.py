"""The demo's money: wallets with a history, tariffs, templates, chatbots, a campaign to send."""

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from billing import servers
from billing import wallet as commands
from billing.demo.campaign import FIRST, ready_campaign
from billing.demo.invoices import earlier_days, make_invoices
from billing.demo.past import GENERATION, Sender, WalletPast
from billing.demo.players import chatbots_of, gateway_of
from billing.models import (
    Campaign,
    MoneyOrder,
    Promotion,
    Recipient,
    Tariff,
    Template,
    Wallet,
)
from billing.money import UNITS
from billing.pricing.calls import Rate
from billing.selectors.tariffs import quotes_of
from billing.services import outbox
from billing.services.campaigns import campaign_create
from billing.services.chatbots import chatbot_create
from billing.services.tariffs import tariff_create
from billing.services.templates import template_create
from billing.services.wallet_settings import settings_of
from billing.services.wallets import credit_limit_write, wallet_configure, wallet_open
from poolsite.access.models import Account
from poolsite.runtime.demo_data import ACTOR, DemoData, read_simulation

DAYS = 7
PRICES = {
    "native_text": {"unit_price": 1_200, "characters_per_unit": 140},
    "native_card": {"unit_price": 1_800},
    "native_session": {"unit_price": 1_500},
    "yuexin_resolved": {"unit_price": 1_600},
    "yuexin_unresolved": {"unit_price": 600},
    "video": {"unit_price": 2_400, "kilobytes_per_unit": 500},
    "call": {"unit_price": 900},
}
_WORKDAYS, _BY_DAY = 0b1_1111, (8 * 60, 18 * 60)
# For calls of this account's charged pool. Other accounts' calls cost the tariff's call price.
CALL_RATES = {
    "careline": [
        Rate("+86", "China", 600, 60, 6),
        Rate("+861", "China mobile", 900, 30, 1),
        Rate("+861", "China mobile, by day", 1_200, 30, 1, 0, _WORKDAYS, *_BY_DAY),
        Rate("+8610", "Beijing", 480, 60, 1, 100),
        Rate("+852", "Hong Kong", 2_400, 60, 1, 500),
        Rate("+49", "Germany", 1_000, 60, 60),
        Rate("+4917", "Germany mobile", 1_200, 60, 1),
    ]
}
MIX = {
    "native_card": 0.46,
    "yuexin_resolved": 0.26,
    "yuexin_unresolved": 0.09,
    "video": 0.13,
    "": 0.06,
}


@dataclass(frozen=True)
class DemoWallet:
    """An account: its chatbots with their messages per day, and the amount of each top-up."""

    slug: str
    chatbots: tuple[tuple[str, str, int], ...]
    top_up: int
    alert_below: int = 0
    credit_limit: int = 0
    promotional: int = 0
    past_campaign: int = 0
    campaign: bool = False


WALLETS = (
    DemoWallet(
        "evergreen",
        (("loyalty", "Evergreen Loyalty", 620), ("orders", "Evergreen Orders", 380)),
        top_up=2_500 * UNITS,
        alert_below=800 * UNITS,
        past_campaign=1_800,
        campaign=True,
    ),
    DemoWallet(
        "northbank",
        (("codes", "North Bank Codes", 420),),
        top_up=1_500 * UNITS,
        credit_limit=2_000 * UNITS,
    ),
    DemoWallet(
        "careline",
        (("visits", "Careline Visits", 110),),
        top_up=900 * UNITS,
        promotional=120 * UNITS,
    ),
)


def make_billing(data: DemoData) -> None:
    """Create the wallets and what they need. Existing wallets are not changed."""
    known = read_simulation()
    wallets = [_make(plan, data) for plan in WALLETS if plan.slug in data.accounts]
    if not data.small:
        make_invoices(wallets)
    data.simulation["gateway"] = gateway_of(known.get("gateway", {}))
    data.simulation["chatbots"] = chatbots_of(known.get("chatbots", []), wallets)


def _make(plan: DemoWallet, data: DemoData) -> Wallet:
    account: Account = data.accounts[plan.slug]
    found = Wallet.objects.select_related("account").filter(account=account).first()
    if found is not None:
        return found
    with transaction.atomic():
        tariff = tariff_create(
            actor=ACTOR,
            account=account,
            name="Standard 2026",
            prices=PRICES,
            valid_from=timezone.now() - timedelta(days=90),
            call_rates=CALL_RATES.get(plan.slug),
        )
        templates = [_chatbot(account, slug, name) for slug, name, _ in plan.chatbots]
        if data.small:
            wallet = wallet_open(account, ACTOR, opening=plan.top_up)
        else:
            wallet = _with_past(account, plan, tariff, templates)
    if not data.small:
        _begin(wallet)
    if plan.alert_below:
        wallet_configure(wallet, actor=ACTOR, alert_below=plan.alert_below)
    if plan.credit_limit:
        why = "Pays by monthly invoice"
        credit_limit_write(wallet, plan.credit_limit, actor=ACTOR, reason=why)
    if plan.promotional:
        _promotion(wallet, plan.promotional)
    return wallet


def _promotion(wallet: Wallet, amount: int) -> None:
    """Grant promotional credit directly, because the demo has no second operator to approve it."""
    made = Promotion.objects.create(
        wallet=wallet,
        amount=amount,
        expires_at=timezone.now() + timedelta(days=45),
        reason="Welcome credit",
        granted_by=ACTOR,
        operation_id=f"demo:{wallet.slug}:welcome",
    )
    outbox.order(wallet, MoneyOrder.Kind.GRANT, amount, made.operation_id, made.reason)


def fill_campaign() -> None:
    """Create the campaign that is ready to send, if it doesn't exist."""
    for plan in WALLETS:
        wallet = Wallet.objects.filter(account__slug=plan.slug).first()
        chatbot = plan.chatbots[0][0]
        template = Template.objects.filter(chatbot__account__slug=plan.slug, chatbot__slug=chatbot)
        if plan.campaign and wallet is not None:
            ready_campaign(wallet, template.earliest("pk"))


def _chatbot(account: Account, slug: str, name: str) -> Template:
    chatbot = chatbot_create(actor=ACTOR, account=account, slug=slug, name=name)
    return template_create(
        actor=ACTOR,
        chatbot=chatbot,
        name="Autumn thanks" if slug == "loyalty" else "News",
        native_kind="card",
        native_text=f"{name}: thank you for staying with us. Your voucher waits in this card.",
        card_kilobytes=180,
        yuexin_text=f"{name}: thank you. Your voucher:",
        yuexin_link=f"https://{slug}.example.org/v",
        link_registered=True,
        video_subject="Your voucher",
        video_kilobytes=480,
    )


# -- history ---------------------------------------------------------------------------------------


def _with_past(
    account: Account, plan: DemoWallet, tariff: Tariff, templates: Sequence[Template]
) -> Wallet:
    """Create a wallet with a history in the books, but without data in Redis."""
    chance = random.Random(zlib.crc32(plan.slug.encode()))  # noqa: S311  a simulation
    wallet = Wallet.objects.create(account=account, generation=GENERATION, opened_at=timezone.now())
    past = WalletPast(wallet, plan.top_up, chance)
    until = timezone.now() - timedelta(minutes=2)
    senders = [
        Sender(slug, daily, _quotes(tariff, template), MIX)
        for (slug, _name, daily), template in zip(plan.chatbots, templates, strict=True)
    ]
    past.days(senders, DAYS, until)
    for day in earlier_days(account):  # so that past months have invoices
        past.days([replace(each, daily=each.daily // 4) for each in senders], 1, day)
    for number in range(DAYS * 40):
        at = until - timedelta(seconds=chance.uniform(0, DAYS * 86_400))
        past.session(f"up-{number}", senders[0].chatbot, PRICES["native_session"]["unit_price"], at)
    if plan.past_campaign:
        _past_campaign(past, plan.past_campaign, templates[0], senders[0])
    past.write(ACTOR)
    wallet.refresh_from_db()
    wallet.generation, wallet.seq, wallet.batch_number = GENERATION + 1, 0, 0
    wallet.save(update_fields=["generation", "seq", "batch_number"])
    return wallet


def _quotes(tariff: Tariff, template: Template) -> dict[str, commands.Quote]:
    quotes = quotes_of(template, tariff)
    return {"yuexin": quotes[True], "video": quotes[False]}


def _begin(wallet: Wallet) -> None:
    """Create the wallet's first data in Redis, with the balance at the end of its history."""
    settings, balance = settings_of(wallet), wallet.spendable
    begin = commands.create(wallet.slug, wallet.generation, settings, balance=balance, status="o")
    servers.path(wallet).run(begin)


def _past_campaign(past: WalletPast, count: int, template: Template, sender: Sender) -> None:
    """Add a finished campaign from two days ago."""
    began = timezone.now() - timedelta(days=2, hours=3)
    campaign = campaign_create(
        actor=ACTOR, wallet=past.wallet, template=template, name="Autumn loyalty cards"
    )
    rows = [
        Recipient(
            campaign=campaign,
            row=row,
            number=f"+86{FIRST + 100_000 + row}{row % 10}",
            message_id=f"{campaign.public_id}-{row}",
            supports_yuexin=row % 2 == 0,
            ability_source="table",
            state=Recipient.State.SENT,
        )
        for row in range(2, count + 2)
    ]
    Recipient.objects.bulk_create(rows, batch_size=500)  # unaudited: the demo's past
    for place, row in enumerate(rows):
        past.message(row.message_id, sender, began + timedelta(milliseconds=6 * place))
    Campaign.objects.filter(pk=campaign.pk).update(  # unaudited: the demo's past
        status=Campaign.Status.DONE,
        file_name="autumn.csv",
        uploaded=count + 37,
        dropped_duplicates=21,
        dropped_opt_outs=9,
        dropped_invalid=7,
        created_by="wang.fang",
        created_at=began - timedelta(minutes=4),
        started_at=began,
        ended_at=began + timedelta(minutes=3),
    )
