"""How the history takes changes of notice targets back."""

from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Principal
from poolsite.console import Undo, UndoHandler, register_way, through
from poolsite.console.kept_values import Values
from poolsite.operations.models import NoticeTarget
from poolsite.operations.services import change_target

RIGHT = "operations.targets_change"


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_way(
        UndoHandler(
            Undo(
                "operations.target_change",
                through(change_target, "target"),
                refusal=_why_not_told_of,
            ),
            "noticetarget",
            NoticeTarget.objects.select_related("account").all,
            lambda _entry: RIGHT,
        )
    )


def _why_not_told_of(principal: Principal, _target: NoticeTarget, values: Values) -> str:
    """Nobody has an address told of more than he or she may hear."""
    if "account" not in values:
        return ""
    if access.decide(principal, RIGHT, NoticeTarget(account=values["account"])).allowed:
        return ""
    return _("The recipient would get alerts that you can't access.")
