"""The switches of a pool, as pages and the API list them."""

from django.db.models import QuerySet

from numbers.models import Pool, Switch, SwitchKind


def switches_of(pool: Pool) -> QuerySet[Switch]:
    """Every switch of the pool, with its token, by name."""
    return Switch.objects.filter(pool=pool).select_related("token", "pool").order_by("name")


def media_not_chosen(pool: Pool) -> list[str]:
    """Return the names of switches that are treated as media servers although no one chose so.

    They existed before switches had a kind. A proxy among them would lend numbers twice.
    """
    rows = Switch.objects.filter(pool=pool, kind=SwitchKind.MEDIA, kind_chosen=False)
    return list(rows.order_by("name").values_list("name", flat=True))
