"""A desk's limits for the files of its rooms."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class TakesFiles(models.Model):
    """A desk's settings for files.

    Each has a default for rows that the previous release creates.
    """

    class Kinds(models.TextChoices):
        ALL = "all", _("pictures and PDF")
        IMAGES = "images", _("pictures")
        PDF = "pdf", _("PDF")

    attachment_mb = models.PositiveSmallIntegerField(
        _("file size limit (MB)"),
        default=10,
        db_default=10,
        validators=[MaxValueValidator(25)],
        help_text=_("0: no files can be sent."),
    )
    attachment_kinds = models.CharField(
        _("allowed file types"),
        max_length=6,
        choices=Kinds.choices,
        default="all",
        db_default="all",
    )
    attachments_per_visit = models.PositiveSmallIntegerField(
        _("files per visit"),
        default=20,
        db_default=20,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
        help_text=_("Counted separately for the visitor and the agents."),
    )
    attachment_day_mb = models.PositiveIntegerField(
        _("daily file limit (MB)"),
        default=2_000,
        db_default=2_000,
        validators=[MinValueValidator(1), MaxValueValidator(1_000_000)],
        help_text=_(
            "One limit for all visitors together and another of the same size for all agents."
        ),
    )

    class Meta:
        abstract = True
