"""Django's entry for the admission gates."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AdmissionConfig(AppConfig):
    name = "queueing.admission"
    label = "admission"
    verbose_name = _("Gates")

    def ready(self) -> None:
        import queueing.admission.gate.scripts  # noqa: F401  registers the scripts
        from queueing.admission import rules

        rules.register()
