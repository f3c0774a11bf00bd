"""Whether two operators count as two people: the four-eyes check before an approval.

A person who gives another person access could act as that person: an invitation goes to an address
that the inviter chose, a reactivated user may have an old password. So given access is stored as a
link (`AccessLink`) from the giver to the receiver. A person's sources are the person, the givers,
their givers, and so on. Two people are independent if they share no source. A link counts for
`FOUR_EYES_APART_DAYS`. See docs/reference/access.md and decision 0035.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import dates
from poolsite.access.models import AccessLink, Grant, GrantName, User
from poolsite.access.principals import principal_of_user

ALWAYS = datetime.max.replace(tzinfo=UTC)
How = AccessLink.How


@dataclass(frozen=True, slots=True)
class Link:
    """One row of AccessLink, by the users' primary keys."""

    giver: int
    receiver: int
    at: datetime
    how: str = How.INVITED


@dataclass(frozen=True, slots=True)
class Dependence:
    """Why two people are not independent: a source they share, and when that ends."""

    source: int
    until: datetime


def sources(person: int, links: Iterable[Link]) -> dict[int, datetime]:
    """Return every user from whom this person's access comes, with the time of the link.

    For a chain of links it is the time of the oldest one; of several chains, the one that lasts
    longest counts. The person is always a source of their own access.
    """
    links = list(links)
    lasting = {person: ALWAYS}
    changed = True
    while changed:
        changed = False
        for link in links:
            through = lasting.get(link.receiver)
            if through is None:
                continue
            at = min(through, link.at)
            if link.giver not in lasting or at > lasting[link.giver]:
                lasting[link.giver] = at
                changed = True
    return lasting


def shared_source(
    one: Mapping[int, datetime], other: Mapping[int, datetime]
) -> tuple[int, datetime] | None:
    """Return the source that two people share for longest, and the time of its oldest link.

    Return None if they share none.
    """
    shared = {each: min(one[each], other[each]) for each in one.keys() & other.keys()}
    if not shared:
        return None
    source = max(shared, key=lambda each: (shared[each], -each))
    return source, shared[source]


def dependence(one: User, other: User) -> Dependence | None:
    """Return why these two users count as one person, or None if they are independent.

    The links are followed to their ends, with one query for each step away from the two users.
    """
    return _dependence(one, other, links_to({one.pk, other.pk}))


def _dependence(one: User, other: User, links: list[Link]) -> Dependence | None:
    found = shared_source(sources(one.pk, links), sources(other.pk, links))
    if found is None:
        return None
    source, at = found
    return Dependence(source, ALWAYS if at == ALWAYS else at + window())


def window() -> timedelta:
    """Return how long a link counts."""
    return timedelta(days=settings.FOUR_EYES_APART_DAYS)


def links_to(people: Iterable[int]) -> list[Link]:
    """Return the links that count now and lead to these users, directly or through others."""
    since = timezone.now() - window()
    asked: set[int] = set()
    found: list[Link] = []
    following = set(people)
    while following:
        asked |= following
        rows = AccessLink.objects.filter(receiver_id__in=following, at__gt=since).order_by("at")
        new = [Link(*row) for row in rows.values_list("giver_id", "receiver_id", "at", "how")]
        found += new
        following = {link.giver for link in new} - asked
    return found


def why_dependent(reader: User, asker: User) -> str:
    """Return why and until when the reader may not approve the asker's request, or "" if they may.

    The two are different people.
    """
    links = links_to({reader.pk, asker.pk})
    found = _dependence(reader, asker, links)
    if found is None:
        return ""
    until = dates.moment(found.until)
    may = _("You can approve requests by %(asker)s from %(until)s.")
    told = may % {"asker": asker.display_name, "until": until}
    return f"{_reason(reader, asker, found, links)} {told}"


def _reason(reader: User, asker: User, found: Dependence, links: list[Link]) -> str:
    """Return the link between the two users in one sentence."""
    names = {"asker": asker.display_name}
    direct = {(link.giver, link.receiver): link for link in links}
    link = direct.get((asker.pk, reader.pk)) or direct.get((reader.pk, asker.pk))
    if link is not None and link.at + window() >= found.until:
        words = _RECEIVED if link.receiver == reader.pk else _GIVEN
        day = dates.day(link.at)
        return str(words[link.how]) % {**names, "day": day}
    if found.source == asker.pk:
        return _("Your access comes indirectly from %(asker)s.") % names
    if found.source == reader.pk:
        return _("%(asker)s's access comes indirectly from you.") % names
    source = User.objects.get(pk=found.source).display_name
    text = _("Your access and %(asker)s's access both come from %(source)s.")
    return text % {**names, "source": source}


_RECEIVED: Mapping[str, Any] = {
    How.INVITED: gettext_lazy("%(asker)s invited you on %(day)s."),
    How.GRANTED: gettext_lazy("%(asker)s gave you a grant on %(day)s."),
    How.ROLE: gettext_lazy("%(asker)s gave you a role on %(day)s."),
    How.REACTIVATED: gettext_lazy("%(asker)s reactivated your user on %(day)s."),
    How.FACTOR_RESET: gettext_lazy("%(asker)s removed your authenticator app on %(day)s."),
}
_GIVEN: Mapping[str, Any] = {
    How.INVITED: gettext_lazy("You invited %(asker)s on %(day)s."),
    How.GRANTED: gettext_lazy("You gave %(asker)s a grant on %(day)s."),
    How.ROLE: gettext_lazy("You gave %(asker)s a role on %(day)s."),
    How.REACTIVATED: gettext_lazy("You reactivated %(asker)s on %(day)s."),
    How.FACTOR_RESET: gettext_lazy("You removed %(asker)s's authenticator app on %(day)s."),
}


# -- who decides about money -----------------------------------------------------------------------


def may_finance(user: User) -> bool:
    """Return whether this is an active operator with the grant finance for everything."""
    principal = principal_of_user(user)
    return user.is_active and user.is_operator and GrantName.FINANCE in principal.grants


def approvers(asker: User, *, but: Iterable[User] = ()) -> list[User]:
    """Return the finance operators who may approve the asker's request now, by user name.

    but: more people who may not approve, whatever the links.
    """
    others = {asker.pk, *(user.pk for user in but)}
    holders = Grant.objects.filter(name=GrantName.FINANCE, thing="").values("user")
    staff = User.objects.filter(is_operator=True, is_active=True).exclude(pk__in=others)
    found = (staff.filter(pk__in=holders) | staff.filter(is_superuser=True)).distinct()
    users = list(found.order_by("username"))
    links = links_to({asker.pk, *(user.pk for user in users)})
    return [user for user in users if _dependence(user, asker, links) is None]
