"""Incidents: opened once by a check, closed by the same check (but see BY_HAND), owned by name.

Importable before Django's apps are loaded.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.utils.functional import Promise
from django.utils.translation import override

from poolsite.operations.by_hand import BY_HAND as BY_HAND  # apps add theirs

if TYPE_CHECKING:
    from datetime import datetime

    from poolsite.access.models import Account, User
    from poolsite.hotpath.rows import AggregateRow
    from poolsite.operations.models import Incident

Text = str | Promise


def open(  # noqa: A001  the word of the contract; always called as incidents.open
    *,
    type: str,  # noqa: A002
    object: str,  # noqa: A002
    severity: str,
    title: Text,
    detail: Text = "",
    remedy: Text = "",
    url: str = "",
    account: "Account | int | None" = None,
    params: dict[str, Any] | None = None,
) -> "Incident":
    """Open the incident of (type, object), or bring the open one up to date; returns it.

    Safe to call at every check and from several processes: one row stays open, and notices go
    out once when it opens, and once more if it turns critical. Texts are message ids
    (gettext_noop or gettext_lazy) with %(name)s places that `params` fills.
    """
    from poolsite.operations import services

    said = message_ids(title, detail, remedy)
    account_id = account if isinstance(account, int) or account is None else account.pk
    return services.open_incident(
        type, object, severity=severity, url=url, account_id=account_id, params=params or {}, **said
    )


def message_ids(title: Text, detail: Text = "", remedy: Text = "") -> dict[str, str]:
    """The texts as an incident's row keeps them: in English, to be translated where it is shown."""
    with override("en"):
        return {
            "title_text": str(title)[:200],
            "detail_text": str(detail),
            "remedy_text": str(remedy)[:300],
        }


def close(*, type: str, object: str) -> bool:  # noqa: A002
    """Close the open incident of (type, object); returns whether there was one."""
    from poolsite.operations import services

    return services.close_incident(type, object)


@dataclass(frozen=True)
class Trouble:
    """What is wrong with an aggregate or a part of the platform, as `open` takes it."""

    severity: str
    title: Text
    detail: Text
    remedy: Text
    url: str
    params: dict[str, Any] = field(default_factory=dict)


def keep(kind: str, row: "AggregateRow", trouble: Trouble | None) -> bool:
    """Have the incident of this type open while there is trouble with the row, closed while there
    is none (None); returns whether it stands.
    """
    if trouble is None:
        close(type=kind, object=row.slug)
        return False
    open(
        type=kind,
        object=row.slug,
        severity=trouble.severity,
        title=trouble.title,
        detail=trouble.detail,
        remedy=trouble.remedy,
        url=trouble.url,
        account=row.account_id,
        params=trouble.params,
    )
    return True


@dataclass
class KnownIncidents:
    """A run's incidents of the `types` that a subclass names: which of them were open is read once,
    by `load`, so that a run in good order asks SQL for none of them.
    """

    types: ClassVar[tuple[str, ...]]
    known: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def load(cls) -> Self:
        """Read which are open."""
        from poolsite.operations.models import Incident

        rows = Incident.objects.filter(until=None, type__in=cls.types)
        return cls(set(rows.values_list("type", "object")))

    def open(self, kind: str, name: str, **said: Any) -> None:
        """Open the incident of (kind, name), or bring it up to date: see `open` above."""
        open(type=kind, object=name, **said)
        self.known.add((kind, name))

    def close(self, kind: str, name: str) -> None:
        """Close what is known to be open."""
        if (kind, name) in self.known:
            close(type=kind, object=name)
            self.known.discard((kind, name))


def acknowledge(incident: "Incident", *, actor: "User", at: "datetime | None" = None) -> "Incident":
    """Make `actor` its owner; the first one stays. Audited. at: one moment for a whole cause."""
    from poolsite.operations.services import incident_care

    return incident_care.acknowledge_incident(incident, actor=actor, at=at)
