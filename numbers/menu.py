"""The sidebar's entries of the list of numbers and of the imports."""

from django.utils.translation import gettext_lazy as _

from poolsite.operations import navigation
from poolsite.operations.navigation import Entry


def register() -> None:
    """Called once, by AppConfig.ready()."""
    navigation.register(
        Entry(
            "numbers",
            _("Numbers"),
            "numbers:numbers",
            "dialpad",
            section="numbers",
            order=200,
            actions=("numbers.view",),
            key="n",
            match=("numbers:number",),
        )
    )
    navigation.register(
        Entry(
            "imports",
            _("Imports"),
            "numbers:imports",
            "upload_file",
            section="numbers",
            order=210,
            actions=("numbers.view",),
            key="i",
        )
    )
