"""The actions on gates and batches, and who may do them."""

from django.utils.translation import gettext_lazy as _

from poolsite.access import register_action
from poolsite.access.token_areas import (
    Example,
    TokenArea,
    TokenPurpose,
    TokenRight,
    register_area,
)
from queueing.admission.models import Gate

VIEWERS = ("owner", "admin", "supervisor")


def register() -> None:
    """Register the actions. AppConfig.ready() calls this once."""
    register_action("admission.view", roles=VIEWERS, operators=True, tokens=True)
    register_action("admission.use", grants=["operate"], tokens=True)
    register_action("admission.batch", roles=("owner", "admin"), grants=["operate"], tokens=True)
    register_action("admission.operate", grants=["operate"])
    register_action("admission.create", grants=["operate"], everywhere=True)
    _register_tokens()


def _register_tokens() -> None:
    gate = "/api/v1/gates/{slug}"
    batch = (
        '{"name": "Test", "csv": "device\\ntest-1", "opens_at": "2027-01-01T00:00:00Z", '
        '"closes_at": "2027-01-02T00:00:00Z"}'
    )
    register_area(
        TokenArea(
            "gate",
            _("Gates"),
            _("Gates"),
            _("All gates"),
            _("Choose at least one gate."),
            Gate.objects.all,
            (
                TokenRight("admission.view", _("View gates"), Example("GET", gate)),
                TokenRight(
                    "admission.use",
                    _("Take and return permits"),
                    Example("POST", f"{gate}/acquire", '{"holder": "test-1"}'),
                ),
                TokenRight(
                    "admission.batch",
                    _("Run batch jobs"),
                    Example("POST", f"{gate}/batches", batch),
                ),
            ),
            order=40,
        ),
        TokenPurpose(
            "device",
            _("Devices"),
            _("Take permits from a gate and report results"),
            "devices",
            ("admission.use",),
            order=20,
        ),
    )
