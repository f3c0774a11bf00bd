"""A file of a message: a picture or a PDF. Its bytes are in a storage, not in SQL."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath.rows import PartRow
from queueing.line.models.desks import Desk
from queueing.line.models.visits import Message, Visit


class Attachment(PartRow):
    """One file. Its row is there before the file is, and until the file is gone.

    `file` is its name in the storage, by chance and never the sender's; `name` is the sender's, for
    people to read. The message is no foreign key to the database: the release before, which may
    run beside this one, erases messages without knowing of files.
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
    look_at = models.DateTimeField(_("check at"))  # when the sweep removes what is not kept

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
        """Whether a page may show it; anything else is saved, not shown."""
        return self.kind.startswith("image/")
