"""A fast way to a tile's letter (numbers.pool.number_state), from a state's JSON or an entry."""

import re

from numbers.pool import parse_state, state_letter

_OURS = re.compile(
    r'\{"callstate":([01]),"regstate":([01]),"at":(\d+)(?:,"held":"([a-z]*)")?(.*)\}$', re.DOTALL
)
_DAY = re.compile(r'"day":(\d+)')


def letter_of_code(code: str, ready_us: int, now_us: int) -> str:
    """Return the letter of a state's code in the history at a moment: rests end with time."""
    letter = state_letter(code)
    if letter == "R":
        return "r" if ready_us > now_us else "R"
    if letter in "rp" and ready_us <= now_us:
        return "R"
    return letter


def letter_of_state(text: str | None, now_us: int) -> tuple[str, int]:
    """Return the letter for a number's JSON in Redis, and when it is ready (0: not resting)."""
    if text is None:
        return "-", 0
    found = _OURS.match(text)
    if found is None:  # another program wrote it, or it can't be read
        state = parse_state("", text)
        return (state.letter(now_us) if state is not None else "-"), 0
    busy, up, since, held, rest = found.groups()
    code = ("b" if busy == "1" else "i") + ("u" if up == "1" else "d") + (held or "")
    if busy == "1" and '"suspect":1' in rest:
        code += "s"
    ready_us = int(since)
    day = _DAY.search(rest)
    if day is not None and int(day[1]) * 1_000_000 == ready_us:
        code += "c"
    letter = letter_of_code(code, ready_us, now_us)
    return letter, ready_us if letter in "rp" else 0
