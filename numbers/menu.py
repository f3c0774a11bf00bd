"""The entries of the numbers' pages in the sidebar."""

from django.utils.translation import gettext_lazy as _

from poolsite import access
from poolsite.access import Principal
from poolsite.console import navigation
from poolsite.console.navigation import MenuEntry
from poolsite.console.page_words import register_page_word


def register() -> None:
    """Register the entries. Called once, in AppConfig.ready()."""
    for page, word in (
        ("numbers:pool", _("Open pool")),
        ("numbers:pool#sizing", _("Open sizing")),
        ("numbers:number", _("Open number")),
        ("numbers:pool_health", _("Open health")),
        ("numbers:imports", _("Open imports")),
        ("numbers:twins", _("Open duplicates")),
    ):
        register_page_word(page, word)
    navigation.register(
        MenuEntry(
            *("pools", _("Pools"), "numbers:pools", "apps"),
            section="numbers",
            order=100,
            actions=("numbers.view",),
            incidents=("numbers.",),
            key="p",
            match=(
                *("numbers:pool", "numbers:pool_settings", "numbers:pool_create"),
                *("numbers:pool_health", "numbers:spam_labels"),
                *("numbers:health_rules", "numbers:health_rule", "numbers:health_rule_new"),
            ),
        )
    )
    navigation.register(
        MenuEntry(
            *("who_had", _("Call lookup"), "numbers:who_had", "person_search"),
            section="numbers",
            order=400,
            actions=("numbers.view",),
            key="w",
        )
    )
    navigation.register(
        MenuEntry(
            *("numbers", _("Numbers"), "numbers:numbers", "dialpad"),
            section="numbers",
            order=200,
            actions=("numbers.view",),
            key="n",
            match=("numbers:number", "numbers:twins"),
        )
    )
    navigation.register(
        MenuEntry(
            *("imports", _("Imports"), "numbers:imports", "upload_file"),
            section="numbers",
            order=210,
            actions=("numbers.view",),
            key="j",
            suits=_imports,
        )
    )


def _imports(principal: Principal) -> bool:
    """Whether to show imports: to operators, and to users who may operate a pool."""
    return principal.is_operator or access.decide(principal, "numbers.operate").allowed
