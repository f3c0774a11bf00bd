"""Call each operation of the document in many ways, and record violations.

An example is one of these:

- the call as it succeeds, with a drawn body merged into the needed one or without it (a caller
  without the right sends it first);
- the same call with another tenant's IDs, compared with IDs that don't exist;
- anything that matches the document;
- a request that doesn't match it;
- random bytes.
"""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from requests.exceptions import InvalidHeader, InvalidURL
from schemathesis import Case, GenerationMode
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response

from tests.fuzz.given import Given
from tests.fuzz.judging import SHOWN_TO_ALL, Findings, conforms, judge, told_of
from tests.fuzz.recipes import RECIPES
from tests.fuzz.repeating import effect, repeat
from tests.fuzz.stage import Caller, Stage
from tests.support.waiting import patient

# Callers without the rights of the tenant's own token. `narrow` may view one pool.
STRANGERS = ("nobody", "other", "revoked", "narrow")
OPEN_TO_ALL = (*SHOWN_TO_ALL, "POST /queues/{slug}/left-messages")
# What `narrow` may view apart from paths below the pool.
NARROW = (
    *("GET /pools", "GET /numbers/who-had", "GET /numbers/twins"),
    *("GET /objects/{kind}/{slug}/tags", "GET /objects/{kind}/{slug}/notes"),
)
# The first and last possible dates, drawn as often as any others.
ENDS = ("0001-01-01", "9999-12-31", "1969-12-31", "2000-02-29")
TIMES = ("T00:00:00Z", "T00:00:00+14:00", "T23:59:59.999999Z", "T23:59:59-14:00", "T12:00:00")
schemathesis.openapi.format("date", st.dates().map(str) | st.sampled_from(ENDS))
schemathesis.openapi.format(
    "date-time",
    st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)
    | st.builds(str.__add__, st.sampled_from(ENDS), st.sampled_from(TIMES)),
)
PLANS = ("good", "good", "good", "exact", "foreign", "foreign", "any", "wrong", "wrong", "bytes")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
BYTES = st.binary(max_size=500) | JSON.map(lambda value: json.dumps(value).encode())
ANYBODY = (
    ("own", "all"),
    ("own", "narrow"),
    ("own", "chatbot"),
    ("own", "fs-01"),
    ("platform", "all"),
    ("platform", "session:operator"),
)
# An operator's operations that affect any account, user, token or change of the platform.
TAKES_AWAY = (
    *(f"POST /accounts/{{slug}}/{verb}" for verb in ("freeze", "close", "tariffs", "refunds")),
    *("PATCH /accounts/{slug}/settings", "POST /accounts/{slug}/tariffs/{tariff}/end"),
    "PATCH /people/operators/{user}",
    "PATCH /people/accounts/{slug}/members/{user}",
    "POST /people/accounts/{slug}/members/{user}/remove",
    "POST /people/users/{user}/deactivate",
    "POST /people/users/{user}/reset-factor",
    "POST /tokens/{token}/revoke",
    "POST /audit-log/{entry}/undo",
)
SENT = (ParameterLocation.PATH, ParameterLocation.QUERY, ParameterLocation.BODY)
GHOSTS = {"slug": "no-such-thing", "visit": "nosuchvisit1", "device": "no-such-device"}


@dataclass
class Fuzz:
    """The calls so far, and their results."""

    stage: Stage
    findings: Findings = field(default_factory=Findings)
    calls: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    refusals: dict[str, Counter[str]] = field(default_factory=dict)

    def operation(self, operation: Any, number: int, examples: int) -> None:
        """Call an operation `examples` times, with the seed `number`."""
        name = name_of(operation)
        self._succeed(operation, name, random.Random(number))
        fits = operation.as_strategy()
        wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(st.data(), st.sampled_from(PLANS), st.integers(0, 2**32))
        def _one(data: st.DataObject, plan: str, chance: int) -> None:
            rnd = random.Random(chance)
            if plan == "wrong" and _may_be_wrong(operation):
                self._wrong(name, data.draw(wrong), rnd)
                return
            case = data.draw(fits)
            if plan == "bytes" and operation.body:
                self._bytes(name, case, data.draw(BYTES), rnd)
                return
            if plan == "foreign":
                self._foreign(name, case, rnd)
            elif plan == "any":
                self._any(name, case, rnd)
            else:
                self._good(name, case, rnd, exact=plan == "exact")

        _one()

    def never_done(self, operations: list[Any]) -> list[str]:
        """Return the operations that never answered 2xx, with their most frequent refusals."""
        never = [name for name in map(name_of, operations) if not self.done[name]]
        return [f"{name}: {self.refusals.get(name, Counter()).most_common(4)}" for name in never]

    # -- one example -----------------------------------------------------------------------------

    def _succeed(self, operation: Any, name: str, rnd: random.Random) -> None:
        """Make the first call of an operation, with only what it needs."""
        case = operation.Case(media_type=operation.body[0].media_type if operation.body else None)
        self._good(name, case, rnd, exact=True)

    def _good(self, name: str, case: Case, rnd: random.Random, *, exact: bool) -> None:
        own = self.stage.callers["own"]
        needed = RECIPES[name](self.stage, own, rnd)
        _fill(case, needed, exact=exact)
        self._refused_to_strangers(name, case, needed, rnd)
        caller = self._who(needed)
        if needed.who == "all" and rnd.random() < 0.2:
            caller = self.stage.operator  # the platform's token may do it for every tenant
        response = self.call(name, case, caller, needed.who)
        if response is None or response.status_code >= 300:
            return
        for fault in repeat(self, name, case, caller, needed, response):
            self._note(name, fault, case, needed.who, response)

    def _refused_to_strangers(
        self, name: str, case: Case, needed: Given, rnd: random.Random
    ) -> None:
        """Check that no one else succeeds with what the tenant is about to do."""
        stranger = rnd.choice(STRANGERS)
        if needed.who not in ("all", "gateway") and not needed.who.startswith("session:"):
            return  # a visitor's own token, or no token at all
        if stranger == "other" and not case.path_parameters and not needed.query:
            return  # without IDs, it works on its own objects
        of_pool = name.startswith("GET /pools/{slug}")
        if stranger == "narrow" and (name in NARROW or of_pool):
            return
        if stranger in ("nobody", "narrow") and name in OPEN_TO_ALL:
            return
        caller = self.stage.callers["other" if stranger == "other" else "own"]
        who = "all" if stranger == "other" else stranger
        response = self.call(name, case, caller, who)
        if response is None:
            return
        allowed = {401} if stranger in ("nobody", "revoked") else {401, 403, 404, 409, 413, 422}
        if name == "GET /numbers/who-had" and response.json() == []:
            return  # a list of the caller's own numbers
        if name in OPEN_TO_ALL and name != "POST /queues/{slug}/join":
            return
        if response.status_code not in allowed:
            kind = f"{stranger} gets {response.status_code}"
            self._note(name, kind, case, stranger, response)

    def _foreign(self, name: str, case: Case, rnd: random.Random) -> None:
        """Check that another tenant's objects look as if they did not exist."""
        own, other = self.stage.callers["own"], self.stage.callers["other"]
        needed = RECIPES[name](self.stage, other, rnd)
        if needed.who == "session:operator" or name in OPEN_TO_ALL:
            return  # operators see every tenant; a queue's entrance is public
        _fill(case, needed, exact=rnd.random() < 0.5)
        who = rnd.choice(("all", "all", "narrow", "chatbot", "fs-01"))
        response = self.call(name, case, own, who)
        if response is None or not _names_something(case, needed):
            return
        if response.status_code < 300 and name != "GET /numbers/who-had":
            self._note(name, "does it to another tenant's", case, who, response)
        if not _haunt(case):
            return
        ghost = self.call(name, case, own, who)
        if ghost is not None and _refusal(ghost) != _refusal(response):
            kind = f"{_refusal(response)} for a foreign one, {_refusal(ghost)} for none"
            self._note(name, kind, case, who, response)

    def _any(self, name: str, case: Case, rnd: random.Random) -> None:
        """Call with anything that matches the document, as any caller, often with a real slug."""
        path = case.path_parameters or {}
        if "slug" in path and rnd.random() < 0.5:
            needed = RECIPES[name](self.stage, self.stage.callers["own"], rnd)
            case.path_parameters = {**path, "slug": needed.path["slug"]}
        slug, who = rnd.choice(ANYBODY)
        if name in TAKES_AWAY and who.startswith("session:"):
            who = "all"  # a drawn ID may be that of a caller of these tests
        self.call(name, case, self.stage.callers[slug], who)

    def _wrong(self, name: str, case: Case, rnd: random.Random) -> None:
        """Check that a request that doesn't match the document is refused."""
        own = self.stage.callers["own"]
        needed = RECIPES[name](self.stage, own, rnd)
        if case.body is not NOT_SET and not _negated(case, ParameterLocation.PATH):
            case.path_parameters = {**(case.path_parameters or {}), **needed.path}
            if not _negated(case, ParameterLocation.QUERY):
                case.query = {**(case.query or {}), **needed.query}
        caller = self._who(needed)
        response = self.call(name, case, caller, needed.who)
        if response is None:
            return
        if not any(_negated(case, place) for place in SENT):
            return  # only the credential was left out, and `call` adds it again
        is_batch = isinstance(case.body, list)
        if response.status_code == 413 or (is_batch and _refuses_an_item(response)):
            return  # refused, which schemathesis doesn't recognise here
        for fault in conforms(case, response, "negative_data_rejection"):
            self._note(name, fault, case, needed.who, response)

    def _bytes(self, name: str, case: Case, body: bytes, rnd: random.Random) -> None:
        """Send other data as the body. A request that is refused must have no effect."""
        own = self.stage.callers["own"]
        needed = RECIPES[name](self.stage, own, rnd)
        _fill(case, needed, exact=True)
        case.body = body
        before = effect(own, name, case)
        response = self.call(name, case, self._who(needed), needed.who)
        refused = response is not None and response.status_code >= 400
        if response is not None and refused and effect(own, name, case) != before:
            self._note(name, "is refused and has an effect", case, needed.who, response)

    def _who(self, needed: Given) -> Caller:
        """Return the caller whose credential a recipe needs."""
        is_operator = needed.who.startswith("session:")
        return self.stage.operator if is_operator else self.stage.callers["own"]

    # -- calling ---------------------------------------------------------------------------------

    def call(self, name: str, case: Case, caller: Caller, who: str) -> Response | None:
        """Send a case as a caller and judge the answer. Return None if HTTP can't transport it."""
        if isinstance(case.body, dict) and case.body.get("wait_ms"):
            case.body["wait_ms"] = 1  # or the test would wait for numbers
        case.headers.pop("Authorization", None)  # drawn with the rest; `caller` sets it
        try:
            answer = case.call(
                base_url=self.stage.url,
                session=self.stage.session(),
                headers=caller.headers(who),
                timeout=patient(30),
            )
        except (InvalidURL, InvalidHeader, UnicodeError):
            return None
        self.calls[name] += 1
        self.done[name] += answer.status_code < 300
        if answer.status_code >= 400:
            self.refusals.setdefault(name, Counter())[answer.text[:160]] += 1
        tenant = caller.slug if who != "nobody" else ""
        for fault in judge(case, answer, "" if name in OPEN_TO_ALL else tenant):
            self._note(name, fault, case, f"{caller.slug or 'platform'} {who}", answer)
        return answer

    def _note(self, name: str, fault: str, case: Case, who: str, response: Response) -> None:
        self.findings.add(f"{name}: {fault}", told_of(case, who, response))


def name_of(operation: Any) -> str:
    """Return the name of an operation in the recipes."""
    return f"{operation.method.upper()} {operation.path.removeprefix('/api/v1')}"


def _fill(case: Case, needed: Given, *, exact: bool) -> None:
    """Fill in what a call needs: alone if `exact`, else on top of what was drawn."""
    case.path_parameters = {**(case.path_parameters or {}), **needed.path}
    case.query = dict(needed.query) if exact else {**(case.query or {}), **needed.query}
    if case.media_type is None:
        return
    if exact:
        case.body = dict(needed.body)
    elif isinstance(case.body, dict):
        case.body = {**case.body, **needed.body}
    elif isinstance(case.body, list) and needed.body:
        case.body = [dict(needed.body), *case.body[:20]]


def _haunt(case: Case) -> bool:
    """Replace the ID that identifies the owner by one that doesn't exist.

    Return False if none can be.
    """
    for key in ("slug", "visit", "device"):
        if key in (case.path_parameters or {}):
            case.path_parameters = {**case.path_parameters, key: GHOSTS[key]}
            return key != "device"
    if isinstance(case.body, dict) and "visit" in case.body:
        case.body = {**case.body, "visit": GHOSTS["visit"]}
        return True
    return False


def _refuses_an_item(response: Response) -> bool:
    """Return whether a batch was answered item by item with at least one refusal."""
    items = response.json() if response.status_code == 200 else None
    return isinstance(items, list) and any(item.get("status", 0) >= 400 for item in items)


def _names_something(case: Case, needed: Given) -> bool:
    return bool(needed.path or needed.query)


def _refusal(response: Response) -> tuple[int, str]:
    """Return what a caller learns from a refusal."""
    try:
        return response.status_code, str(response.json()["type"])
    except (ValueError, KeyError, TypeError):
        return response.status_code, ""


def _negated(case: Case, where: ParameterLocation) -> bool:
    """Return whether this part of a case was generated not to match."""
    part = case.meta.components.get(where) if case.meta is not None else None
    return part is not None and part.mode.is_negative


def _may_be_wrong(operation: Any) -> bool:
    """Return whether the operation has any input that could be wrong."""
    return bool(operation.body or len(operation.path_parameters) or len(operation.query))
