"""Whether the platform can hear people: its own outage must not count as their absence.

Web processes hear people, and each leaves a mark every 2 s. While there is no mark, or Redis does
not answer, a visitor who is not heard may still be present.
"""

from poolsite.hotpath.clock import pace

WEB_KEY = "web:heard"  # set by each web process; expires
WEB_KEPT_SECONDS = 6
NOTED_SECONDS = 3.0  # how long a reading of the mark is valid


class Hearing:
    """Since when people are heard, as one process knows it from repeated notes.

    The timers read the mark once a second. A web process notes that it has left its own mark: it
    hears people itself. noted_seconds: for how long a note is valid.
    """

    def __init__(self, noted_seconds: float = NOTED_SECONDS) -> None:
        self._noted_seconds = noted_seconds
        self._since_ms: int | None = None
        self._noted_at = float("-inf")  # by our own clock, `pace`

    def note(self, now: float, web_lives: bool = True) -> None:
        """Note that people can be heard now, or can't. now: Redis' time, seconds since 1970."""
        unbroken = pace() - self._noted_at <= self._noted_seconds
        self._noted_at = pace()
        if not web_lives:
            self._since_ms = None
        elif self._since_ms is None or not unbroken or self._since_ms > now * 1_000:
            self._since_ms = round(now * 1_000)

    def interrupt(self) -> None:
        """Note that this process was delayed: people are heard again from the next note on."""
        self._since_ms = None

    @property
    def since_ms(self) -> int | None:
        """Since when people are heard without a break, by Redis' time. None if they are not heard
        now.
        """
        return self._since_ms if pace() - self._noted_at <= self._noted_seconds else None


here = Hearing(WEB_KEPT_SECONDS)  # of a web process, which sweeps if no timers run
_hearing: Hearing | None = None  # of the timers


def begin() -> Hearing:
    """Have this process read the mark. Before its first read no one is heard."""
    global _hearing
    _hearing = Hearing()
    return _hearing


def heard_since_ms() -> int | None:
    """Return since when people are heard without a break: None if they are not heard now, 0 if this
    process does not read the mark.
    """
    return _hearing.since_ms if _hearing is not None else 0
