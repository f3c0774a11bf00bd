"""The price list as a form: one row per sub-mode, money to four places."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from billing import money
from billing.forms import AmountField
from billing.presentation import mode_word
from billing.pricing.modes import CALL, MODES, YUEXIN_UNRESOLVED
from billing.pricing.rate_rows import BYTES_LIMIT
from billing.pricing.tariff import RULE_LIMIT

CHARACTERS, KILOBYTES = "characters_per_unit", "kilobytes_per_unit"
RULES: Final = {CHARACTERS: _("Characters per unit"), KILOBYTES: _("kB per unit")}


class DayField(forms.DateField):
    """A day in the account's time zone."""

    def __init__(self, **given: Any) -> None:
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        super().__init__(widget=widget, **given)


class PriceField(AmountField):
    """A unit price; empty means not sold, 0 means free."""

    def prepare_value(self, value: Any) -> Any:
        """Return stored units with all four places, as a column shows them."""
        if isinstance(value, int) and not isinstance(value, bool):
            return money.plain(value)
        return value


class TariffForm(forms.Form):
    """One version of an account's prices; three cells for each sub-mode."""

    name = forms.CharField(label=_("Name"), max_length=120)
    valid_from = DayField(label=_("Valid from"), required=False)
    valid_until = DayField(label=_("Valid until (exclusive)"), required=False)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        for mode in MODES:
            self._add_row(mode)

    def _add_row(self, mode: str) -> None:
        word = mode_word(mode)
        price = PriceField(label=_("Price per unit"), least=0, required=False)
        price.widget.attrs |= {"aria-label": _named(word, price.label), "data-cell": "price"}
        self.fields[f"{mode}-price"] = price
        if mode == CALL:  # counted by interval only
            return
        usual = _("Per SMS part") if mode == YUEXIN_UNRESOLVED else _("Per message")
        rule = forms.ChoiceField(
            label=_("Counted"), choices=[("", usual), *RULES.items()], required=False
        )
        rule.widget.attrs |= {"aria-label": _named(word, rule.label), "data-cell": "rule"}
        size = forms.IntegerField(
            label=_("Unit size"),
            min_value=1,
            max_value=RULE_LIMIT,
            required=False,
            widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        )
        size.widget.attrs |= {"aria-label": _named(word, size.label), "data-cell": "size"}
        self.fields[f"{mode}-rule"], self.fields[f"{mode}-size"] = rule, size

    def cells(self, mode: str) -> tuple[Any, Any, Any]:
        """Return price, rule and size of a row; a call has no rule and no size (None)."""
        names = [f"{mode}-{part}" for part in ("price", "rule", "size")]
        price, rule, size = (self[name] if name in self.fields else None for name in names)
        return price, rule, size

    def prices(self) -> dict[str, dict[str, int]]:
        """Return the entered prices as services take them. A mode without a price is not sold."""
        source = getattr(self, "cleaned_data", {})
        found: dict[str, dict[str, int]] = {}
        for mode in MODES:
            price = source.get(f"{mode}-price")
            if price is None:
                continue
            found[mode] = {"unit_price": price}
            rule, size = source.get(f"{mode}-rule"), source.get(f"{mode}-size")
            if rule and size:
                found[mode][rule] = size
        return found

    def clean(self) -> dict[str, Any]:
        """Require a size for each rule, and at least one price."""
        cleaned = super().clean() or {}
        for mode in MODES:
            size = f"{mode}-size"
            if cleaned.get(f"{mode}-rule") and not cleaned.get(size) and size not in self.errors:
                self.add_error(size, _("Enter the unit size."))
        given = [cleaned.get(f"{mode}-price") is not None for mode in MODES]
        if not any(given) and not any(f"{mode}-price" in self.errors for mode in MODES):
            raise ValidationError(_("Enter at least one price."))
        return cleaned


def cells_of(prices: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Return a stored version's prices as the form's initial values."""
    found: dict[str, Any] = {}
    for mode, price in prices.items():
        found[f"{mode}-price"] = price["unit_price"]
        for rule in RULES:
            if rule in price:
                found[f"{mode}-rule"], found[f"{mode}-size"] = rule, price[rule]
    return found


def _named(word: str, part: Any) -> str:
    return _("%(mode)s: %(part)s") % {"mode": word, "part": part}


class CallRatesForm(forms.Form):
    """A file of call rates, and when they begin; `rates` is the file's text after a review."""

    file = forms.FileField(label=_("CSV file"), required=False, max_length=200)
    rates = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    international = forms.BooleanField(
        label=_("Prefixes are international and have no +"), required=False
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    valid_from = DayField(label=_("Valid from"), required=False)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def clean(self) -> dict[str, Any]:
        """Require a file, or the text of one that was reviewed."""
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file is None and not cleaned.get("rates") and "file" not in self.errors:
            self.add_error("file", _("Choose a file first."))
        if file is not None and file.size > BYTES_LIMIT:
            self.add_error("file", _("The file is larger than 1 MB."))
        elif file is not None:
            try:
                cleaned["rates"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", _("The file isn't UTF-8 text. Save it as CSV UTF-8."))
        return cleaned

    def text(self) -> str:
        """Return the CSV text."""
        return str(self.cleaned_data["rates"])


class EndTariffForm(forms.Form):
    """The end of a version."""

    valid_until = DayField(label=_("Valid until (exclusive)"))
