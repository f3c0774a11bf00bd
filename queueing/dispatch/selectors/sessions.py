"""A session: its route, why it was chosen, and what blocking its instance would do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from poolsite import hotpath
from poolsite.moments import moment_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group
from queueing.dispatch.selectors.events import reason_told


def _why() -> dict[str, str]:
    return {
        "least": _("fewest sessions, by weight"),
        "turn": _("next in turn"),
        "restored": _("restored from what its ends reported"),
    }


@dataclass(frozen=True, slots=True)
class SessionStory:
    """A session's route, with texts for pages."""

    found: commands.ExplainedRoute

    @property
    def why(self) -> str:
        """The rule that chose the instance, as text."""
        found = self.found.route.why
        if found.startswith("key:"):
            return _("same instance for the key %(key)s") % {"key": found[4:]}
        return _why().get(found, found)

    @property
    def ejected_until(self) -> datetime | None:
        """When the ejection of its instance ends, or None if it is not ejected."""
        until = self.found.back_ejected_until_us
        return None if until is None else moment_of(until)

    @property
    def age_seconds(self) -> int:
        """Seconds since the session started."""
        return max(0, self.found.as_of_us - self.found.route.started_us) // 1_000_000

    @property
    def left_seconds(self) -> int | None:
        """Seconds until the route is removed at the latest, or None."""
        return None if self.found.left_us is None else self.found.left_us // 1_000_000

    @property
    def if_blocked(self) -> str:
        """What would happen if the instance were blocked now."""
        told = self.found.if_blocked
        text = _("%(count)s sessions would end, and both ends of each would be notified.")
        ended = text % {"count": f"{told.ends:,}"}
        if told.next_name:
            return f"{ended} " + _("A similar new session would go to %(name)s.") % {
                "name": told.next_name
            }
        return f"{ended} " + _("A similar new session would be refused: %(reason)s.") % {
            "reason": reason_told(told.reason)
        }


def session_story(group: Group, session: str) -> SessionStory | None:
    """Explain a session's route. Return None if there is none. Raise the runner's errors."""
    try:
        found = hotpath.run(commands.explain(group.slug, session))
    except commands.DispatchRefusedError as error:
        if error.reason != commands.reasons.NO_SUCH_GROUP:
            raise
        return None  # the data is lost and not rebuilt yet: no session has a route
    return None if found is None else SessionStory(found)


@dataclass(frozen=True, slots=True)
class RouteRow:
    """A route in a list."""

    route: commands.Route
    age_seconds: int
    left_seconds: int | None


def route_rows(page: commands.RoutePage) -> list[RouteRow]:
    """Return the routes of a page, each with its age and the time left."""
    rows = []
    for each in page.rows:
        left = each.goes_at_us
        rows.append(
            RouteRow(
                each,
                max(0, page.as_of_us - each.started_us) // 1_000_000,
                None if left is None else max(0, left - page.as_of_us) // 1_000_000,
            )
        )
    return rows


def session_row_out(route: commands.Route) -> dict[str, Any]:
    """Return a session of a list as the API shows it."""
    return {
        "session": route.session,
        "front": route.front,
        "back": route.back,
        "instance": route.back_name,
        "why": route.why,
        "live": route.live,
        "ending": route.ending,
        "provisional": route.provisional,
        "started_us": route.started_us,
        "deadline_us": route.deadline_us,
        "ends_by_us": route.goes_at_us,
        "messages_from_front": route.messages_from_front,
        "messages_from_back": route.messages_from_back,
    }


def session_out(story: SessionStory) -> dict[str, Any]:
    """Return a session as the API shows it."""
    found, route = story.found, story.found.route
    return {
        "session": route.session,
        "front": route.front,
        "back": route.back,
        "instance": route.back_name,
        "why": story.why,
        "live": route.live,
        "ending": route.ending,
        "provisional": route.provisional,
        "started_us": route.started_us,
        "deadline_us": route.deadline_us,
        "left_seconds": story.left_seconds,
        "messages_from_front": route.messages_from_front,
        "messages_from_back": route.messages_from_back,
        "front_state": found.front_state,
        "back_state": found.back_state,
        "back_manual": found.back_manual,
        "back_ejected_until_us": found.back_ejected_until_us,
        "back_is_backup": found.back_is_backup,
        "offered": list(route.offered),
        "if_blocked": story.if_blocked,
    }
