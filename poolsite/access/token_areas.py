"""The areas, permissions and purposes of API tokens that apps register.

Each app describes in its rules what its actions mean for a token. An action that is open to tokens
but has no entry here can be given by services and `manage.py token`, not on the page.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account

SHOWN_THINGS = 50  # of one kind; others are entered in the text field


@dataclass(frozen=True)
class Example:
    """A request that a token with the permission may send; `{slug}` in `path` is the object's."""

    method: str
    path: str
    body: str = ""


@dataclass(frozen=True)
class TokenRight:
    """One permission: its action, what it lets a token do (a verb first), the events it sends."""

    action: str
    label: Any
    example: Example
    events: tuple[str, ...] = ()
    erases: bool = False


@dataclass(frozen=True)
class TokenArea:
    """A part of the product: its kind of objects and their permissions.

    noun: "Pools". all_things: "All pools". choose: "Choose at least one pool." slug, name: paths to
    the columns. single: the name of the object where an account only ever has one.
    """

    kind: str
    title: Any
    noun: Any
    all_things: Any
    choose: Any
    things: Callable[[], QuerySet[Any]]
    rights: tuple[TokenRight, ...]
    order: int
    slug: str = "slug"
    name: str = "name"
    single: Any = ""

    def of_account(self, account: Account | None) -> list[tuple[str, str]]:
        """Return slugs and names of the account's objects (None: all), one more than are shown."""
        rows = self.things()
        if account is not None:
            rows = rows.filter(account=account)
        return list(rows.order_by(self.name).values_list(self.slug, self.name)[: SHOWN_THINGS + 1])


@dataclass(frozen=True)
class TokenPurpose:
    """A preset for what will use the token. everything: it starts with all objects of its kinds."""

    key: str
    title: Any
    text: Any
    icon: str
    actions: tuple[str, ...]
    order: int
    everything: bool = False


_AREAS: dict[str, TokenArea] = {}
_PURPOSES: dict[str, TokenPurpose] = {}


def register_area(area: TokenArea, *purposes: TokenPurpose) -> None:
    """Add an app's area and its purposes; the same names replace earlier ones."""
    _AREAS[area.kind] = area
    for purpose in purposes:
        _PURPOSES[purpose.key] = purpose


def areas() -> list[TokenArea]:
    """Return every area in the order of the page."""
    return sorted(_AREAS.values(), key=lambda area: area.order)


def purposes() -> list[TokenPurpose]:
    """Return every purpose in the order of the page."""
    return sorted([*_PURPOSES.values(), _reports()], key=lambda purpose: purpose.order)


def rights() -> dict[str, TokenRight]:
    """Return every permission by its action, in the order of the page."""
    return {right.action: right for area in areas() for right in area.rights}


def areas_of(actions: Iterable[str]) -> list[TokenArea]:
    """Return the areas that contain one of these actions."""
    wanted = set(actions)
    return [area for area in areas() if any(right.action in wanted for right in area.rights)]


def events_of(actions: Iterable[str]) -> list[str]:
    """Return the events that these actions send."""
    wanted = set(actions)
    wanted_rights = (right for right in rights().values() if right.action in wanted)
    return sorted({event for right in wanted_rights for event in right.events})


def _reports() -> TokenPurpose:
    """Return the purpose that reads figures everywhere and changes nothing."""
    return TokenPurpose(
        "reports",
        _("Monitoring"),
        _("Reads figures and changes nothing"),
        "monitoring",
        tuple(action for action in rights() if action.endswith(".view")),
        order=60,
        everything=True,
    )
