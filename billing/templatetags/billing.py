"""Money in templates. `{% load billing %}`."""

from django import template
from django.utils.formats import get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from billing import presentation

register = template.Library()


@register.filter
def money(units: int | str | None, currency: str = "") -> SafeString | str:
    """¥18,240.6150 with the digits below the cent muted; a dash for None or ""."""
    if units is None or units == "":
        return "–"
    sign, figure, rest = presentation.split(int(units))
    if not rest:
        return f"{sign}{presentation.symbol(currency)}{figure}"
    return format_html(
        '{}{}{}<span class="money__rest">{}</span>',
        sign,
        presentation.symbol(currency),
        figure,
        rest,
    )


@register.filter
def hero_money(units: int | None, currency: str = "") -> SafeString | str:
    """¥18,240 with .6150 muted, always with all digits; heroMoney of money.js redraws it."""
    if units is None:
        return "–"
    point = str(get_format("DECIMAL_SEPARATOR"))
    whole, _, rest = presentation.exact(abs(int(units))).rpartition(point)
    return format_html(
        '{}{}{}<span class="money__rest">{}{}</span>',
        presentation.MINUS if units < 0 else "",
        presentation.symbol(currency),
        whole,
        point,
        rest,
    )


@register.filter
def exact(units: int | None) -> str:
    """−32.7600"""
    return "–" if units is None else presentation.exact(int(units))


@register.filter
def exact_signed(units: int) -> str:
    """+0.0600, −32.7600, 0.0000: as the live list of movements draws an amount."""
    return presentation.exact(int(units), signed=True)


@register.filter
def signed(units: int | None) -> SafeString | str:
    """+200.0000 in green, −32.7600, and a dash for 0 or None."""
    if not units:
        return "–"
    tone = "money--in" if units > 0 else ""
    return format_html(
        '<span class="{}">{}</span>', tone, presentation.exact(int(units), signed=True)
    )


@register.filter
def ledger(units: int, form: str = "") -> SafeString | str:
    """−89,264.00 in a column.

    `form`: "+" signs amounts above 0, "4" always adds the muted digits.
    """
    sign, figure, rest = presentation.split(units)
    sign = "+" if "+" in form and units > 0 else sign
    if not rest and "4" not in form:
        return f"{sign}{figure}"
    return format_html('{}{}<span class="money__rest">{}</span>', sign, figure, rest or "00")


@register.filter
def negative(units: int) -> int:
    """The negative of an amount, for deductions."""
    return -units


@register.filter
def dash(units: int | None) -> str:
    """−32.7600, and a dash for 0 or None."""
    return presentation.exact(int(units)) if units else "–"


@register.filter
def cents(units: int | None, currency: str = "") -> str:
    """¥174.80"""
    return "–" if units is None else presentation.rounded(int(units), currency)


@register.filter
def in_middle(name: str) -> str:
    """orders-1119-2…7be01c: a long name keeps its beginning and its end, as in wallet_lines.js."""
    return f"{name[:14]}…{name[-6:]}" if len(name) > 22 else name


register.filter("mode_word", presentation.mode_word)
register.filter("kind_word", presentation.kind_word)


@register.inclusion_tag("billing/state_chip.html")
def state_chip(state: str) -> dict[str, str]:
    """A message's state as a chip."""
    word, chip = presentation.state_word(state)
    return {"word": word, "chip": chip}


@register.inclusion_tag("billing/status_chip.html")
def status_chip(status: str) -> dict[str, str]:
    """A wallet's status as a chip."""
    word, chip, icon = presentation.status_word(status)
    return {"word": word, "chip": chip, "icon": icon}
