"""Goals: what a new installation is led to, such as the first call, step by step on one page.

Apps name the module of their goals in AppConfig.ready(). It is loaded when somebody first asks, as
it stands on forms and services, and its `register()` adds them. Nothing of the way is stored: each
step asks SQL or Redis whether it is done, so that people can leave and come back, and no click is
repeated.
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

    find: what is there once the step is done, else None; the guide keeps it under the step's name.
    thing: the step whose object `action` is asked about; "" = about none.
    told: what a done step says. link: the page of what was made.
    form: what is filled in on the page, bound when data is given; `first` names the fields shown at
    once. save: what the form does, and the sentence that is said then, if any. again: a done step
    may be repeated. asks_again: whoever does it confirms who they are, as on the app's own page.
    template, context: what else is shown of the step. optional: the next step does not wait for it.
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
    again: Any = ""  # of the button that repeats it
    asks_again: bool = False
    template: str = ""
    context: Callable[["Guide"], dict[str, Any]] | None = None
    optional: bool = False


@dataclass(frozen=True)
class Goal:
    """What is reached at the end. `minutes`: what it takes somebody who sees it for the first time.

    subjects: what the reader may see of the objects of which the address names one by its slug.
    topic: the live topic that tells of changes; "" = none now. ending: the template of what comes
    next, once all is done; ending_context is told the guide and the site's address.
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
    """One reader's way to a goal, as it stands now.

    on: the slug of the subject, "" = the first. request: of the page, for a step that sends mail.
    """

    goal: Goal
    principal: Principal
    on: str = ""
    request: HttpRequest | None = None
    things: dict[str, Any] = field(default_factory=dict)
    is_next: bool = False  # of several: the one to go on with

    def __post_init__(self) -> None:
        for step in self.goal.steps:
            if self._is_ready(step) and (found := step.find(self)) is not None:
                self.things[step.name] = found

    def _is_ready(self, step: GoalStep) -> bool:
        """Whether what the step is about is there; a find may ask for it then."""
        return not step.thing or step.thing in self.things

    def decision(self, step: GoalStep) -> Decision:
        """Whether the reader may do it, or has to prove a second factor first."""
        return access.decide(self.principal, step.action, self.things.get(step.thing))

    def may(self, step: GoalStep) -> bool:
        """Whether the reader may do the step, with or without another second factor."""
        if not self._is_ready(step) and not self.principal.is_operator:
            return False
        return self.decision(step).possible

    @property
    def subject(self) -> Any | None:
        """The goal's object of the address, else the oldest; None = there is none yet."""
        return self.chosen(self.goal.subjects(self.principal))

    def chosen(self, rows: QuerySet[T]) -> T | None:
        """The row whose slug the address names, else the oldest."""
        return (rows.filter(slug=self.on) if self.on else rows.order_by("pk")).first()

    @property
    def is_offered(self) -> bool:
        """Whether there is a step that the reader may do, or might have done."""
        return any(self.may(step) for step in self.goal.steps)

    @property
    def needed(self) -> list[GoalStep]:
        """The steps that the goal needs."""
        return [step for step in self.goal.steps if not step.optional]

    @property
    def done(self) -> int:
        """How many of the needed ones are done."""
        return sum(step.name in self.things for step in self.needed)

    @property
    def minutes_left(self) -> int:
        """What the rest takes, as `Goal.minutes`."""
        return math.ceil(self.goal.minutes * (1 - self.done / len(self.needed)))

    @property
    def is_finished(self) -> bool:
        return self.done == len(self.needed)

    @property
    def next(self) -> GoalStep | None:
        """The first needed step that is not done."""
        return next((step for step in self.needed if step.name not in self.things), None)

    def state(self, step: GoalStep) -> str:
        """DONE, NEXT, OPTIONAL (may be done now) or LATER."""
        if step.name in self.things:
            return DONE
        if step.optional and self._is_ready(step):
            return OPTIONAL
        return NEXT if step is self.next else LATER

    def step(self, name: str) -> GoalStep | None:
        """The step of this name, if it can be done now: a done one only when it may be repeated."""
        found = next((each for each in self.goal.steps if each.name == name), None)
        if found is None or self.state(found) == LATER:
            return None
        return None if self.state(found) == DONE and not found.again else found

    @property
    def url(self) -> str:
        """The page's own address."""
        address = reverse("operations:start", args=[self.goal.name])
        return f"{address}?on={self.on}" if self.on else address


_MODULES: list[str] = []
_GOALS: dict[str, Goal] = {}
_finished: dict[str, float] = {}  # reach and goal → when this process saw it finished


def provide(module: str) -> None:
    """Name the module whose `register()` adds an app's goals."""
    _MODULES.append(module)


def register_goal(goal: Goal) -> None:
    """Add a goal; the same name again replaces the first."""
    _GOALS[goal.name] = goal


def goals() -> dict[str, Goal]:
    """Every goal by its name, in the order of the overview."""
    while _MODULES:
        import_module(_MODULES.pop()).register()
    return dict(sorted(_GOALS.items(), key=lambda item: item[1].order))


def guide_of(goal: Goal, principal: Principal, request: HttpRequest) -> Guide:
    """The page's guide. access.Hidden when `?on=` names nothing that the reader may see."""
    on = request.GET.get("on", "")[:40]
    if on and not goal.subjects(principal).filter(slug=on).exists():
        raise access.Hidden(goal.name)
    return Guide(goal, principal, on, request)


def open_guides(principal: Principal) -> list[Guide]:
    """The guides that the reader is offered, while one of them is not finished; else []."""
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
    """Of an installation that lives: "2 of 5 done"; "" while none of the goals is reached."""
    done = sum(guide.is_finished for guide in guides)
    return _("%(done)s of %(all)s done") % {"done": done, "all": len(guides)} if done else ""


def guide_url(principal: Principal, name: str, on: str = "") -> str:
    """Where an empty list leads its reader; "" = this goal is not for them."""
    goal = goals().get(name)
    if goal is None or not _may_suit(principal, goal):
        return ""
    guide = Guide(goal, principal, on)
    return guide.url if guide.is_offered else ""


def forget_finished() -> None:
    """Ask again at once: for tests, which begin anew in one process."""
    _finished.clear()


def _may_suit(principal: Principal, goal: Goal) -> bool:
    """Whether the reader may do one of its steps to anything at all; no I/O."""
    return any(access.decide(principal, step.action).possible for step in goal.steps)


def _key(principal: Principal, goal: Goal) -> str:
    return f"{reach_of(principal)} {goal.name}"


def _was_finished(principal: Principal, goal: Goal) -> bool:
    """An installation that has lived is asked little: what is finished stays so for a while."""
    seen = _finished.get(_key(principal, goal))
    return seen is not None and time.monotonic() - seen < FINISHED_SECONDS
