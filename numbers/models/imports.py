"""Imports of numbers: the file's rows, what each became, and what can be undone."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.jobs.models import Job


class NumberImport(models.Model):
    """One file on its way into one pool. `job` is the work that it waits for, or waited for last."""

    class State(models.TextChoices):
        READING = "reading", _("Reading")
        PREVIEWED = "previewed", _("To be confirmed")
        IMPORTING = "importing", _("Importing")
        DONE = "done", _("Done")
        UNDOING = "undoing", _("Undoing")
        UNDONE = "undone", _("Undone")
        DISCARDED = "discarded", _("Discarded")
        FAILED = "failed", _("Failed")

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="imports", verbose_name=_("pool"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    job = models.ForeignKey(Job, models.SET_NULL, null=True, blank=True, related_name="+")
    file_name = models.CharField(_("file"), max_length=200)
    file_path = models.CharField(max_length=400)
    state = models.CharField(
        _("state"), max_length=12, choices=State.choices, default=State.READING
    )
    problem = models.CharField(_("problem"), max_length=300, blank=True)
    rows_as_they_are = models.PositiveIntegerField(_("new, as they are"), default=0)
    rows_cleaned = models.PositiveIntegerField(_("new, cleaned up"), default=0)
    rows_refused = models.PositiveIntegerField(_("cannot be taken"), default=0)
    imported = models.PositiveIntegerField(_("imported"), default=0)
    warnings = models.JSONField(_("warnings"), default=list)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        """How people name it, e.g. imp-0412."""
        return f"imp-{self.pk:04d}"

    @property
    def account_id(self) -> int | None:
        """The tenant, told by the pool."""
        return self.pool.account_id

    @property
    def access_ref(self) -> str:
        """Grants and tokens name the pool."""
        return f"pool:{self.pool.slug}"

    @property
    def rows_to_import(self) -> int:
        """How many numbers the confirm button names."""
        return self.rows_as_they_are + self.rows_cleaned


class ImportRow(models.Model):
    """One row of the file: what stood there, what it becomes, or why it cannot be taken."""

    class Kind(models.TextChoices):
        AS_IT_IS = "a", _("as it is")
        CLEANED = "c", _("cleaned up")
        REFUSED = "r", _("cannot be taken")

    number_import = models.ForeignKey(
        NumberImport, models.CASCADE, related_name="rows", db_index=False
    )
    row = models.PositiveIntegerField(_("row"))
    kind = models.CharField(_("kind"), max_length=1, choices=Kind.choices)
    raw = models.CharField(_("in the file"), max_length=300, blank=True)
    value = models.CharField(_("number"), max_length=NUMBER_LENGTH, blank=True)
    label = models.CharField(_("label"), max_length=120, blank=True)
    region = models.CharField(_("region"), max_length=80, blank=True)
    why = models.CharField(_("why"), max_length=200, blank=True)
    bad_start = models.PositiveSmallIntegerField(default=0)
    bad_end = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("import row")
        verbose_name_plural = _("import rows")
        constraints = [
            models.UniqueConstraint(
                fields=["number_import", "row"], name="numbers_import_row_once"
            )
        ]
        indexes = [
            models.Index(fields=["number_import", "kind", "row"], name="numbers_import_kind")
        ]

    def __str__(self) -> str:
        return f"{self.row}: {self.raw}"

    @property
    def parts(self) -> tuple[str, str, str]:
        """The raw text before, in and after its bad part, for a page to mark."""
        return (
            self.raw[: self.bad_start],
            self.raw[self.bad_start : self.bad_end],
            self.raw[self.bad_end :],
        )
