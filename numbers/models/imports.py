"""Imports of numbers: the file, the result of each of its rows, and whether it can be undone."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from numbers.fields import AsciiField
from numbers.models import import_reasons as reasons
from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.hotpath.rows import PartRow
from poolsite.jobs.models import Job
from poolsite.table_sentences import said

RAW_LENGTH = 300


class NumberImport(PartRow):
    """The import of one file into one pool. `job` is its current or latest job.

    `next_row` and `pending` record how far SQL is ahead of Redis, so that any worker can continue
    where another was killed.
    """

    part_of = "pool"

    class State(models.TextChoices):
        READING = "reading", gettext_lazy("Reading")
        PREVIEWED = "previewed", gettext_lazy("Awaiting confirmation")
        IMPORTING = "importing", gettext_lazy("Importing")
        DONE = "done", gettext_lazy("Done")
        UNDOING = "undoing", gettext_lazy("Undoing")
        UNDONE = "undone", gettext_lazy("Undone")
        DISCARDED = "discarded", gettext_lazy("Discarded")
        FAILED = "failed", gettext_lazy("Failed")
        STOPPED = "stopped", gettext_lazy("Stopped")  # never stored: the import's job was stopped

    UNDER_WAY = (State.READING, State.IMPORTING, State.UNDOING)

    pool = models.ForeignKey(
        Pool, models.PROTECT, related_name="imports", verbose_name=gettext_lazy("pool")
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    actor_name = models.CharField(gettext_lazy("by"), max_length=150, blank=True)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, blank=True, related_name="+")
    file_name = models.CharField(gettext_lazy("file"), max_length=200)
    state = models.CharField(
        gettext_lazy("state"), max_length=12, choices=State.choices, default=State.READING
    )
    problem = models.CharField(gettext_lazy("problem"), max_length=300, blank=True)
    rows_as_they_are = models.PositiveIntegerField(gettext_lazy("new, unchanged"), default=0)
    rows_cleaned = models.PositiveIntegerField(gettext_lazy("new, cleaned up"), default=0)
    rows_suspicious = models.PositiveIntegerField(
        gettext_lazy("suspicious"), default=0, db_default=0
    )
    rows_refused = models.PositiveIntegerField(gettext_lazy("can't be imported"), default=0)
    imported = models.PositiveIntegerField(gettext_lazy("imported"), default=0)
    removed = models.PositiveIntegerField(gettext_lazy("removed"), default=0)
    twins = models.PositiveIntegerField(gettext_lazy("with and without +"), default=0)
    next_row = models.PositiveIntegerField(default=0, editable=False)
    pending = models.JSONField(default=list, editable=False)
    created_at = models.DateTimeField(gettext_lazy("created at"), auto_now_add=True)
    finished_at = models.DateTimeField(gettext_lazy("finished at"), null=True, blank=True)

    class Meta:
        verbose_name = gettext_lazy("import")
        verbose_name_plural = gettext_lazy("imports")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.public_id

    @property
    def problem_said(self) -> str:
        """Why the file could not be read, in the user's language."""
        return said(self.problem)

    @property
    def public_id(self) -> str:
        """The ID that pages show, for example imp-0412."""
        return f"imp-{self.pk:04d}"

    @property
    def rows_to_import(self) -> int:
        """The number of rows that the confirm button shows."""
        return self.rows_as_they_are + self.rows_cleaned

    @property
    def rows(self) -> int:
        """Every row of the file except the header."""
        return self.rows_to_import + self.rows_left_out

    @property
    def rows_left_out(self) -> int:
        """Rows that give no number."""
        return self.rows_suspicious + self.rows_refused

    @property
    def shown_state(self) -> "NumberImport.State":
        """The state to show. An import in progress whose job ended is stopped."""
        if self.state in self.UNDER_WAY and self.job is not None and self.job.ended:
            return self.State.STOPPED
        return self.State(self.state)

    @property
    def state_word(self) -> str:
        """The shown state in the user's language."""
        return str(self.shown_state.label)

    @property
    def can_confirm(self) -> bool:
        """Whether the import can be confirmed. One that stopped on the way can continue."""
        stopped = self.shown_state == self.State.STOPPED and self.state == self.State.IMPORTING
        return stopped or (self.state == self.State.PREVIEWED and self.rows_to_import > 0)

    @property
    def can_undo(self) -> bool:
        """Whether all numbers of the import can be deleted again."""
        stopped = self.shown_state == self.State.STOPPED and self.state != self.State.READING
        return stopped or (self.state == self.State.DONE and self.imported > 0)

    @property
    def can_discard(self) -> bool:
        """Whether the import can be discarded, because it added no number."""
        stopped = self.shown_state == self.State.STOPPED and self.state == self.State.READING
        return stopped or self.state in (self.State.PREVIEWED, self.State.FAILED)


class ImportPart(models.Model):
    """A piece of an uploaded file, in SQL so that a worker on any machine can read it.

    Deleted when the file's rows are staged.
    """

    number_import = models.ForeignKey(
        NumberImport, models.CASCADE, related_name="parts", db_index=False
    )
    place = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        verbose_name = gettext_lazy("file part")
        verbose_name_plural = gettext_lazy("file parts")
        constraints = [
            models.UniqueConstraint(
                fields=["number_import", "place"], name="numbers_import_part_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number_import_id}/{self.place}"


class ImportRow(models.Model):
    """One row of the file: its text, its number, or why it can't be imported.

    `why` is a code with its argument after a colon. For a cleaned-up row it is a list of changes.
    The texts for suspicious and refused rows are in numbers/models/import_reasons.py.
    """

    class Kind(models.TextChoices):
        AS_IT_IS = "a", gettext_lazy("not changed")
        CLEANED = "c", gettext_lazy("cleaned up")
        SUSPICIOUS = "s", gettext_lazy("suspicious")
        REFUSED = "r", gettext_lazy("can't be imported")

    TAKEN = (Kind.AS_IT_IS, Kind.CLEANED)
    COUNTRY_CODE = reasons.COUNTRY_CODE

    number_import = models.ForeignKey(
        NumberImport, models.CASCADE, related_name="staged", db_index=False
    )
    row = models.PositiveIntegerField(gettext_lazy("row"))
    kind = models.CharField(gettext_lazy("type"), max_length=1, choices=Kind.choices)
    raw = models.CharField(gettext_lazy("in the file"), max_length=RAW_LENGTH, blank=True)
    value = AsciiField(gettext_lazy("number"), max_length=NUMBER_LENGTH, blank=True)
    label = models.CharField(gettext_lazy("label"), max_length=120, blank=True)
    region = models.CharField(gettext_lazy("region"), max_length=80, blank=True)
    why = models.CharField(gettext_lazy("why"), max_length=120, blank=True)
    bad_start = models.PositiveSmallIntegerField(default=0)
    bad_end = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = gettext_lazy("import row")
        verbose_name_plural = gettext_lazy("import rows")
        constraints = [
            models.UniqueConstraint(fields=["number_import", "row"], name="numbers_import_row_once")
        ]
        indexes = [
            models.Index(fields=["number_import", "kind", "row"], name="numbers_import_kind")
        ]

    def __str__(self) -> str:
        return f"{self.row}: {self.raw}"

    @property
    def reason(self) -> str:
        """Why the row is left out, or what was cleaned up, in the user's language."""
        return reasons.reason_of(self.why, cleaned=self.kind == self.Kind.CLEANED)

    @property
    def remedy(self) -> str:
        """What to write instead, in the user's language, or "" if there is no general answer."""
        return reasons.remedy_of(self.why)

    @property
    def parts(self) -> tuple[str, str, str]:
        """The raw text before, in and after its bad part, for a page to highlight."""
        return (
            self.raw[: self.bad_start],
            self.raw[self.bad_start : self.bad_end],
            self.raw[self.bad_end :],
        )
