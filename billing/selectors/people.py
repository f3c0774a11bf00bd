"""Who did something, by the name that people know them by."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from poolsite.operations.sentences import Names

SEED = "demo_data"  # who made the demo's past


def names_of(actors: Iterable[str]) -> dict[str, str]:
    """User names with the names that pages show for them; what is no user's name stays as it is."""
    wanted = set(actors)
    names = Names(wanted)
    found = {name: names.of(name) for name in wanted}
    if found.get(SEED) == SEED:
        found[SEED] = _("Demo data")
    return found
