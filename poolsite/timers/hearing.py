"""Whether the service hears people: an outage of its own is nobody's silence.

People are heard by web processes, each of which leaves a mark every 2 s. While no mark is there,
or Redis does not answer, a visitor who is not heard may well be there.
"""

from poolsite.hotpath.clock import pace

WEB_KEY = "web:heard"  # set by each web process, expires by itself
WEB_KEPT_SECONDS = 6
NOTED_SECONDS = 3.0  # a look at the mark counts for so long


class Hearing:
    """What one process knows of it, by noting it again and again.

    The timers look at the mark once a second. A web process notes that it has left its own: it
    hears people itself. noted_seconds: how long a note counts.
    """

    def __init__(self, noted_seconds: float = NOTED_SECONDS) -> None:
        self._noted_seconds = noted_seconds
        self._since_ms: int | None = None
        self._noted_at = float("-inf")  # on our pace

    def note(self, now: float, web_lives: bool = True) -> None:
        """People can be heard now, or cannot. now: Redis' time, seconds since 1970."""
        unbroken = pace() - self._noted_at <= self._noted_seconds
        self._noted_at = pace()
        if not web_lives:
            self._since_ms = None
        elif self._since_ms is None or not unbroken or self._since_ms > now * 1_000:
            self._since_ms = round(now * 1_000)

    def interrupt(self) -> None:
        """This process was held up: people are heard again from the next note on."""
        self._since_ms = None

    @property
    def since_ms(self) -> int | None:
        """Since when people are heard without a break, by Redis' time. None: they are not now."""
        return self._since_ms if pace() - self._noted_at <= self._noted_seconds else None


here = Hearing(WEB_KEPT_SECONDS)  # of a web process, which sweeps where no timers do
_hearing: Hearing | None = None  # of the timers


def begin() -> Hearing:
    """This process looks at the mark; before its first look nobody is heard."""
    global _hearing
    _hearing = Hearing()
    return _hearing


def heard_since_ms() -> int | None:
    """Since when people are heard without a break. None: not now; 0: this process does not look."""
    return _hearing.since_ms if _hearing is not None else 0
