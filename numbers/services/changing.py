"""Changes the fields of a number that only SQL stores: label, notes, region, carrier, tags."""

from collections.abc import Sequence

from django.db import transaction

from numbers.models import Number
from numbers.services.adding import clean_tags, tag_rows
from poolsite import access
from poolsite.access.services.actor import Actor, clean_reason, require


def number_change(
    *,
    actor: Actor,
    number: Number,
    label: str | None = None,
    notes: str | None = None,
    region: str | None = None,
    carrier: str | None = None,
    tags: Sequence[str] | None = None,
    reason: str = "",
) -> Number:
    """Change the fields that only SQL stores. None leaves a field as it is."""
    require(actor, "numbers.operate", number.pool)
    given = {"label": label, "notes": notes, "region": region, "carrier": carrier}
    with transaction.atomic():
        row = Number.objects.select_for_update(of=("self",)).get(pk=number.pk)
        changed = {
            name: value
            for name, value in given.items()
            if value is not None and value != getattr(row, name)
        }
        before: dict[str, object] = {name: getattr(row, name) for name in changed}
        after: dict[str, object] = dict(changed)
        for name, value in changed.items():
            setattr(row, name, value)
        row.full_clean(exclude=["pool"], validate_unique=False, validate_constraints=False)
        if changed:
            row.save(update_fields=list(changed))
        if tags is not None:
            before["tags"], after["tags"] = _retag(row, tags)
        if before != after:
            access.audit(
                actor=actor,
                action="numbers.number_change",
                thing=number.pool,
                label=row.value,
                before=before,
                after=after,
                reason=clean_reason(reason),
            )
    return row


def _retag(row: Number, tags: Sequence[str]) -> tuple[list[str], list[str]]:
    before = sorted(row.tags.values_list("tag", flat=True))
    after = clean_tags(tags)
    if before != after:
        row.tags.exclude(tag__in=after).delete()
        tag_rows([row], after)
    return before, after
