"""What a site that shows a desk's chat is given."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from queueing.line.models import Desk, Queue, Widget


def widget_of(desk: Desk) -> Widget:
    """The desk's widget; where nobody has set it up, one with the defaults, not stored."""
    return Widget.objects.filter(desk=desk).first() or Widget(desk=desk)


def loader_config(queue: Queue) -> dict[str, Any]:
    """What the script of a site needs. Public: it says nothing that a visitor cannot see."""
    widget = widget_of(queue.desk)
    return {
        "queue": queue.slug,
        "colour": widget.colour,
        "side": widget.side,
        "words": {code.lower(): _words(code) for code, _name in settings.LANGUAGES},
    }


def _words(language: str) -> dict[str, str]:
    """What the script itself says, in one language."""
    with override(language):
        return {
            "open": _("Open the chat"),
            "close": _("Close the chat"),
            "chat": _("Chat"),
            "unread": _("Unread messages: %(n)s"),
            "now": _("now"),
            "refused": _("The chat can't be shown on this page."),
            "tab": _("Open it in a new tab"),
        }
