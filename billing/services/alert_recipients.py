"""Recipients of emails about an account's balance and top-ups; its payers choose them."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from billing.models import Wallet
from billing.selectors.recharges import RECIPIENTS_LIMIT, recipients_of
from poolsite.access import Principal
from poolsite.operations.models import NoticeTarget
from poolsite.operations.services import save_target


def recipient_add(wallet: Wallet, *, actor: Principal, address: str) -> NoticeTarget:
    """Add a recipient. Raise ValidationError for a bad email address or the eleventh recipient."""
    if recipients_of(wallet).count() >= RECIPIENTS_LIMIT:
        raise ValidationError(_("The limit of alert recipients is reached. Remove one first."))
    target = NoticeTarget(account=wallet.account, address=address)
    target.full_clean()
    return save_target(target, actor=actor)
