"""Goals: what a new installation is guided to, such as the first call, step by step on one page.

Apps name the module of their goals in AppConfig.ready(). It is loaded at first use, since it needs
forms and services, and its `register()` adds the goals. No progress is stored: each step checks in
SQL or Redis whether it is done, so that people can leave and come back, and no click is repeated.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, TypeVar

from django import forms
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Decision, Principal
from poolsite.access.principal import reach_of

DONE, NEXT, OPTIONAL, LATER = "done", "next", "optional", "later"
FINISHED_SECONDS: Final = 30.0
Data = Mapping[str, Any] | None
T = TypeVar("T", bound=Model)


@dataclass(frozen=True)
class GoalStep:
    """One step of a goal.

    find: returns the object that exists once the step is done, otherwise None. The guide stores it
        under the step's name.
    thing: the step whose object `action` is checked for, or "" for none.
    told: the text of a done step.
    link: the page of the created object.
    form: the form on the page, bound if data is given; `first` names the fields shown at once.
    save: saves the form and returns the message to show, if any.
    again: a done step may be repeated.
    asks_again: the user must confirm who they are, as on the app's own page.
    template, context: what else the step shows.
    optional: the next step does not wait for this one.
    """

    name: str
    title: Any
    text: Any
    action: str
    find: Callable[["Guide"], Any]
    told: Callable[["Guide", Any], str]
    thing: str = ""
    link: Callable[["Guide", Any], str] | None = None
    form: Callable[["Guide", Data], forms.Form] | None = None
    first: tuple[str, ...] = ()
    button: Any = ""
    save: Callable[["Guide", Any], str] | None = None
    again: Any = ""  # the label of the button that repeats it
    asks_again: bool = False
    template: str = ""
    context: Callable[["Guide"], dict[str, Any]] | None = None
    optional: bool = False


@dataclass(frozen=True)
class Goal:
    """What is reached at the end. `minutes` is the time that a first-time user needs.

    subjects: the objects that the reader may see, of which the URL names one by its slug.
    topic: the live topic that reports changes, or "" for none now.
    ending: the template of what comes next, once all is done; ending_context gets the guide and the
        site's URL.
    """

    name: str
    title: Any
    text: Any
    icon: str
    minutes: int
    steps: Sequence[GoalStep]
    subjects: Callable[[Principal], QuerySet[Any]]
    topic: Callable[["Guide"], str] = lambda guide: ""
    ending: str = ""
    ending_context: Callable[["Guide", str], dict[str, Any]] = lambda guide, site: {}
    order: int = 50


@dataclass
class Guide:
    """One reader's progress towards a goal, in its current state.

    on: the slug of the subject, or "" for the first. request: that of the page, for a step that
    sends mail.
    """

    goal: Goal
    principal: Principal
    on: str = ""
    request: HttpRequest | None = None
    things: dict[str, Any] = field(default_factory=dict)
    is_next: bool = False  # of several guides, the one to continue with

    def __post_init__(self) -> None:
        for step in self.goal.steps:
            if self._is_ready(step) and (found := step.find(self)) is not None:
                self.things[step.name] = found

    def _is_ready(self, step: GoalStep) -> bool:
        """Return whether the object that the step is about exists, so that `find` may use it."""
        return not step.thing or step.thing in self.things

    def decision(self, step: GoalStep) -> Decision:
        """Return whether the reader may do the step, or has to prove a second factor first."""
        return access.decide(self.principal, step.action, self.things.get(step.thing))

    def may(self, step: GoalStep) -> bool:
        """Return whether the reader may do the step, with or without another second factor."""
        if not self._is_ready(step) and not self.principal.is_operator:
            return False
        return self.decision(step).possible

    @property
    def subject(self) -> Any | None:
        """The goal's object in the URL, otherwise the oldest, or None if there is none yet."""
        return self.chosen(self.goal.subjects(self.principal))

    def chosen(self, rows: QuerySet[T]) -> T | None:
        """Return the row whose slug the URL names, otherwise the oldest."""
        return (rows.filter(slug=self.on) if self.on else rows.order_by("pk")).first()

    @property
    def is_offered(self) -> bool:
        """Whether there is a step that the reader may do, or could have done."""
        return any(self.may(step) for step in self.goal.steps)

    @property
    def needed(self) -> list[GoalStep]:
        """The required steps."""
        return [step for step in self.goal.steps if not step.optional]

    @property
    def done(self) -> int:
        """How many of the required steps are done."""
        return sum(step.name in self.things for step in self.needed)

    @property
    def minutes_left(self) -> int:
        """The time that the remaining steps take, in the unit of `Goal.minutes`."""
        return math.ceil(self.goal.minutes * (1 - self.done / len(self.needed)))

    @property
    def is_finished(self) -> bool:
        return self.done == len(self.needed)

    @property
    def next(self) -> GoalStep | None:
        """The first required step that is not done."""
        return next((step for step in self.needed if step.name not in self.things), None)

    def state(self, step: GoalStep) -> str:
        """Return DONE, NEXT, OPTIONAL (may be done now) or LATER."""
        if step.name in self.things:
            return DONE
        if step.optional and self._is_ready(step):
            return OPTIONAL
        return NEXT if step is self.next else LATER

    def step(self, name: str) -> GoalStep | None:
        """Return the step with this name if it can be done now. A done step must be repeatable."""
        found = next((each for each in self.goal.steps if each.name == name), None)
        if found is None or self.state(found) == LATER:
            return None
        return None if self.state(found) == DONE and not found.again else found

    @property
    def url(self) -> str:
        """The page's own URL."""
        address = reverse("operations:start", args=[self.goal.name])
        return f"{address}?on={self.on}" if self.on else address


_MODULES: list[str] = []
_GOALS: dict[str, Goal] = {}
_finished: dict[str, float] = {}  # reach and goal → when this process saw it finished


def provide(module: str) -> None:
    """Name the module whose `register()` adds an app's goals."""
    _MODULES.append(module)


def register_goal(goal: Goal) -> None:
    """Add a goal. It replaces a goal of the same name."""
    _GOALS[goal.name] = goal


def goals() -> dict[str, Goal]:
    """Return every goal by its name, in the order of the overview."""
    while _MODULES:
        import_module(_MODULES.pop()).register()
    return dict(sorted(_GOALS.items(), key=lambda item: item[1].order))


def guide_of(goal: Goal, principal: Principal, request: HttpRequest) -> Guide:
    """Return the page's guide. Raise access.Hidden if the reader may not see the `?on=` subject."""
    on = request.GET.get("on", "")[:40]
    if on and not goal.subjects(principal).filter(slug=on).exists():
        raise access.Hidden(goal.name)
    return Guide(goal, principal, on, request)


def open_guides(principal: Principal) -> list[Guide]:
    """Return the reader's guides if one of them is unfinished, otherwise []."""
    suiting = [goal for goal in goals().values() if _may_suit(principal, goal)]
    if all(_was_finished(principal, goal) for goal in suiting):
        return []
    guides = [guide for goal in suiting if (guide := Guide(goal, principal)).is_offered]
    for guide in guides:
        if guide.is_finished:
            _finished[_key(principal, guide.goal)] = time.monotonic()
    waiting = [guide for guide in guides if not guide.is_finished]
    if not waiting:
        return []
    max(waiting, key=lambda guide: bool(guide.done)).is_next = True
    return guides


def done_of(guides: Sequence[Guide]) -> str:
    """Return a text such as "2 of 5 done", or "" while no goal is reached."""
    done = sum(guide.is_finished for guide in guides)
    return _("%(done)s of %(all)s done") % {"done": done, "all": len(guides)} if done else ""


def guide_url(principal: Principal, name: str, on: str = "") -> str:
    """Return the URL to which an empty list leads the reader, or "" if the goal is not for them."""
    goal = goals().get(name)
    if goal is None or not _may_suit(principal, goal):
        return ""
    guide = Guide(goal, principal, on)
    return guide.url if guide.is_offered else ""


def forget_finished() -> None:
    """Read the state again at once: for tests, which start again in one process."""
    _finished.clear()


def _may_suit(principal: Principal, goal: Goal) -> bool:
    """Return whether the reader may do one of its steps to any object at all. No I/O."""
    return any(access.decide(principal, step.action).possible for step in goal.steps)


def _key(principal: Principal, goal: Goal) -> str:
    return f"{reach_of(principal)} {goal.name}"


def _was_finished(principal: Principal, goal: Goal) -> bool:
    """Return whether the goal was seen finished recently. That saves queries in a used
    installation.
    """
    seen = _finished.get(_key(principal, goal))
    return seen is not None and time.monotonic() - seen < FINISHED_SECONDS
