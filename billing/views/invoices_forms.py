"""Forms of invoices: the tax profile, the seller, a tax rate, a month."""

from datetime import date
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from billing.models import TaxRate, Treatment
from billing.models.taxes import COUNTRY, PREFIX
from billing.views.tariffs_forms import DayField
from poolsite import dates
from poolsite.moments import zone_names

MONTH: Final = "%Y-%m"


class MonthField(forms.DateField):
    """A month; `clean` returns its first day."""

    def __init__(self, **given: Any) -> None:
        widget = forms.DateInput(format=MONTH, attrs={"type": "month"})
        super().__init__(widget=widget, input_formats=[MONTH, "%Y-%m-%d"], **given)


class PercentField(forms.DecimalField):
    """A percentage with two places; `clean` returns 1/100 percent."""

    def __init__(self, **given: Any) -> None:
        super().__init__(min_value=0, max_value=100, decimal_places=2, **given)

    def prepare_value(self, value: Any) -> Any:
        """Convert stored units to a percentage."""
        if isinstance(value, int) and not isinstance(value, bool):
            return format((Decimal(value) / 100).normalize(), "f")
        return value

    def clean(self, value: Any) -> int:
        """Return units of 1/100 percent."""
        return int(super().clean(value) * 100)


class CapitalsField(forms.CharField):
    """A short text that is converted to capital letters."""

    def to_python(self, value: Any) -> str:
        """Return the text in capitals."""
        return str(super().to_python(value)).upper()


def _country() -> forms.CharField:
    return CapitalsField(
        label=_("Country"),
        max_length=2,
        validators=[COUNTRY],
        help_text=_("Two-letter code, such as CN."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 4}),
    )


def _address() -> forms.CharField:
    return forms.CharField(
        label=_("Address"), max_length=400, widget=forms.Textarea(attrs={"rows": 4})
    )


class TaxProfileForm(forms.Form):
    """The account's details on its invoices."""

    legal_name = forms.CharField(label=_("Legal name"), max_length=200)
    address = _address()
    country = _country()
    tax_id = forms.CharField(label=_("Tax ID"), max_length=60, required=False)
    treatment = forms.ChoiceField(
        label=_("Tax treatment"),
        choices=[(value, capfirst(label)) for value, label in Treatment.choices],
        help_text=_("A reverse charge needs a tax ID of another country than the seller's."),
    )
    email = forms.EmailField(
        label=_("Billing contact"),
        max_length=254,
        required=False,
        help_text=_("Gets each invoice by email. Leave empty for none."),
    )


class SellerForm(forms.Form):
    """The seller, who issues the invoices."""

    name = forms.CharField(label=_("Legal name"), max_length=200)
    address = _address()
    country = _country()
    tax_id = forms.CharField(label=_("Tax ID"), max_length=60, required=False)
    prefix = CapitalsField(  # type: ignore[assignment]  # a field, which Django takes out again
        label=_("Number prefix"),
        max_length=10,
        validators=[PREFIX],
        help_text=_("Capital letters and digits. Another prefix starts new sequences."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 12}),
    )
    zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=[(name, name) for name in sorted(zone_names())],
        help_text=_("The day of an invoice is a day of this zone."),
    )
    first_month = MonthField(
        label=_("First month"), help_text=_("Earlier months are not invoiced automatically.")
    )


class TaxRateForm(forms.Form):
    """A tax that prices include."""

    country = _country()
    kind = forms.ChoiceField(
        label=_("Service"),
        choices=[(value, capfirst(label)) for value, label in TaxRate.Kind.choices],
    )
    name = forms.CharField(
        label=_("Name on the invoice"), max_length=40, widget=forms.TextInput({"size": 12})
    )
    rate = PercentField(label=_("Rate (%)"))
    valid_from = DayField(label=_("Valid from"))
    valid_until = DayField(label=_("Valid until (exclusive)"), required=False)


class RateEndForm(forms.Form):
    """The end of a rate."""

    valid_until = DayField(label=_("Valid until (exclusive)"))


class IssueForm(forms.Form):
    """The complete month to invoice."""

    month = forms.ChoiceField(label=_("Month"))

    def __init__(self, data: Any = None, *, months: list[date]) -> None:
        super().__init__(data)
        field: Any = self.fields["month"]
        field.choices = [(f"{each:%Y-%m}", dates.month(each)) for each in months]
