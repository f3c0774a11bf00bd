"""Django's entry for the number pools."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NumbersConfig(AppConfig):
    name = "numbers"
    label = "numbers"
    verbose_name = _("Numbers")

    def ready(self) -> None:
        import numbers.pool.scripts  # noqa: F401  registers the Lua scripts
