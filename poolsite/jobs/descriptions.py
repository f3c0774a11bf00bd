"""A sweep's description for people: its name, its purpose, and the result of its last run.

Each app defines it next to its task: `sweep(…, description=SweepDescription(label, …))`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy, pgettext

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# The results that are faults, even though the run was completed.
TROUBLES: Final = frozenset({"failed", "faults"})


class Count(int):
    """A number that is written with grouped digits and still selects the plural form."""

    def __str__(self) -> str:
        return str(number_format(int(self), force_grouping=True))


@dataclass(frozen=True)
class SweepDescription:
    """The texts that people read about a sweep.

    results: for each count in the result, a text with plural forms and the placeholder %(n)s
    (`ngettext_lazy(…, …, "n")`). A count of 0 is left out. total: such a text for the sum of all
    counts, used in place of `results`.
    """

    label: "StrOrPromise"
    purpose: "StrOrPromise" = ""
    results: Mapping[str, "StrOrPromise"] = field(default_factory=dict)
    total: "StrOrPromise" = ""

    def sentence(self, result: Mapping[str, Any]) -> str:
        """Describe what a run did, such as: 2 gates checked; 1 rebuilt."""
        if self.total:
            count = sum(result.values())
            return str(self.total % {"n": Count(count)}) if count else _("Nothing to do")
        parts = [self._part(name, value) for name, value in result.items() if value]
        return pgettext("between results", "; ").join(parts) if parts else _("Nothing to do")

    def _part(self, name: str, value: Any) -> str:
        text = self.results.get(name) or COMMON.get(name)
        if text is None or isinstance(value, bool) or not isinstance(value, int):
            return _("%(name)s: %(value)s") % {"name": name.replace("_", " "), "value": value}
        return str(text % {"n": Count(value)})


# Counts that many sweeps have.
COMMON: Final[Mapping[str, "StrOrPromise"]] = {
    "failed": ngettext_lazy("%(n)s failed", "%(n)s failed", "n"),
    "rebuilt": ngettext_lazy("%(n)s rebuilt", "%(n)s rebuilt", "n"),
    "resent": ngettext_lazy("%(n)s sent again", "%(n)s sent again", "n"),
    "samples": ngettext_lazy("%(n)s sample taken", "%(n)s samples taken", "n"),
    "standing": ngettext_lazy("%(n)s alarm active", "%(n)s alarms active", "n"),
    "groups": ngettext_lazy("%(n)s group checked", "%(n)s groups checked", "n"),
    "desks": ngettext_lazy("%(n)s desk checked", "%(n)s desks checked", "n"),
    "gates": ngettext_lazy("%(n)s gate checked", "%(n)s gates checked", "n"),
    "pools": ngettext_lazy("%(n)s pool checked", "%(n)s pools checked", "n"),
    "wallets": ngettext_lazy("%(n)s balance checked", "%(n)s balances checked", "n"),
    "sent": ngettext_lazy("%(n)s sent", "%(n)s sent", "n"),
}


def description_or_plain(name: str, description: SweepDescription | None) -> SweepDescription:
    """Return the description, or one with the sweep's name in words if there is none."""
    return description or SweepDescription(name.replace(".", ": ").replace("_", " "))
