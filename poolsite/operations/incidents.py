"""Incidents: opened once by a check, closed by the same check, acknowledged by name.

Importable before Django's apps are loaded.
"""

from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.translation import override

if TYPE_CHECKING:
    from poolsite.access.models import Account, User
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

    with override("en"):
        said = {
            "title_text": str(title)[:200],
            "detail_text": str(detail),
            "remedy_text": str(remedy)[:300],
        }
    account_id = account if isinstance(account, int) or account is None else account.pk
    return services.open_incident(
        type, object, severity=severity, url=url, account_id=account_id, params=params or {}, **said
    )


def close(*, type: str, object: str) -> bool:  # noqa: A002
    """Close the open incident of (type, object); returns whether there was one."""
    from poolsite.operations import services

    return services.close_incident(type, object)


def acknowledge(incident: "Incident", *, actor: "User") -> "Incident":
    """Note that `actor` knows of it; the first one stays. Audited."""
    from poolsite.operations import services

    return services.acknowledge_incident(incident, actor=actor)
