"""Incidents: checks open and close them (except those in BY_HAND), and people own them.

This module can be imported before Django's apps are loaded.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.utils.functional import Promise
from django.utils.translation import override

from poolsite.operations.by_hand import BY_HAND as BY_HAND  # apps add their types

if TYPE_CHECKING:
    from datetime import datetime

    from poolsite.access.models import Account, User
    from poolsite.hotpath.rows import AggregateRow
    from poolsite.operations.models import Incident

Text = str | Promise


def open(  # noqa: A001  the contract's name; always called as incidents.open
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
    """Open the incident of (type, object), or update the one that is open. Return it.

    This is safe to call at every check and from several processes: one row stays open, and alerts
    are sent once when it opens and once more if it becomes critical. Texts are message ids
    (gettext_noop or gettext_lazy) with %(name)s placeholders that `params` fills.
    """
    from poolsite.operations import services

    said = message_ids(title, detail, remedy)
    account_id = account if isinstance(account, int) or account is None else account.pk
    return services.open_incident(
        type, object, severity=severity, url=url, account_id=account_id, params=params or {}, **said
    )


def message_ids(title: Text, detail: Text = "", remedy: Text = "") -> dict[str, str]:
    """Return the texts as an incident's row stores them: in English, translated when shown."""
    with override("en"):
        return {
            "title_text": str(title)[:200],
            "detail_text": str(detail),
            "remedy_text": str(remedy)[:300],
        }


def close(*, type: str, object: str) -> bool:  # noqa: A002
    """Close the open incident of (type, object). Return whether there was one."""
    from poolsite.operations import services

    return services.close_incident(type, object)


@dataclass(frozen=True)
class Trouble:
    """What is wrong with an aggregate or a part of the platform: the arguments of `open`."""

    severity: str
    title: Text
    detail: Text
    remedy: Text
    url: str
    params: dict[str, Any] = field(default_factory=dict)


def keep(kind: str, row: "AggregateRow", trouble: Trouble | None) -> bool:
    """Keep an incident of this type open while the row has trouble, and close it without (None).

    Return whether an incident is open.
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
    """The incidents of a run, of the `types` that a subclass names.

    `load` reads once which of them are open, so a run that finds nothing wrong needs no more
    queries.
    """

    types: ClassVar[tuple[str, ...]]
    known: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def load(cls) -> Self:
        """Read which incidents are open."""
        from poolsite.operations.models import Incident

        rows = Incident.objects.filter(until=None, type__in=cls.types)
        return cls(set(rows.values_list("type", "object")))

    def open(self, kind: str, name: str, **said: Any) -> None:
        """Open or update the incident of (kind, name): see `open` above."""
        open(type=kind, object=name, **said)
        self.known.add((kind, name))

    def close(self, kind: str, name: str) -> None:
        """Close the incident if it is known to be open."""
        if (kind, name) in self.known:
            close(type=kind, object=name)
            self.known.discard((kind, name))


def acknowledge(incident: "Incident", *, actor: "User", at: "datetime | None" = None) -> "Incident":
    """Make `actor` the incident's owner unless it has one. Audited.

    at: the time of the action, the same for a whole cause.
    """
    from poolsite.operations.services import incident_care

    return incident_care.acknowledge_incident(incident, actor=actor, at=at)
