"""The number list's filters: from the URL to a NumberFilter, and to the chips."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from numbers.models import NumberImport, Pool
from numbers.selectors import NumberFilter, stored_value, visible_numbers
from numbers.selectors import regions as regions_of
from numbers.selectors.imports import visible_imports
from numbers.selectors.lists import StateFilter
from numbers.selectors.lists import tags as tags_of
from numbers.selectors.spellings import typed_prefix, with_country
from poolsite.access import Principal

FIELDS = ("q", "pool", "region", "state", "tag", "import")
IMPORTS = 50
ROWS_AT_MOST = 100  # per page, and so selected at once
_IMPORT = re.compile(r"^(?:imp-)?0*(\d{1,18})$")


def states() -> list[tuple[StateFilter, str]]:
    """The states to filter by, with their labels."""
    return [
        ("idle+up", _("Idle")),
        ("busy+up", _("In call")),
        ("busy+down", _("In call, offline")),
        ("idle+down", _("Offline")),
        ("quarantined", _("Quarantined")),
    ]


@dataclass
class Filters:
    """The filters of a URL: `given` as written, `wanted` for the selector."""

    given: dict[str, str] = field(default_factory=dict)
    wanted: NumberFilter = field(default_factory=NumberFilter)

    @property
    def any(self) -> bool:
        """Whether any filter is set."""
        return any(self.given.values())

    def address(self, **changes: Any) -> str:
        """The list's URL with these filters and changes. Empty values are omitted."""
        values = {**self.given, **changes}
        kept = {name: value for name, value in values.items() if value not in (None, "")}
        return "?" + urlencode(sorted(kept.items()))

    def chips(self, kept: Mapping[str, Any]) -> list[dict[str, str]]:
        """One chip per filter: name, value, and the URL without it. `kept` stays in the URL."""
        words = dict(states())
        shown = {
            "pool": (_("Pool"), self.given["pool"]),
            "region": (_("Region"), self.given["region"]),
            "state": (_("State"), words.get(cast("StateFilter", self.given["state"]), "")),
            "tag": (_("Tag"), self.given["tag"]),
            "import": (_("Import"), self.given["import"]),
        }
        return [
            {"name": name, "value": value, "url": self.address(**{**kept, key: ""})}
            for key, (name, value) in shown.items()
            if value
        ]


def read_filters(query: QueryDict | dict[str, Any]) -> Filters:
    """Read the filters of a URL, or of a request's JSON. An invalid state or import is ignored."""
    given = {name: str(query.get(name) or "").replace("\x00", "")[:120].strip() for name in FIELDS}
    state = given["state"] if given["state"] in dict(states()) else ""
    given["state"] = state
    found = _IMPORT.match(given["import"])
    import_id = int(found[1]) if found else None
    given["import"] = NumberImport(pk=import_id).public_id if import_id is not None else ""
    wanted = NumberFilter(
        pool_slug=given["pool"],
        region=given["region"],
        tag=given["tag"],
        prefix=typed_prefix(given["q"]),
        state=state,
        import_id=import_id,
    )
    return Filters(given, wanted)


def other_forms(principal: Principal, wanted: NumberFilter) -> list[str]:
    """Other prefixes that may be meant: after the country code, or the stored form of a number."""
    prefix = wanted.prefix
    forms = [with_country(prefix), f"+{prefix}", stored_value(visible_numbers(principal), prefix)]
    return [form for form in dict.fromkeys(forms) if form != prefix and "?" not in form]


def with_prefix(wanted: NumberFilter, prefix: str) -> NumberFilter:
    """The same filter with another prefix."""
    return NumberFilter(
        wanted.pool_slug, wanted.region, wanted.tag, prefix, wanted.state, wanted.import_id
    )


def choices(principal: Principal, filters: Filters, pools: list[Pool]) -> dict[str, Any]:
    """The options of the filter dialog."""
    given = filters.given
    imports = visible_imports(principal).order_by("-pk")
    if given["pool"]:
        imports = imports.filter(pool__slug=given["pool"])
    found = {each.public_id: each.file_name for each in imports[:IMPORTS]}
    return {
        "pools": pools,
        "regions": _with(regions_of(principal, pool_slug=given["pool"]), given["region"]),
        "tags": _with(tags_of(principal, pool_slug=given["pool"]), given["tag"]),
        "imports": [(name, found.get(name, "")) for name in _with(list(found), given["import"])],
        "states": states(),
    }


def _with(options: list[str], chosen: str) -> list[str]:
    """The options, including the chosen one if it is missing from them."""
    return options if not chosen or chosen in options else [chosen, *options]
