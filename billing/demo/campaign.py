"""The demo's campaign that is ready to send: 5 000 recipients from a realistic file."""

import csv
import io
import random
from collections.abc import Iterator, Sequence

from django.utils import timezone

from billing.models import Campaign, Template, TerminalListing, Wallet
from billing.services.campaigns import campaign_create
from billing.services.campaigns_upload import recipients_upload
from billing.services.opt_outs import opt_outs_add
from poolsite.jobs import runner
from poolsite.runtime.demo_data import ACTOR

# The weight of each last digit, by which the simulated gateway decides (integrations/simulator).
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
NAME = "Winter vouchers"


def ready_campaign(wallet: Wallet, template: Template) -> None:
    """Create a campaign with 5 000 recipients, read and checked: one click sends it.

    If an earlier attempt was interrupted, continue it.
    """
    campaigns = Campaign.objects.filter(wallet=wallet, name=NAME)
    campaign = campaigns.select_related("job").first()
    if campaign is not None and campaign.job is not None:
        if not campaign.job.ended:
            runner.run(campaign.job.pk)
        return
    numbers = list(_numbers())
    gone = [f"+86{number}" for number in numbers[RECIPIENTS:]]
    opt_outs_add(actor=ACTOR, wallet=wallet, texts=gone, reason="Asked for it by phone")
    _list_terminals(numbers)
    campaign = campaign or campaign_create(actor=ACTOR, wallet=wallet, template=template, name=NAME)
    data = [_file(numbers).encode()]
    found = recipients_upload(
        actor=ACTOR, campaign=campaign, file_name="winter-vouchers.csv", data=data
    )
    runner.run(found.job_id or 0)


def _numbers() -> Iterator[str]:
    """Yield 5 000 mobile numbers with last digits weighted by DIGITS, then 14 for opt-outs."""
    chance = random.Random(11)  # noqa: S311  a simulation
    digits = chance.choices(list(DIGITS), list(DIGITS.values()), k=RECIPIENTS + 14)
    for place, digit in enumerate(digits):
        yield f"{FIRST + place // 7 * 13 + place}{digit}"


def _list_terminals(numbers: Sequence[str]) -> None:
    """Fill the table of terminals: which resolve Yuexin messages. One in twelve stays unknown."""
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
    """Return the file: a header, names, some duplicates, some numbers spoiled by a spreadsheet."""
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
