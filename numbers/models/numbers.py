"""The numbers of a pool in SQL."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers.fields import AsciiField, NullableAsciiField
from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.hotpath.rows import PartRow


class Number(PartRow):
    """A telephone number. It belongs to one pool only, so two pools never call with it at once."""

    part_of = "pool"

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="numbers", db_index=False)
    # `value` is the format under which Redis knows the number. `canonical` is its identity, the
    # same for every format. A duplicate has no `canonical`: it stays quarantined until an operator
    # merges the two.
    value = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    canonical = NullableAsciiField(
        _("canonical form"), max_length=NUMBER_LENGTH, null=True, blank=True, editable=False
    )
    twin_of = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="twins",
        db_index=False,
        verbose_name=_("duplicate of"),
    )
    label = models.CharField(_("label"), max_length=120, blank=True)
    notes = models.TextField(_("notes"), blank=True)
    region = models.CharField(_("region"), max_length=80, blank=True)
    carrier = models.CharField(_("carrier"), max_length=80, blank=True)
    import_id = models.PositiveBigIntegerField(_("import"), null=True, blank=True)
    is_up = models.BooleanField(
        _("registered"), default=False, editable=False, help_text=_("As recorded in the history.")
    )
    contact = models.CharField(_("contact"), max_length=256, blank=True, editable=False)
    quarantined_at = models.DateTimeField(_("quarantined at"), null=True, blank=True)
    quarantined_by = models.CharField(_("quarantined by"), max_length=150, blank=True)
    quarantined_reason = models.CharField(_("quarantine reason"), max_length=200, blank=True)
    quarantined_until = models.DateTimeField(_("quarantined until"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("number")
        verbose_name_plural = _("numbers")
        constraints = [
            models.UniqueConstraint(fields=["value"], name="numbers_value_once"),
            models.UniqueConstraint(fields=["canonical"], name="numbers_canonical_once"),
        ]
        indexes = [
            models.Index(fields=["pool", "value"], name="numbers_by_pool"),
            models.Index(fields=["pool", "region", "value"], name="numbers_by_pool_region"),
            models.Index(fields=["region", "value"], name="numbers_by_region"),
            models.Index(
                fields=["pool", "value"],
                name="numbers_quarantined",
                condition=Q(quarantined_at__isnull=False),
            ),
            models.Index(
                fields=["import_id", "value"],
                name="numbers_by_import",
                condition=Q(import_id__isnull=False),
            ),
            models.Index(
                fields=["twin_of"],
                name="numbers_twins",
                condition=Q(twin_of__isnull=False),
            ),
            models.Index(
                fields=["value"],
                name="numbers_no_canonical",
                condition=Q(canonical__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.value


class NumberTag(models.Model):
    """One tag of a number, with the columns by which a list filtered by it is ordered."""

    number = models.ForeignKey(Number, models.CASCADE, related_name="tags", db_index=False)
    tag = models.CharField(_("tag"), max_length=40)
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    value = AsciiField(_("number"), max_length=NUMBER_LENGTH)

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        constraints = [
            models.UniqueConstraint(fields=["number", "tag"], name="numbers_tag_once"),
        ]
        indexes = [
            models.Index(fields=["tag", "value"], name="numbers_by_tag"),
            models.Index(fields=["pool", "tag", "value"], name="numbers_by_pool_tag"),
        ]

    def __str__(self) -> str:
        return self.tag


class UnconfirmedNumber(models.Model):
    """A number in SQL that a script added. Redis doesn't know yet that it belongs to this pool."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="unconfirmed")
    value = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    added_us = models.BigIntegerField(_("added at, µs"))

    class Meta:
        verbose_name = _("unconfirmed number")
        verbose_name_plural = _("unconfirmed numbers")
        constraints = [
            models.UniqueConstraint(fields=["pool", "value"], name="numbers_unconfirmed_once"),
        ]

    def __str__(self) -> str:
        return self.value
