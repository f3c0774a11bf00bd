"""docs/reference/asvs.md lists every requirement of the standard once, with correct counts."""

import re
from collections import Counter
from collections.abc import Iterator

from tests.house.source import ROOT

PAGE = (ROOT / "docs/reference/asvs.md").read_text()
ROW = re.compile(
    r"^\| ([\d.]+)(?: to ([\d.]+))? \| ([123, ]+) \| (yes|partly|no|n/a) \|", re.MULTILINE
)
TOTAL = re.compile(r"^\| ([123]) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)

# The level of each requirement of the standard, by section: V1.1 has two, both of level 2.
LEVELS = """
1.1 22 1.2 1111122223 1.3 112222222223 1.4 222 1.5 123 2.1 122 2.2 112 2.3 12223 2.4 23
3.1 3 3.2 113 3.3 12223 3.4 11222233 3.5 11122333 3.6 3 3.7 22333 4.1 12233 4.2 23333 4.3 22
4.4 1222 5.1 2 5.2 112333 5.3 113 5.4 222 6.1 122 6.2 111111112222 6.3 11223333 6.4 112233
6.5 22222333 6.6 2223 6.7 33 6.8 2222 7.1 222 7.2 1111 7.3 22 7.4 11222 7.5 223 7.6 22
8.1 1233 8.2 1123 8.3 133 8.4 23 9.1 111 9.2 1222 10.1 22 10.2 223 10.3 22223
10.4 1111122222233333 10.5 22222 10.6 22 10.7 222 11.1 2233 11.2 22233 11.3 11233 11.4 1222
11.5 23 11.6 23 11.7 33 12.1 12233 12.2 11 12.3 22223 13.1 2333 13.2 222223 13.3 2233
13.4 1222233 14.1 22 14.2 12223333 14.3 122 15.1 12233 15.2 12233 15.3 1222222 15.4 3333
16.1 2 16.2 22222 16.3 2222 16.4 222 16.5 2223 17.1 23 17.2 22223333 17.3 22
"""


def _standard() -> dict[str, str]:
    return {
        f"{section}.{number}": level
        for section, levels in re.findall(r"(\d+\.\d+) (\d+)", LEVELS)
        for number, level in enumerate(levels, 1)
    }


def _judged() -> Iterator[tuple[str, str]]:
    """Yield each requirement with its verdict. A row may span several requirements of a section."""
    for first, last, _levels, verdict in ROW.findall(PAGE):
        section, _, number = first.rpartition(".")
        until = int((last or first).rpartition(".")[2])
        for each in range(int(number), until + 1):
            yield f"{section}.{each}", verdict


def test_every_requirement_is_judged_once() -> None:
    assert Counter(name for name, _verdict in _judged()) == Counter(_standard().keys())


def test_each_row_has_the_level_of_the_standard() -> None:
    standard = _standard()
    wrong = [
        first
        for first, last, level, _verdict in ROW.findall(PAGE)
        if not last and standard[first] != level
    ]
    assert wrong == []


def test_the_counts_are_those_of_the_rows() -> None:
    standard = _standard()
    counted = Counter((standard[name], verdict) for name, verdict in _judged())
    told = {
        (level, verdict): int(number)
        for level, *numbers in TOTAL.findall(PAGE)
        for verdict, number in zip(("yes", "partly", "no", "n/a"), numbers, strict=True)
    }
    assert len(told) == 12
    assert told == {key: counted[key] for key in told}
