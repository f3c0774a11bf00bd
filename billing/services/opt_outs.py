"""Opt-outs: numbers that no campaign of an account may reach."""

from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from billing.campaigns.reach import reach
from billing.models import OptOut, Wallet
from billing.services.acting import clean_line
from poolsite import access
from poolsite.access.services.actor import Actor, name_of, require

TOGETHER = 1_000
QUERY_VALUES = 500  # SQLite takes a bounded number of parameters


@transaction.atomic
def opt_outs_add(*, actor: Actor, wallet: Wallet, texts: Sequence[str], reason: str = "") -> int:
    """Add numbers, in any notation, and return how many are new.

    Raise ValidationError, adding nothing, if one of them is no number or there are more than 1 000.
    Campaigns check recipients that were read earlier again before sending.
    """
    require(actor, "billing.send", wallet)
    texts = [text for text in texts if text.strip()]
    if not texts:
        raise ValidationError(_("Enter at least one number."))
    if len(texts) > TOGETHER:
        raise ValidationError(_("You can add up to 1,000 numbers at a time."))
    found = [reach(text) for text in texts]
    bad = [text.strip()[:40] for text, each in zip(texts, found, strict=True) if each.why]
    if bad:
        raise ValidationError(_("Not a phone number: %s. Nothing was added.") % ", ".join(bad[:5]))
    numbers = list(dict.fromkeys(each.number for each in found))
    new = sorted(set(numbers) - opted_out(wallet.account_id, numbers))
    why = clean_line(reason)
    OptOut.objects.bulk_create(
        [
            OptOut(account_id=wallet.account_id, number=number, reason=why, added_by=name_of(actor))
            for number in new
        ],
        ignore_conflicts=True,
    )
    access.audit(
        actor=actor,
        action="billing.opt_outs_add",
        thing=wallet,
        after={"numbers": len(new)},
        reason=why,
    )
    return len(new)


@transaction.atomic
def opt_out_remove(*, actor: Actor, opt_out: OptOut, reason: str) -> None:
    """Let an account reach a number again, with a reason. A second click changes nothing."""
    wallet = Wallet.objects.select_related("account").get(account_id=opt_out.account_id)
    require(actor, "billing.send", wallet)
    why = clean_line(reason, needed=True)
    if not OptOut.objects.filter(pk=opt_out.pk).delete()[0]:
        return
    access.audit(
        actor=actor,
        action="billing.opt_out_remove",
        thing=wallet,
        before={"number": opt_out.number},
        reason=why,
    )


def opted_out(account_id: int, numbers: Iterable[str]) -> set[str]:
    """Return those of these numbers, as `reach` writes them, that the account may not reach."""
    wanted = list(numbers)
    found: set[str] = set()
    for start in range(0, len(wanted), QUERY_VALUES):
        rows = OptOut.objects.filter(
            account_id=account_id, number__in=wanted[start : start + QUERY_VALUES]
        )
        found.update(rows.values_list("number", flat=True))
    return found
