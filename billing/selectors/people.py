"""Who did something, by the name that people know them by."""

from collections.abc import Iterable

from poolsite.console.sentences import Names


def names_of(actors: Iterable[str]) -> dict[str, str]:
    """User names with the names that pages show for them; what is no user's name stays as it is."""
    wanted = set(actors)
    names = Names(wanted)
    return {name: names.of(name) for name in wanted}
