"""The names of people who did something, as other people know them."""

from collections.abc import Iterable

from poolsite.console.sentences import Names


def names_of(actors: Iterable[str]) -> dict[str, str]:
    """Map user names to the names that pages show; a name of no user stays as it is."""
    wanted = set(actors)
    names = Names(wanted)
    return {name: names.of(name) for name in wanted}
