"""A file of a message: a picture or a PDF. The content is in a storage, not in SQL."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath.rows import PartRow
from queueing.line.models.desks import Desk
from queueing.line.models.visits import Message, Visit


class Attachment(PartRow):
    """A file. Its row exists before the file is stored, and until the file is deleted.

    `file` is the random name in the storage; `name` is the sender's, shown to people. The message
    has no foreign key constraint: the previous release, which may run at the same time, erases
    messages without knowing about files.
    """

    part_of = "desk"

    class State(models.TextChoices):
        UPLOADING = "uploading", _("uploading")
        KEPT = "kept", _("kept")
        REMOVING = "removing", _("removing")

    public_id = models.CharField(_("id"), max_length=32, unique=True)
    desk = models.ForeignKey(Desk, models.PROTECT, related_name="attachments")
    visit = models.ForeignKey(Visit, models.PROTECT, related_name="attachments")
    message = models.OneToOneField(
        Message, models.DO_NOTHING, null=True, db_constraint=False, related_name="attachment"
    )
    author = models.CharField(_("author"), max_length=10, choices=Message.Author.choices)
    client_id = models.CharField(_("client message ID"), max_length=40)
    state = models.CharField(
        _("state"), max_length=9, choices=State.choices, default=State.UPLOADING
    )
    file = models.CharField(_("storage name"), max_length=200)
    name = models.CharField(_("name"), max_length=100, blank=True)
    kind = models.CharField(_("type"), max_length=20)
    size = models.PositiveIntegerField(_("size (bytes)"))
    width = models.PositiveIntegerField(_("width"), default=0)
    height = models.PositiveIntegerField(_("height"), default=0)
    at = models.DateTimeField(_("at"), auto_now_add=True)
    look_at = models.DateTimeField(_("check at"))  # when the sweep removes a file that is not kept

    class Meta:
        verbose_name = _("attachment")
        verbose_name_plural = _("attachments")
        ordering = ["visit", "pk"]
        indexes = [
            models.Index(fields=["desk", "at"], name="line_attachment_day"),
            models.Index(
                fields=["look_at"],
                condition=~models.Q(state="kept"),
                name="line_attachment_due",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_picture(self) -> bool:
        """Whether a page may show it. Other files are only downloaded."""
        return self.kind.startswith("image/")
