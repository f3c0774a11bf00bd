"""The gates' entry of the sidebar."""

from django.utils.translation import gettext_lazy as _

from poolsite.console import navigation
from poolsite.console.navigation import MenuEntry
from poolsite.console.page_words import register_page_word
from queueing.admission import selectors


def register() -> None:
    """Register the entry. AppConfig.ready() calls this once."""
    for page, word in (
        ("admission:gate", _("Open gate")),
        ("admission:batches", _("Open batches")),
        ("admission:batch", _("Open batch")),
    ):
        register_page_word(page, word)
    navigation.register(
        MenuEntry(
            *("gates", _("Gates"), "admission:gates", "traffic"),
            section="queueing",
            order=200,
            actions=("admission.view",),
            incidents=("admission.",),
            key="t",
            suits=selectors.GATES.has_any,
            match=(
                *("admission:gate", "admission:gate_create", "admission:gate_settings"),
                *("admission:batches", "admission:batch", "admission:holders"),
            ),
        )
    )
