"""The platform's card on the overview."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite.console import Card, CardData, register_card
from poolsite.console.registry import Figure
from poolsite.operations import health


def register() -> None:
    """Register the card. AppConfig.ready() calls this once."""
    register_card(
        Card(
            "system",
            gettext_lazy("System"),
            system_card,
            order=90,
            url="/system/",
            icon="monitor_heart",
        )
    )


def system_card(principal: Any) -> CardData | None:
    """Return a card of the platform's health: each check with a figure or a problem.

    Return None for users who aren't operators.
    """
    if not principal.is_operator:
        return None
    answers = [each for each in health.read().answers if each.finding.value or each.trouble]
    figures = [
        Figure(
            str(answer.check.label),
            str(answer.finding.value or _("Failed")),
            str(answer.finding.unit),
            severity=answer.severity,
        )
        for answer in answers
    ]
    worst = min((each.severity for each in answers if each.severity), default="")
    return CardData(figures, severity=worst, url=health.PAGE)
