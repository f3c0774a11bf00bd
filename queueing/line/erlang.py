"""Waiting times with c agents: Erlang C, and Erlang A for visitors who give up.

Erlang C (M/M/c): everyone waits. Erlang A (Palm's M/M/c+M): a visitor gives up after an exponential
patience. Formulas: Mandelbaum and Zeltyn, "Service Engineering in Action: The Palm/Erlang-A Queue,
with Applications to Call Centers" (2007). Where theirs use the incomplete gamma function, these use
its series. All its terms are positive, so no digits are lost, and logarithms keep it within range
at any load. This module is independent of desks.
"""

import math
from dataclasses import dataclass

MOST_SERVERS = 10_000
_SMALL = 1e-16  # relative to a sum: smaller terms change nothing


@dataclass(frozen=True, slots=True)
class Load:
    """The load: visitors per hour, mean seconds of a room, mean patience (None: unlimited)."""

    per_hour: float
    room_seconds: float
    patience_seconds: float | None = None

    def __post_init__(self) -> None:
        patience = self.patience_seconds
        if not (0 <= self.per_hour < math.inf and 0 < self.room_seconds < math.inf):
            raise ValueError("a load has visitors, not negative, and rooms of a positive length")
        if patience is not None and not 0 < patience < math.inf:
            raise ValueError("patience is positive, or None")

    @property
    def erlangs(self) -> float:
        """The rooms that would be in use if no one waited."""
        return self.per_hour / 3_600 * self.room_seconds


@dataclass(frozen=True, slots=True)
class Service:
    """The long-run service. Shares are of all visitors, 0 to 1.

    level: served within the target. gave_up: not served. mean_wait: seconds, over all visitors,
    served or not; infinite if the line grows without end.
    """

    waits: float
    level: float
    gave_up: float
    mean_wait: float
    occupancy: float


def service(
    load: Load, servers: int, within_seconds: float, *, short_seconds: float = 0
) -> Service:
    """Return the service by Erlang C, or by Erlang A if the load has a patience.

    short_seconds: visitors who give up sooner are left out of both parts of the fractions `level`
    and `gave_up`, as in `definitions`. Raise ValueError for negative servers or times, and for more
    than 10,000 servers.
    """
    if not 0 <= servers <= MOST_SERVERS or within_seconds < 0 or short_seconds < 0:
        raise ValueError("servers are 0 to 10 000, and times are not negative")
    if load.per_hour == 0:
        return Service(0.0, 1.0, 0.0, 0.0, 0.0)
    if load.patience_seconds is None:
        return _erlang_c(load, servers, within_seconds)
    return _erlang_a(load, load.patience_seconds, servers, within_seconds, short_seconds)


def servers_needed(
    load: Load, level: float, within_seconds: float, *, short_seconds: float = 0
) -> int:
    """Return the fewest servers that reach this level, from 0 to below 1.

    Computes O(log n) services. Raise ValueError for another level, or if 10,000 servers are too
    few.
    """
    if not 0 <= level < 1:
        raise ValueError("a level lies between 0 and 1")

    def suffices(servers: int) -> bool:
        told = service(load, servers, within_seconds, short_seconds=short_seconds)
        return told.level >= level

    few, many = -1, 1
    while not suffices(many):
        few, many = many, many * 2
        if many > MOST_SERVERS:
            raise ValueError("more than 10 000 servers")
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if suffices(middle) else (middle, many)
    return many


def _inverse_blocking(erlangs: float, servers: int) -> float:
    """Return 1 ÷ Erlang B: the weights of 0 to c busy servers, relative to the last weight.

    Infinite if it exceeds a float. Undefined for a load of 0.
    """
    inverse = 1.0
    for server in range(1, servers + 1):
        inverse = 1.0 + inverse * server / erlangs
    return inverse


def _erlang_c(load: Load, servers: int, within: float) -> Service:
    offered = load.erlangs
    if servers <= offered:
        return Service(1.0, 0.0, 0.0, math.inf, 1.0)
    rho = offered / servers
    waits = 1 / (rho + _inverse_blocking(offered, servers) * (1 - rho))
    pace = (servers - offered) / load.room_seconds  # the rate at which the line drains
    return Service(waits, 1 - waits * math.exp(-pace * within), 0.0, waits / pace, rho)


def _erlang_a(load: Load, patience: float, servers: int, within: float, short: float) -> Service:
    if servers == 0:
        return Service(1.0, 0.0, 1.0, patience, 0.0)
    arrive, leave = load.per_hour / 3_600, 1 / patience
    serve = servers / load.room_seconds  # of all servers together
    log_whole, ahead = _line_of(arrive, serve, leave)
    # The weight of waiting relative to a free server, which is the blocking with one server less.
    free = _inverse_blocking(load.erlangs, servers - 1)
    line = max(-700.0, min(700.0, log_whole + math.log(arrive)))
    waits = 1 / (1 + free * math.exp(-line))
    gave_up = min(1.0, waits * ahead * leave / arrive)

    def share(seconds: float) -> float:
        """Return P(V > t | V > 0), where V is the wait of a visitor who would never give up."""
        log_rest, _ = _line_of(arrive * math.exp(-leave * seconds), serve, leave)
        return math.exp(log_begin(seconds) + log_rest - log_whole)

    def log_begin(seconds: float) -> float:
        return arrive / leave * -math.expm1(-leave * seconds) - serve * seconds

    def served_within(seconds: float) -> float:
        at = math.exp(log_begin(seconds) - log_whole) - math.exp(-log_whole)
        served = at / arrive + serve / arrive * (1 - share(seconds))
        return 1 - waits + waits * min(1.0, max(0.0, served))

    left_short = 1 - waits * share(short) * math.exp(-leave * short) - served_within(short)
    left_short = min(max(0.0, left_short), gave_up) if short else 0.0
    counted = 1 - left_short
    return Service(
        waits,
        served_within(within) / counted if counted > 0 else 0.0,
        (gave_up - left_short) / counted if counted > 0 else 0.0,
        gave_up * patience,
        (1 - gave_up) * load.erlangs / servers,
    )


def _line_of(arrive: float, serve: float, leave: float) -> tuple[float, float]:
    """Return the log of the sum of weights, and the mean, of a line of 0, 1, 2 … visitors ahead.

    The weight of k ahead is arrive^k ÷ ((serve)(serve + leave) … (serve + k leave)).
    """
    log_term = largest = -math.log(serve)
    total, weighted, ahead = 1.0, 0.0, 0
    while True:
        ahead += 1
        ratio = arrive / (serve + ahead * leave)
        log_term += math.log(ratio) if ratio > 0 else -math.inf
        if log_term > largest:  # the sums are multiples of the largest term
            shrink = math.exp(largest - log_term)
            total, weighted, largest = total * shrink, weighted * shrink, log_term
        term = math.exp(log_term - largest)
        total += term
        weighted += ahead * term
        if ratio < 1 and term * ratio / (1 - ratio) < total * _SMALL:
            return largest + math.log(total), weighted / total
