"""What must be true while a fault lasts: work continues, refusals, pages and probes are clear.

Work is counted by the load's own logs. Pages are requested as an operator's browser does, writes
as the demo's machines do.
"""

import json
import re
import secrets
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import httpx

from tests.chaos import acknowledged, dispatch, gates, line, money
from tests.chaos.resting import until_right
from tests.support.waiting import patient

if TYPE_CHECKING:
    from tests.chaos.stack import Stack

DESKS = "visitors' answers"
WORK = "pieces of work"
GOES_ON_SECONDS = 40.0
SAYS_SECONDS = 30.0
ANSWER_SECONDS = 20.0
OPERATOR = "lin.mei"
UNCLEAR = "what is asked while nothing can be written must be refused as unavailable"


class BrokenMeanwhileError(AssertionError):
    """During the fault work stopped, or an answer was wrong."""


# -- work ------------------------------------------------------------------------------------------


def work(stack: "Stack") -> dict[str, int]:
    """Return how much each system has done so far, by the logs of the load it was done for."""
    begun = sum(told["op"] == "begin" for told in acknowledged.read(stack.call_logs))
    holders = (stack.folder / acknowledged.holders_log(part) for part in acknowledged.PARTS)
    return {
        "calls": begun,
        "messages": money.handed_over(stack),
        WORK: gates.begun(stack),
        "permits": sum(1 for _ in acknowledged.read(holders)),
        DESKS: sum(map(len, line.logs(stack).visits.values())),
        "sessions": dispatch.begun(stack),
    }


def all_go_on(stack: "Stack", *, but: Collection[str] = ()) -> str:
    """Wait until each system has done something since. Return how much, as text.

    but: the systems that may stand still. Raise BrokenMeanwhileError for any other that does.
    """
    before = {name: count for name, count in work(stack).items() if name not in but}
    more: dict[str, int] = {}

    def standing() -> str:
        now = work(stack)
        more.update({name: now[name] - count for name, count in before.items()})
        still = [name for name, count in more.items() if not count]
        return f"no {', '.join(still)} while it lasted" if still else ""

    until_right(standing, GOES_ON_SECONDS, BrokenMeanwhileError)
    return ", ".join(f"{count} {name}" for name, count in more.items())


# -- refusals --------------------------------------------------------------------------------------


def writes(stack: "Stack") -> dict[str, tuple[int, str]]:
    """Send one write to each system by HTTP: what → (status, type of the problem; "" if none)."""
    simulation = stack.simulation
    gate = next(each for each in simulation["gates"] if each["slug"] == gates.HOLDERS_GATE)
    desk, chatbot = simulation["desks"][0], simulation["chatbots"][0]
    pool = simulation["pools"][0]
    switch = pool["switches"][0]
    name = secrets.token_hex(6)
    call = {"event": "hangup", "switch": switch["name"], "incarnation": name, "call_id": name}
    message = {"message_id": f"chaos-{name}", "text": "Hello", "fallback": "none"}
    asked: Mapping[str, tuple[str, str, dict[str, Any]]] = {
        "an event of a call": (f"pools/{pool['slug']}/events", switch["token"], call),
        "a permit": (f"gates/{gate['slug']}/acquire", gate["token"], {"holder": name}),
        "a visit": (f"queues/{desk['queues'][0]['slug']}/join", desk["token"], {"name": "Chaos"}),
        "a hold": (f"accounts/{chatbot['account']}/holds", chatbot["token"], message),
    }
    return {what: _post(stack, *request) for what, request in asked.items()}


def _post(stack: "Stack", path: str, token: str, body: dict[str, Any]) -> tuple[int, str]:
    answer = httpx.post(
        f"http://127.0.0.1:{stack.web_ports[0]}/api/v1/{path}",
        json=body,
        headers={"Authorization": f"Bearer {token}"},
        timeout=patient(ANSWER_SECONDS),
        trust_env=False,
    )
    try:
        kind = str(answer.json().get("type", ""))
    except (ValueError, AttributeError):
        kind = answer.text[:80]
    return answer.status_code, kind.rpartition("/")[2]


def all_refused(stack: "Stack") -> str:
    """Wait until every write is refused with 503 and the type `unavailable`.

    Return which, as text.
    """

    def wrong() -> str:
        clear = (503, "unavailable")
        others = {what: told for what, told in writes(stack).items() if told != clear}
        return f"{UNCLEAR}: {others}" if others else ""

    until_right(wrong, SAYS_SECONDS, BrokenMeanwhileError)
    return "every write refused with 503"


# -- what probes and incidents say -----------------------------------------------------------------


def says(stack: "Stack", part: str, *words: str, ready: bool) -> None:
    """Wait until /readyz of every web process reports all words of a part, as ready or not."""

    def wrong() -> str:
        for port in stack.web_ports:
            status, body = _readiness(port)
            told = {**body.get("warnings", {}), **body.get("checks", {})}.get(part, "")
            if (status == 200) != ready or any(word not in told for word in words):
                return f"/readyz answers {status} and says of {part}: {told!r}, not {words}"
        return ""

    until_right(wrong, SAYS_SECONDS, BrokenMeanwhileError)


def _readiness(port: int) -> tuple[int, dict[str, Any]]:
    url = f"http://127.0.0.1:{port}/readyz"
    try:
        with urllib.request.urlopen(url, timeout=patient(ANSWER_SECONDS)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 0, {}


def incident(stack: "Stack", kind: str, remedy: str) -> None:
    """Wait until an incident of this type is open, with this text in what to do."""

    def wrong() -> str:
        rows = stack.sql(
            "SELECT remedy_text FROM operations_incident WHERE type = %s AND until IS NULL", kind
        )
        told = any(remedy in text for (text,) in rows)
        return "" if told else f"no incident {kind} says what to do: {rows}"

    until_right(wrong, SAYS_SECONDS, BrokenMeanwhileError)


# -- pages -----------------------------------------------------------------------------------------


@dataclass
class Reader:
    """An operator's browser at one web process, logged in while all was well."""

    client: httpx.Client

    @classmethod
    def log_in(cls, stack: "Stack", port: int) -> Self:
        """Log in. Raise BrokenMeanwhileError if that does not work."""
        client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=patient(ANSWER_SECONDS), trust_env=False
        )
        form = {"login": OPERATOR, "password": stack.environment["POOLSITE_DEMO_PASSWORD"]}
        token = _hidden_token(client)
        answer = client.post("/login/", data={**form, "csrfmiddlewaretoken": token})
        if answer.status_code != httpx.codes.FOUND:
            raise BrokenMeanwhileError(f"log-in answers {answer.status_code}")
        return cls(client)

    def sees_unavailable(self, path: str, text: str) -> None:
        """Wait until the page is 503 with this text, and states when to try again."""

        def wrong() -> str:
            try:
                answer = self.client.get(path)
            except httpx.TimeoutException:
                return f"{path} does not answer"
            clear = answer.status_code == 503 and text in answer.text
            if clear and "Retry-After" in answer.headers:
                return ""
            return f"{path} answers {answer.status_code} {answer.text[:200]!r}"

        until_right(wrong, SAYS_SECONDS, BrokenMeanwhileError)

    def sees(self, path: str) -> None:
        """Wait until the page is available again, without a new log-in."""

        def wrong() -> str:
            try:
                status = self.client.get(path).status_code
            except httpx.TimeoutException:
                return f"{path} does not answer"
            return "" if status == 200 else f"{path} answers {status}"

        until_right(wrong, SAYS_SECONDS, BrokenMeanwhileError)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()


def _hidden_token(client: httpx.Client) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', client.get("/login/").text)
    return found[1] if found else ""
