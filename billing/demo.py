"""The demo's money: wallets with a past, tariffs, templates, chatbots, a campaign ready to send."""

import csv
import io
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from billing import servers
from billing import wallet as door
from billing.demo_past import GENERATION, Past, Sender
from billing.models import Campaign, Chatbot, Recipient, Tariff, Template, Wallet
from billing.models.prices import TerminalListing
from billing.money import UNITS
from billing.pricing import content_of, quote
from billing.pricing.modes import ends_of
from billing.selectors.tariffs import prices_of
from billing.services.campaigns import campaign_create
from billing.services.campaigns_upload import recipients_upload
from billing.services.chatbots import chatbot_create, chatbot_token_create
from billing.services.opt_outs import opt_outs_add
from billing.services.tariffs import tariff_create
from billing.services.templates import template_create
from billing.services.wallet_settings import settings_of
from billing.services.wallets import wallet_configure, wallet_open
from poolsite.access.models import Account, ApiToken
from poolsite.access.services import token_create
from poolsite.jobs import runner
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
MIX = {
    "native_card": 0.46,
    "yuexin_resolved": 0.26,
    "yuexin_unresolved": 0.09,
    "video": 0.13,
    "": 0.06,
}
# How often a last digit comes: the simulated gateway decides by it (integrations/simulator).
DIGITS = {
    "0": 46,
    "1": 20,
    "2": 10,
    "3": 12,
    "4": 6,
    "5": 0.6,
    "6": 1.6,
    "7": 1.6,
    "8": 0.6,
    "9": 1.6,
}
RECIPIENTS = 5_000
FIRST = 1_370_000_000
YUEXIN_SHARE = 0.45


@dataclass(frozen=True)
class DemoWallet:
    """One account: its chatbots with their messages a day, and what it pays in at once."""

    slug: str
    chatbots: tuple[tuple[str, str, int], ...]
    top_up: int
    alert_below: int = 0
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
    DemoWallet("northbank", (("codes", "North Bank Codes", 420),), top_up=1_500 * UNITS),
    DemoWallet("careline", (("visits", "Careline Visits", 110),), top_up=400 * UNITS),
)


def make_billing(data: DemoData) -> None:
    """Make the wallets and what they pay for; what is there already stays as it is."""
    known = read_simulation()
    wallets = [_make(plan, data) for plan in WALLETS if plan.slug in data.accounts]
    data.simulation["gateway"] = _gateway(known.get("gateway", {}))
    data.simulation["chatbots"] = _senders(known.get("chatbots", []), wallets)


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
    if plan.campaign and not data.small:
        _ready_campaign(wallet, templates[0])
    return wallet


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


# -- the past --------------------------------------------------------------------------------------


def _with_past(
    account: Account, plan: DemoWallet, tariff: Tariff, templates: Sequence[Template]
) -> Wallet:
    """A wallet whose books hold a past; its first life is still to begin."""
    chance = random.Random(zlib.crc32(plan.slug.encode()))  # noqa: S311  a simulation
    wallet = Wallet.objects.create(account=account, generation=GENERATION, opened_at=timezone.now())
    past = Past(wallet, plan.top_up, chance)
    until = timezone.now() - timedelta(minutes=2)
    senders = [
        Sender(slug, daily, _quotes(tariff, template), MIX)
        for (slug, _name, daily), template in zip(plan.chatbots, templates, strict=True)
    ]
    past.days(senders, DAYS, until)
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


def _quotes(tariff: Tariff, template: Template) -> dict[str, door.Quote]:
    prices, content = prices_of(tariff), content_of(template)
    return {
        fallback: quote(prices, tariff.pk, ends_of(template.native_kind, fallback), content)
        for fallback in ("yuexin", "video")
    }


def _begin(wallet: Wallet) -> None:
    """The first life of the wallet's Redis data, with what the past left."""
    settings, balance = settings_of(wallet), wallet.spendable
    begin = door.create(wallet.slug, wallet.generation, settings, balance=balance, status="o")
    servers.path(wallet).run(begin)


def _past_campaign(past: Past, count: int, template: Template, sender: Sender) -> None:
    """A campaign of the day before yesterday, done."""
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


# -- the campaign that is ready to send ------------------------------------------------------------


def _ready_campaign(wallet: Wallet, template: Template) -> None:
    """5 000 recipients in a file as people have them, read and checked: one click sends it."""
    numbers = list(_numbers())
    gone = [f"+86{number}" for number in numbers[RECIPIENTS:]]
    opt_outs_add(actor=ACTOR, wallet=wallet, texts=gone, reason="Asked for it by phone")
    _list_terminals(numbers)
    campaign = campaign_create(
        actor=ACTOR, wallet=wallet, template=template, name="Winter vouchers"
    )
    data = [_file(numbers).encode()]
    found = recipients_upload(
        actor=ACTOR, campaign=campaign, file_name="winter-vouchers.csv", data=data
    )
    runner.run(found.job_id or 0)


def _numbers() -> Iterator[str]:
    """5 000 mobile numbers whose last digits come as often as DIGITS says, and 14 opt-outs."""
    chance = random.Random(11)  # noqa: S311  a simulation
    digits = chance.choices(list(DIGITS), list(DIGITS.values()), k=RECIPIENTS + 14)
    for place, digit in enumerate(digits):
        yield f"{FIRST + place // 7 * 13 + place}{digit}"


def _list_terminals(numbers: Sequence[str]) -> None:
    """What the table knows: who resolves Yuexin messages; one in twelve is unknown."""
    chance = random.Random(12)  # noqa: S311  a simulation
    now = timezone.now()
    rows = []
    for number in numbers:
        if chance.random() < 1 / 12:
            continue
        by_digit = {"1": True, "2": True, "3": False}.get(number[-1])
        its = chance.random() < YUEXIN_SHARE if by_digit is None else by_digit
        rows.append(TerminalListing(number=f"+86{number}", supports_yuexin=its, imported_at=now))
    TerminalListing.objects.bulk_create(  # unaudited: the demo's table
        rows, batch_size=500, ignore_conflicts=True
    )


def _file(numbers: Sequence[str]) -> str:
    """The upload: a head, names, some numbers twice, some spoiled by a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["mobile", "name"])
    for place, number in enumerate(numbers):
        written = f"{number[:3]} {number[3:7]} {number[7:]}" if place % 97 == 0 else number
        writer.writerow([written, f"Customer {place + 1}"])
        if place % 250 == 100:
            writer.writerow([f"+86{number}", f"Customer {place + 1} (2)"])
    for bad in ("n/a", "1380013OOOO", "", "12", "13800138000138001380013800138000138", "see above"):
        writer.writerow([bad, "unknown"])
    return text.getvalue()


# -- who plays the gateway and the chatbots --------------------------------------------------------


def _gateway(known: dict[str, Any]) -> dict[str, Any]:
    """The simulated gateway's own token for status reports; an earlier one goes on."""
    secret = str(known.get("report_token", ""))
    if secret and _lives(secret):
        return known
    _, secret = token_create(
        name="gateway",
        account=None,
        resources=["wallet:*"],
        actions=["billing.hold"],
        events=["settle"],
        actor=ACTOR,
    )
    return {"report_token": secret}


def _senders(known: list[dict[str, Any]], wallets: Sequence[Wallet]) -> list[dict[str, Any]]:
    """A chatbot of each account that sends by the public interface, now and then."""
    by_account = {each["account"]: each for each in known}
    made = []
    for wallet in wallets:
        before = by_account.get(wallet.slug)
        if before is not None and _lives(before["token"]):
            made.append(before)
            continue
        chatbot = Chatbot.objects.filter(account=wallet.account).order_by("-pk").first()
        template = Template.objects.filter(chatbot=chatbot).first() if chatbot else None
        if chatbot is None or template is None:
            continue
        made.append(
            {
                "account": wallet.slug,
                "chatbot": chatbot.slug,
                "template": template.pk,
                "token": chatbot_token_create(actor=ACTOR, chatbot=chatbot),
                "messages_per_minute": 12,
                "sessions_per_minute": 3,
            }
        )
    return made


def _lives(secret: str) -> bool:
    """Whether a token of an earlier start can still be used."""
    from poolsite.access.tokens import hash_of

    found = ApiToken.objects.filter(secret_hash=hash_of(secret)).first()
    return found is not None and found.is_live
