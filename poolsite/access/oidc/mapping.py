"""The rights that the provider's groups give: reads and checks POOLSITE_OIDC_ROLES. No I/O."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings

ROLES = ("admin", "payer", "sender", "supervisor", "agent")
GRANTS = ("operate", "supervise")
# These need a second person's approval, always: they are given in the console only.
BY_HAND = {
    "finance": "finance needs the approval of a second operator. Request it in the console",
    "owner": "an account must keep an owner. Name owners in the console",
}
OPERATOR = "operator"
THING = re.compile(r"[a-z]+:([a-z0-9-]{1,40}|\*)\Z")  # the same as in models.tenants


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """A right that a group gives.

    `operator` (sees everything), a grant (with `thing`: for this object only), or a role in the
    account with this slug.
    """

    name: str
    account: str = ""
    thing: str = ""


class MappingError(ValueError):
    """POOLSITE_OIDC_ROLES cannot be read; the text states why and names the group."""


def rights_of(groups: Iterable[str]) -> frozenset[Right]:
    """Return the rights of a member of these groups; groups without a mapping give none."""
    mapped = read(settings.OIDC_ROLES)
    return frozenset(right for group in groups for right in mapped.get(group, ()))


@lru_cache(maxsize=4)
def read(text: str) -> Mapping[str, frozenset[Right]]:
    """Return the mapping by group. Raise MappingError."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise MappingError(f"it is not JSON ({error})") from None
    if not isinstance(given, dict):
        raise MappingError('it must be an object such as {"noc": "operate"}')
    return {group: frozenset(_rights(group, value)) for group, value in given.items()}


def _rights(group: str, value: Any) -> Iterable[Right]:
    for each in value if isinstance(value, list) else [value]:
        yield _right(group, {"grant": each} if isinstance(each, str) else each)


def _right(group: str, given: Any) -> Right:
    if not isinstance(given, dict) or not all(isinstance(each, str) for each in given.values()):
        raise MappingError(f"group {group!r}: {given!r} is not a right")
    for name in (given.get("grant"), given.get("role")):
        if name in BY_HAND:
            raise MappingError(f"group {group!r}: {BY_HAND[name]}")
    keys = set(given)
    if keys == {"account", "role"} and given["account"]:
        return _known(group, Right(given["role"], account=given["account"]), ROLES)
    if keys == {"grant", "object"} and _is_thing(given["object"]):
        return _known(group, Right(given["grant"], thing=given["object"]), GRANTS)
    if keys == {"grant"}:
        return _known(group, Right(given["grant"]), (OPERATOR, *GRANTS))
    raise MappingError(
        f"group {group!r}: {json.dumps(given)} is not a right. Write "
        '"operator", "operate", {"account": "acme", "role": "admin"} or '
        '{"grant": "supervise", "object": "desk:support"}'
    )


def _known(group: str, right: Right, names: tuple[str, ...]) -> Right:
    if right.name not in names:
        raise MappingError(f"group {group!r}: {right.name!r} is not one of {', '.join(names)}")
    return right


def _is_thing(text: str) -> bool:
    return bool(THING.match(text))
