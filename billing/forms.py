"""The forms of the money pages. People enter currency units; the code uses units of 1/10 000."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from billing import money
from billing.models import MoneyOrder, Recharge, Wallet
from billing.recharging import variants
from billing.services.adjustments import BY_FORM
from billing.services.days import day_start_us
from billing.services.recharges import check_amount
from poolsite.access.models import Account
from poolsite.moments import moment_of

LONGEST = 24  # characters of an amount
OTHER = "other"  # the preset "other amount" of a top-up: the amount field counts


class AmountField(forms.CharField):
    """An amount entered in currency units. `clean` returns units of 1/10 000."""

    def __init__(self, *, least: int = 1, currency: str = "", **given: Any) -> None:
        self.least = least
        given.setdefault("max_length", LONGEST)
        super().__init__(**given)
        self.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off"}
        if currency:
            self.widget.attrs["placeholder"] = currency

    def prepare_value(self, value: Any) -> Any:
        """Return stored units as currency units without trailing zeros."""
        if isinstance(value, int) and not isinstance(value, bool):
            return shortest(value)
        return value

    def clean(self, value: Any) -> int | None:
        """Return the amount in units, or None if the field is optional and empty."""
        text = super().clean(value).replace("\N{MINUS SIGN}", "-").replace(" ", "")
        if not text:
            return None
        try:
            units = money.parse(text)
        except money.MoneyError as error:
            raise ValidationError(str(error)) from None
        if units < self.least:
            raise ValidationError(_("Enter an amount above zero."))
        return units


def shortest(units: int) -> str:
    """Return units as a person would write them: 12.5, 2000."""
    text = format(money.as_decimal(units).normalize(), "f")
    return "0" if Decimal(text) == 0 else text


def in_currency(form: forms.Form, currency: str, *names: str) -> None:
    """Add the currency to the labels of these amount fields."""
    for name in names:
        field = form.fields[name]
        field.label = _in_currency(str(field.label), currency)


def _in_currency(label: str, currency: str) -> str:
    return gettext("%(label)s (%(currency)s)") % {"label": label, "currency": currency}


def _token() -> forms.UUIDField:
    return forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)


def _reason(**given: Any) -> forms.CharField:
    given.setdefault("label", _("Reason"))
    given.setdefault("help_text", _("Kept in the audit log."))
    return forms.CharField(max_length=200, **given)


class TopUpForm(forms.Form):
    """A top-up. The chosen preset is the amount; with `other`, the amount field is."""

    amount = AmountField(label=_("Amount"), error_messages={"required": _("Choose an amount.")})
    variant = forms.ChoiceField(label=_("Payment method"), widget=forms.RadioSelect)
    keep_method = forms.BooleanField(
        label=_("Save this payment method for automatic top-ups"), required=False
    )
    token = _token()

    def __init__(self, data: Any = None, *args: Any, wallet: Wallet, **given: Any) -> None:
        if data is not None and data.get("preset", OTHER) != OTHER:
            data = {**data.dict(), "amount": data["preset"]}
        super().__init__(data, *args, **given)
        self._currency = wallet.account.currency
        offered = variants.configured()
        choice: Any = self.fields["variant"]
        choice.choices = [(each.name, each.label) for each in offered]
        if len(offered) == 1:
            choice.initial, choice.widget = offered[0].name, forms.HiddenInput()
        if not any(variants.keeps_methods(each.name) for each in offered):
            del self.fields["keep_method"]

    def clean_amount(self) -> int:
        """Return the amount in units, if a provider accepts it."""
        amount: int = self.cleaned_data["amount"]
        check_amount(amount, self._currency)
        return amount


class RefundForm(forms.Form):
    """A customer's refund request. The bank details are stored as one line."""

    amount = AmountField(label=_("Amount"))
    bank = forms.CharField(label=_("Bank"), max_length=60)
    bank_account = forms.CharField(label=_("Account number"), max_length=40)
    holder = forms.CharField(label=_("Account holder"), max_length=80)
    reason = _reason()

    def __init__(self, *args: Any, currency: str, most: str, **given: Any) -> None:
        super().__init__(*args, **given)
        in_currency(self, currency, "amount")
        self.fields["amount"].help_text = gettext("Maximum: %(amount)s") % {"amount": most}

    def clean(self) -> dict[str, Any]:
        """Join the bank details into `payout`, which the request stores."""
        cleaned = super().clean() or {}
        parts = [cleaned.pop(name, "") for name in ("bank", "bank_account", "holder")]
        return {**cleaned, "payout": ", ".join(parts)}


class AdjustmentForm(forms.Form):
    """An operator's adjustment. Each kind shows only the fields that it needs."""

    kind = forms.ChoiceField(label=_("Type"), choices=[], widget=forms.HiddenInput)
    recharge = forms.CharField(
        label=_("Top-up"),
        max_length=20,
        help_text=_("The number of the top-up that the bank took back, such as R00000012."),
        widget=forms.TextInput(attrs={"list": "receipts", "autocomplete": "off"}),
    )
    amount = AmountField(label=_("Amount"))
    reason = _reason()
    reference = forms.CharField(
        label=_("Reference (optional)"),
        max_length=120,
        required=False,
        help_text=_("The number of the bank transfer, ticket or invoice."),
    )
    token = _token()

    def __init__(self, *args: Any, wallet: Wallet, kind: str, **given: Any) -> None:
        super().__init__(*args, **given)
        self._wallet = wallet
        words = dict(MoneyOrder.Kind.choices)
        kinds: Any = self.fields["kind"]
        kinds.choices = [(each.value, words[each.value]) for each in BY_FORM]
        del self.fields["reference" if kind == MoneyOrder.Kind.CHARGEBACK else "recharge"]
        in_currency(self, wallet.account.currency, "amount")

    def clean_recharge(self) -> Recharge | None:
        """Return the account's own top-up with this number."""
        text = str(self.cleaned_data["recharge"]).strip().upper().removeprefix("R")
        if not text:
            return None
        if not (text.isascii() and text.isdecimal()) or len(text) > 18:
            raise ValidationError(_("Top-up not found."))
        found = Recharge.objects.filter(wallet=self._wallet, pk=int(text)).first()
        if found is None:
            raise ValidationError(_("Top-up not found."))
        return found


class CreditLimitForm(forms.Form):
    """How far an account's balance may go below zero."""

    amount = AmountField(label=_("Credit limit"), least=0, help_text=_("Enter 0 for prepaid only."))
    reason = _reason()
    token = _token()

    def __init__(self, *args: Any, currency: str, **given: Any) -> None:
        super().__init__(*args, **given)
        in_currency(self, currency, "amount")


class PromotionForm(forms.Form):
    """Promotional credit to grant: amount, last day and reason."""

    amount = AmountField(label=_("Amount"))
    expires_on = forms.DateField(
        label=_("Last day"),
        help_text=_("In the account's time zone. The unused part expires at the end of this day."),
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )
    reason = _reason()
    token = _token()

    def __init__(self, *args: Any, wallet: Wallet, **given: Any) -> None:
        super().__init__(*args, **given)
        self._account = wallet.account
        in_currency(self, wallet.account.currency, "amount")

    def clean(self) -> dict[str, Any]:
        """Set `expires_at` to the last moment of the last day."""
        cleaned = super().clean() or {}
        day = cleaned.pop("expires_on", None)
        if day is not None:
            if not 2000 <= day.year < 9999:
                raise ValidationError({"expires_on": _("Enter a time within the next five years.")})
            end = day_start_us(self._account, day + timedelta(days=1)) - 1
            cleaned["expires_at"] = moment_of(end)
        return cleaned


class ReasonForm(forms.Form):
    """The reason for a decision."""

    reason = _reason()


class OpenForm(forms.Form):
    """The account that gets a wallet. If the account has one, the page redirects to it."""

    account = forms.ModelChoiceField(
        label=_("Account"), queryset=Account.objects.order_by("name"), to_field_name="slug"
    )


class AcceptRefundForm(forms.Form):
    """An operator accepts a refund request, with the payment's reference if it is known."""

    reference = forms.CharField(label=_("Reference"), max_length=120, required=False)
    token = _token()


class ChatbotForm(forms.Form):
    """A chatbot of an account. Its ID can only be set once."""

    slug = forms.CharField(
        label=_("ID"), max_length=40, help_text=_("Use a-z, 0-9 and -. It can't be changed later.")
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    rate_limit = forms.IntegerField(
        label=_("Rate limit (messages per second)"),
        min_value=0,
        initial=0,
        help_text=_("0: no limit."),
    )

    def __init__(self, *args: Any, is_new: bool, **given: Any) -> None:
        super().__init__(*args, **given)
        if not is_new:
            del self.fields["slug"]
