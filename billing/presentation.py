"""How money is shown to people: amounts with their currency, and texts for entries and states."""

from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from billing.money import UNITS, as_decimal

SYMBOLS: Final = {"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "HKD": "HK$"}
MINUS: Final = "\N{MINUS SIGN}"

MODE_WORDS = {
    "native_text": gettext_lazy("Native text"),
    "native_card": gettext_lazy("Native card"),
    "native_session": gettext_lazy("Session"),
    "yuexin_resolved": gettext_lazy("Yuexin resolved"),
    "yuexin_unresolved": gettext_lazy("Yuexin text"),
    "video": gettext_lazy("Video"),
    "call": gettext_lazy("Call"),
}
# The look of each mode: the name of its token `--mode-<look>` in static/tokens.css.
MODE_LOOKS = {
    "native_text": "native-text",
    "native_card": "native-card",
    "native_session": "native-session",
    "yuexin_resolved": "yuexin-resolved",
    "yuexin_unresolved": "yuexin-text",
    "video": "video",
    "call": "call",
}
KIND_WORDS = {
    "hold": gettext_lazy("Held"),
    "sent": gettext_lazy("Sent"),
    "settle": gettext_lazy("Charged"),
    "fail": gettext_lazy("Returned, failed"),
    "expire": gettext_lazy("Returned, no report"),
    "cancel": gettext_lazy("Returned, cancelled"),
    "flag": gettext_lazy("Flagged"),
    "session": gettext_lazy("Charged, session"),
    "unpaid": gettext_lazy("Not paid yet"),
    "parked": gettext_lazy("Report stored"),
    "orphan": gettext_lazy("Report without a message"),
    "recharge": gettext_lazy("Topped up"),
    "credit": gettext_lazy("Adjusted, credit"),
    "debit": gettext_lazy("Adjusted, debit"),
    "chargeback": gettext_lazy("Charged back"),
    "cash_refund": gettext_lazy("Paid out"),
    "by_hand": gettext_lazy("Adjusted, manual charge"),
    "status": gettext_lazy("Status changed"),
    "limit": gettext_lazy("Credit limit changed"),
    "grant": gettext_lazy("Promotional credit granted"),
    "revoke": gettext_lazy("Promotional credit revoked"),
    "expired": gettext_lazy("Promotional credit expired"),
    "open": gettext_lazy("Opening balance"),
    "load": gettext_lazy("Rebuilt"),
}
# How a ledger row shows an entry: the chip's class, its label, and a text if it is a single entry.
# %(charged)s is the charged amount. The page passes them to static/js/billing/wallet_lines.js.
LEDGER_WORDS = {
    "hold": ("", gettext_lazy("Held"), gettext_lazy("1 message held")),
    "settle": (
        "",
        gettext_lazy("Charged"),
        gettext_lazy("1 message delivered, %(charged)s charged"),
    ),
    "settle_return": (
        "chip--info",
        gettext_lazy("Returned"),
        gettext_lazy("1 message delivered, %(charged)s charged, the rest returned"),
    ),
    "fail": ("chip--info", gettext_lazy("Returned"), gettext_lazy("1 message failed")),
    "expire": (
        "chip--info",
        gettext_lazy("Returned"),
        gettext_lazy("1 message with no delivery report within 72 h"),
    ),
    "cancel": ("chip--info", gettext_lazy("Returned"), gettext_lazy("1 message cancelled")),
    "call_hold": ("", gettext_lazy("Held"), gettext_lazy("1 call interval held")),
    "call_settle": (
        "",
        gettext_lazy("Charged"),
        gettext_lazy("1 call interval, %(charged)s charged"),
    ),
    "call_settle_return": (
        "chip--info",
        gettext_lazy("Returned"),
        gettext_lazy("1 call interval, %(charged)s charged, the rest returned"),
    ),
    "call_fail": ("chip--info", gettext_lazy("Returned"), gettext_lazy("1 call interval failed")),
    "call_expire": (
        "chip--info",
        gettext_lazy("Returned"),
        gettext_lazy("1 call interval with no report within 72 h"),
    ),
    "call_cancel": (
        "chip--info",
        gettext_lazy("Returned"),
        gettext_lazy("1 call interval cancelled"),
    ),
    "session": ("", gettext_lazy("Charged"), gettext_lazy("1 session message")),
    "unpaid": (
        "chip--warn",
        gettext_lazy("Unpaid"),
        gettext_lazy("1 session message awaiting funds"),
    ),
    "recharge": ("chip--ok", gettext_lazy("Topped up"), gettext_lazy("Top-up")),
    "credit": ("chip--line", gettext_lazy("Adjusted"), gettext_lazy("Credit")),
    "debit": ("chip--line", gettext_lazy("Adjusted"), gettext_lazy("Debit")),
    "by_hand": ("chip--line", gettext_lazy("Adjusted"), gettext_lazy("Charged manually")),
    "cash_refund": ("chip--line", gettext_lazy("Paid out"), gettext_lazy("Refund")),
    "chargeback": (
        "chip--bad",
        gettext_lazy("Charged back"),
        gettext_lazy("Reversed by the bank"),
    ),
    "status": ("chip--warn", gettext_lazy("Status"), gettext_lazy("Status changed")),
    "limit": ("chip--info", gettext_lazy("Credit limit"), gettext_lazy("Credit limit changed")),
    "grant": ("chip--ok", gettext_lazy("Granted"), gettext_lazy("Promotional credit granted")),
    "revoke": ("chip--warn", gettext_lazy("Revoked"), gettext_lazy("Promotional credit revoked")),
    "expired": ("chip--warn", gettext_lazy("Expired"), gettext_lazy("Promotional credit expired")),
}
STATE_WORDS = {
    "parked": (gettext_lazy("Report stored"), ""),
    "held": (gettext_lazy("Held"), "chip--info"),
    "sent": (gettext_lazy("Sent"), "chip--info"),
    "settled": (gettext_lazy("Delivered"), "chip--ok"),
    "failed": (gettext_lazy("Failed"), "chip--bad"),
    "expired": (gettext_lazy("No report"), "chip--warn"),
    "cancelled": (gettext_lazy("Cancelled"), ""),
    "unpaid": (gettext_lazy("Unpaid"), "chip--warn"),
}


def symbol(currency: str) -> str:
    """Return the prefix of an amount in the currency: "¥", else its code and a space: "SEK "."""
    return SYMBOLS.get(currency, f"{currency}\N{NO-BREAK SPACE}" if currency else "")


def split(units: int) -> tuple[str, str, str]:
    """Return the sign, the amount to the cent, and the digits below the cent ("" if they are 0)."""
    whole, rest = divmod(abs(units), 100)
    figure = number_format(as_decimal(whole * 100), decimal_pos=2, force_grouping=True)
    return (MINUS if units < 0 else "", figure, f"{rest:02}" if rest else "")


def amount(units: int, currency: str = "", *, signed: bool = False) -> str:
    """Return "¥18,240.6150": four decimal places if the amount has parts of a cent, else two."""
    sign, figure, rest = split(units)
    if signed and units > 0:
        sign = "+"
    return f"{sign}{symbol(currency)}{figure}{rest}"


def exact(units: int, *, signed: bool = False) -> str:
    """Return "−32.7600": always with four decimal places, for columns."""
    sign = MINUS if units < 0 else "+" if signed and units > 0 else ""
    return sign + number_format(as_decimal(abs(units)), decimal_pos=4, force_grouping=True)


def rounded(units: int, currency: str = "") -> str:
    """Return "¥174.80": rounded to the cent, for rates and axes."""
    cents = (abs(units) * 100 + UNITS // 2) // UNITS
    figure = number_format(as_decimal(cents * 100), decimal_pos=2, force_grouping=True)
    return (MINUS if units < 0 else "") + symbol(currency) + figure


def mode_word(mode: str) -> str:
    """Return a sub-mode's name. An unknown sub-mode is returned as the gateway wrote it."""
    if mode == "?":
        return _("not readable")
    return str(MODE_WORDS.get(mode, mode)) if mode else ""


def kind_word(kind: str, back: int = 0) -> str:
    """Return what an entry did. `back`: the units of the hold that the entry returned."""
    if kind == "settle" and back > 0:
        return _("Charged, rest returned")
    return str(KIND_WORDS.get(kind, kind))


def state_word(state: str) -> tuple[str, str]:
    """Return the label of a message's state and the class of its chip."""
    word, chip = STATE_WORDS.get(state, (state, ""))
    return str(word), chip


def status_word(status: str) -> tuple[str, str, str]:
    """Return the label of a wallet's status, the class of its chip, and its icon."""
    return {
        "open": (pgettext("state", "Open"), "chip--ok", "check"),
        "frozen": (_("Frozen"), "chip--warn", "ac_unit"),
        "closed": (_("Closed"), "", "lock"),
        "recovering": (_("Safe mode"), "chip--info", "sync"),
        "missing": (_("No data"), "chip--bad", "error"),
    }.get(status, (status, "", ""))
