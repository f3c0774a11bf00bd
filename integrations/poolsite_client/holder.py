"""The requests of permit holders, without I/O: acquire, renew, release."""

from dataclasses import dataclass
from urllib.parse import quote

from . import clock
from .errors import Refused
from .lease import Lease, terms_of
from .retrying import spread
from .steps import Answer, Pause, Steps, ask

SHORTEST_PAUSE_SECONDS = 0.2
WAIT_LIMIT_SECONDS = 60.0  # within one request


@dataclass(kw_only=True)
class Permit(Lease):
    """A slot of a gate, or `weight` slots, held by `holder`."""

    gate: str
    holder: str
    weight: int = 1


def path_of(gate: str, verb: str) -> str:
    """Return the path of one of a gate's routes."""
    return f"/api/v1/gates/{quote(gate, safe='')}/{verb}"


def acquire(gate: str, holder: str, wait_seconds: float, weight: int = 1) -> Steps[Permit]:
    """Acquire a permit. One request waits in the gate for up to WAIT_LIMIT_SECONDS.

    Raise Refused if no slot was free within `wait_seconds` (0: the first answer counts). Raise
    PermitLost if the answer took longer than the permit lasts.
    """
    until = clock.now() + wait_seconds

    def body() -> dict[str, object]:
        left = max(0.0, until - clock.now())
        words: dict[str, object] = {"holder": holder}
        if weight != 1:
            words["weight"] = weight
        if left:
            words["wait_ms"] = int(min(left, WAIT_LIMIT_SECONDS) * 1_000)
            words["keep_place"] = left > WAIT_LIMIT_SECONDS
        return words

    while True:
        answer = yield from ask(path_of(gate, "acquire"), body)
        if answer.body.get("granted"):
            terms = terms_of(answer)
            permit = Permit(
                gate=gate,
                holder=holder,
                weight=weight,
                token=terms.token,
                deadline=terms.deadline,
                signed=terms.signed,
                asked_at=terms.asked_at,
                ends_at=terms.ends_at,
            )
            permit.check()
            return permit
        refused = _refused(answer)
        left = until - clock.now()
        if left <= 0:
            raise refused
        # Either the gate has waited, or too many holders wait there. Then ask again after a while.
        waited = clock.now() - answer.asked_at
        pause = max(refused.retry_after, SHORTEST_PAUSE_SECONDS) - waited
        yield Pause(max(0.0, min(left, spread(max(0.0, pause)))))


def _refused(answer: Answer) -> Refused:
    body = answer.body
    return Refused(
        str(body.get("reason") or ""),
        float(body.get("retry_after") or 1),
        body.get("place"),
        body.get("estimate_seconds"),
    )


def renew(permit: Permit) -> Steps[None]:
    """Extend the deadline. Raise PermitLost if the gate reports that the permit is not held."""
    permit.check()
    words: dict[str, object] = {"holder": permit.holder, "token": permit.token}
    if permit.weight != 1:
        words["weight"] = permit.weight
    answer = yield from ask(path_of(permit.gate, "renew"), words, until=permit.ends_at)
    if answer.body.get("granted"):
        permit.renewed(terms_of(answer))
    else:
        permit.lose(str(answer.body.get("reason") or "not held"))
    permit.check()


def release(permit: Permit, *, ok: bool | None, took_ms: int | None) -> Steps[bool]:
    """Give the permit back. Return False if it had ended or an earlier attempt had released it.

    No attempt is made after the deadline, because the slot is free then. Raise UnreachableError if
    no answer arrives by then.
    """
    words: dict[str, object] = {"holder": permit.holder, "token": permit.token}
    if ok is not None:
        words["ok"] = ok
    if took_ms is not None:
        words["took_ms"] = took_ms
    if not permit.remaining_seconds:
        return False
    answer = yield from ask(path_of(permit.gate, "release"), words, until=permit.ends_at)
    permit.lose("released")
    return bool(answer.body.get("released"))
