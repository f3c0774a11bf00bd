"""The parts of a message that decide its price: texts and sizes, never the recipient."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from billing.pricing.modes import (
    NATIVE_CARD,
    NATIVE_SESSION,
    NATIVE_TEXT,
    VIDEO,
    YUEXIN_RESOLVED,
    YUEXIN_UNRESOLVED,
)

if TYPE_CHECKING:
    from billing.models import Template


@dataclass(frozen=True, slots=True)
class Content:
    """Texts as they are sent (a Yuexin text with its link), and sizes in whole kB."""

    text: str = ""
    yuexin_text: str = ""
    card_kilobytes: int = 0
    video_kilobytes: int = 0

    def text_of(self, mode: str) -> str:
        """Return the text that a sub-mode sends."""
        if mode in (YUEXIN_RESOLVED, YUEXIN_UNRESOLVED):
            return self.yuexin_text
        return self.text if mode in (NATIVE_TEXT, NATIVE_CARD, NATIVE_SESSION) else ""

    def kilobytes_of(self, mode: str) -> int:
        """Return the size that a sub-mode sends, in whole kB. Texts are measured in UTF-8."""
        if mode == VIDEO:
            return self.video_kilobytes
        if mode in (NATIVE_CARD, YUEXIN_RESOLVED):
            return self.card_kilobytes
        return -(-len(self.text_of(mode).encode("utf-8", "replace")) // 1024)


def content_of(template: "Template") -> Content:
    """Return a template's content. Its link is part of the Yuexin text."""
    text, link = template.yuexin_text, template.yuexin_link
    if link and link not in text:
        text = f"{text} {link}".strip()
    return Content(
        text=template.native_text,
        yuexin_text=text,
        card_kilobytes=template.card_kilobytes,
        video_kilobytes=template.video_kilobytes,
    )


def missing_of(template: "Template") -> list[str]:
    """Return what a template lacks to reach every terminal, as texts. [] means it is complete."""
    missing = []
    if not template.native_text.strip():
        missing.append(_("the native message"))
    if template.native_kind == "card" and not template.card_kilobytes:
        missing.append(_("the card"))
    if not template.yuexin_text.strip() or not template.yuexin_link:
        missing.append(_("the Yuexin text with its link"))
    elif not template.link_registered:
        missing.append(_("the link registration with handset makers"))
    if not template.video_subject.strip() or not template.video_kilobytes:
        missing.append(_("the video message"))
    return missing
