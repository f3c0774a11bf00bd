"""Updates SQL when the history shows that a recovering pool is open again."""

from numbers.models import Pool
from poolsite.operations import incidents

INCIDENT = "numbers.recovering"


def note_opened(pool_id: int) -> None:
    """Close the incident and clear the pool's mark."""
    Pool.all_objects.filter(pk=pool_id).update(recovering_since=None)
    slug = Pool.all_objects.values_list("slug", flat=True).get(pk=pool_id)
    incidents.close(type=INCIDENT, object=slug)
