"""What a site needs to show a desk's chat."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from queueing.line.models import Desk, Queue, Widget


def widget_of(desk: Desk) -> Widget:
    """Return the desk's widget. If it was never set up, return an unsaved one with the defaults."""
    return Widget.objects.filter(desk=desk).first() or Widget(desk=desk)


def loader_config(queue: Queue) -> dict[str, Any]:
    """Return the data for a site's script. Public: it contains only what visitors can see."""
    widget = widget_of(queue.desk)
    return {
        "queue": queue.slug,
        "colour": widget.colour,
        "side": widget.side,
        "words": {code.lower(): _words(code) for code, _name in settings.LANGUAGES},
    }


def _words(language: str) -> dict[str, str]:
    """Return the texts of the script in one language."""
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
