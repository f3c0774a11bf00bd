"""Texts that explain what a call costs: the destination, its rate, and the charged seconds."""

from datetime import date, time

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from billing.presentation import amount
from billing.pricing.calls import DAY, EVERY_DAY, Rate
from poolsite.console.sentences.values import listed

_MONDAY = date(2024, 1, 1)


def rate_words(rate: Rate) -> str:
    """Describe a rate: "Germany mobile, 0.12 per minute, 60/1", with times and connection fee."""
    parts = [rate.destination]
    if not rate.is_always:
        parts.append(times_words(rate))
    parts.append(_("%(price)s per minute") % {"price": amount(rate.price)})
    if rate.fee:
        parts.append(_("connection fee %(price)s") % {"price": amount(rate.fee)})
    parts.append(f"{rate.first}/{rate.increment}")
    return listed(parts)


def explanation(rate: Rate | None, seconds: int, price: int = 0, length: int = 0) -> str:
    """Explain what a call costs: "Germany mobile, 0.12 per minute, 60/1, 73 s charged".

    If `rate` is None, the tariff's price of a call is used: `price` units for each started interval
    of `length` seconds. A `length` of 0 means that the interval isn't known.
    """
    charged = _("%(seconds)s s charged") % {"seconds": f"{seconds:,}"}
    if rate is not None:
        return listed([rate_words(rate), charged])
    if not length:
        return listed([_("Price of a call"), charged] if seconds else [_("Price of a call")])
    words = _("%(price)s per started %(length)s s") % {
        "price": amount(price),
        "length": f"{length:,}",
    }
    return listed([_("Price of a call"), words, charged] if seconds else [words])


def times_words(rate: Rate) -> str:
    """Describe the times of a rate: "Mon–Fri 08:00–18:00". Return "" if it is always valid."""
    words = []
    if rate.days != EVERY_DAY:
        words.append(days_words(rate.days))
    if (rate.from_minute, rate.until_minute) != (0, DAY):
        words.append(f"{_clock(rate.from_minute)}–{_clock(rate.until_minute)}")
    return " ".join(words)


def days_words(days: int) -> str:
    """Describe days by their short names, with runs joined: "Mon–Fri, Sun"."""
    runs: list[list[int]] = []
    for day in (number for number in range(7) if days >> number & 1):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    separator = pgettext("between the items of a list", ", ")
    return separator.join(
        _day(run[0]) if len(run) == 1 else f"{_day(run[0])}–{_day(run[-1])}" for run in runs
    )


def _day(number: int) -> str:
    return date_format(_MONDAY.replace(day=1 + number), "D")


def _clock(minute: int) -> str:
    return "24:00" if minute == DAY else f"{time(minute // 60, minute % 60):%H:%M}"
