"""The customer's own rules for a balance, and the addresses that get emails about it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from billing.forms import AmountField, in_currency

AMOUNTS = ("alert_below", "daily_limit", "top_up_below", "top_up_amount")
AUTOMATIC = ("top_up_below", "top_up_amount", "top_up_daily_count")


class LimitsForm(forms.Form):
    """The customer's own rules: alert, daily limit, automatic top-up. Empty is stored as 0."""

    alert_below = AmountField(
        label=_("Alert when balance is below"),
        least=0,
        required=False,
        help_text=_(
            "Leave empty for no alert. It is sent once, then again only after the balance has"
            " recovered."
        ),
    )
    daily_limit = AmountField(
        label=_("Daily spending limit"),
        least=0,
        required=False,
        help_text=_(
            "Leave empty for no limit. Messages that would exceed it are refused until midnight."
        ),
    )
    top_up_below = AmountField(
        label=_("Top up below"),
        least=0,
        required=False,
        help_text=_("Leave empty to turn automatic top-ups off."),
    )
    top_up_amount = AmountField(label=_("Top-up amount"), least=0, required=False)
    top_up_daily_count = forms.IntegerField(
        label=_("Maximum top-ups per day"),
        min_value=0,
        max_value=24,
        help_text=_("Failed attempts count too."),
    )

    def __init__(
        self, data: Any = None, *, initial: dict[str, Any], currency: str, automatic: bool
    ) -> None:
        shown = {name: value or None for name, value in initial.items()}
        shown["top_up_daily_count"] = initial["top_up_daily_count"]
        super().__init__(data, initial=shown)
        in_currency(self, currency, *AMOUNTS)
        if not automatic:
            for name in AUTOMATIC:
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        """Replace empty amounts with the 0 that is stored."""
        cleaned = super().clean() or {}
        return {name: 0 if value is None else value for name, value in cleaned.items()}


class NoticeForm(forms.Form):
    """An address that gets emails."""

    address = forms.EmailField(label=_("Email"), max_length=254)
