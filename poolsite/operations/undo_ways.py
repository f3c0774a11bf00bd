"""How the history undoes changes of alert recipients."""

from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Principal
from poolsite.console import Undo, UndoHandler, register_way, through
from poolsite.console.kept_values import Values
from poolsite.operations.models import NoticeTarget
from poolsite.operations.services import change_target

RIGHT = "operations.targets_change"


def register() -> None:
    """Register the undo handler. AppConfig.ready() calls this once."""
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
    """Return why the change can't be undone: the user must be allowed to see what is emailed."""
    if "account" not in values:
        return ""
    if access.decide(principal, RIGHT, NoticeTarget(account=values["account"])).allowed:
        return ""
    return _("The recipient would get alerts that you can't access.")
