"""The sidebar's entry of the gates."""

from django.utils.translation import gettext_lazy as _

from poolsite import access
from poolsite.access import Principal
from poolsite.console import navigation
from poolsite.console.navigation import Entry
from poolsite.console.page_words import register_page_word
from queueing.admission.models import Gate


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_page_word("admission:gate", _("Open gate"))
    register_page_word("admission:batches", _("Open batches"))
    register_page_word("admission:batch", _("Open batch"))
    navigation.register(
        Entry(
            "gates",
            _("Gates"),
            "admission:gates",
            "traffic",
            section="queueing",
            order=200,
            actions=("admission.view",),
            incidents=("admission.",),
            key="t",
            suits=_has_any,
            match=(
                *("admission:gate", "admission:gate_create", "admission:gate_settings"),
                *("admission:batches", "admission:batch", "admission:holders"),
            ),
        )
    )


def _has_any(principal: Principal) -> bool:
    """Most customers have none, and no entry for it."""
    if principal.is_operator:
        return True
    return access.visible(Gate.objects.all(), principal, "admission.view").exists()
