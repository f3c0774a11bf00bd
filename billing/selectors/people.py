"""Who did something, by the name that people know them by."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from poolsite.access.models import User

SEED = "demo_data"  # who made the demo's past


def names_of(actors: Iterable[str]) -> dict[str, str]:
    """User names with the names that pages show for them; what is no user's name stays as it is."""
    wanted = set(actors)
    found = {name: name for name in wanted}
    for user in User.objects.filter(username__in=wanted):
        found[user.get_username()] = user.get_full_name() or user.get_username()
    if found.get(SEED) == SEED:
        found[SEED] = _("Demo data")
    return found
