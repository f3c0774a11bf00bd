"""Packs tiles into a short text that a browser reads with one pattern (static/live/tiles.js).

`[<gap>]<letter>[*<times>;]…`: the gap to the previous tile (omitted if adjacent; the first counts
from -1), the state's letter, and how often it repeats on the following tiles. `3RC*9;` = tile 2 is
R, tiles 3 to 12 are C. A tile takes one to three characters.
"""

import re
from collections.abc import Iterable, Iterator

_TILE = re.compile(r"(\d*)([A-Za-z?-])(?:\*(\d+);)?")


def pack_tiles(tiles: Iterable[tuple[int, str]]) -> str:
    """Return the text for (index, letter) in ascending order of index."""
    words: list[str] = []
    before = -1
    run_letter, run = "", 0
    for index, letter in tiles:
        if run and index == before + 1 and letter == run_letter:
            run += 1
        else:
            _end_run(words, run_letter, run - 1)
            gap = index - before
            words.append(letter if gap == 1 else f"{gap}{letter}")
            run_letter, run = letter, 1
        before = index
    _end_run(words, run_letter, run - 1)
    return "".join(words)


def _end_run(words: list[str], letter: str, times: int) -> None:
    if times > 3:
        words.append(f"*{times};")
    elif times > 0:
        words.append(letter * times)


def unpack_tiles(text: str) -> Iterator[tuple[int, str]]:
    """Yield the (index, letter) of a text."""
    index = -1
    for gap, letter, times in _TILE.findall(text):
        index += int(gap) if gap else 1
        yield index, letter
        for _ in range(int(times) if times else 0):
            index += 1
            yield index, letter
