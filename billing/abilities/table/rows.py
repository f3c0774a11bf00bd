"""The rows of a file of terminals: a number, and whether it resolves Yuexin messages."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from poolsite import number_format
from poolsite.table_files import read_cells

_HEADS: Final = {"number", "phone", "phone number", "msisdn", "tel", "号码", "电话", "手机号"}
_YES: Final = {"1", "yes", "y", "true", "yuexin", "是", "支持"}
_NO: Final = {"0", "no", "n", "false", "video", "否", "不支持"}


@dataclass(frozen=True, slots=True)
class AbilityRow:
    """A row and its place in the file, counted from 1. `fault` says why it can't be imported."""

    row: int
    number: str = ""
    supports_yuexin: bool = False
    fault: str = ""


def read_rows(path: Path, file_name: str) -> Iterator[AbilityRow]:
    """Yield all rows but a header and empty ones. Raise UnreadableFileError, even later on."""
    for index, cells in enumerate(read_cells(path, file_name), start=1):
        texts = [cell.strip() for cell in cells]
        if not any(texts) or (index == 1 and texts[0].lower() in _HEADS):
            continue
        yield _row(index, texts)


def _row(index: int, texts: list[str]) -> AbilityRow:
    try:
        number = number_format.parse(texts[0])
    except number_format.NotANumberError as error:
        return AbilityRow(index, fault=str(error))
    word = texts[1].lower() if len(texts) > 1 else ""
    if word not in _YES and word not in _NO:
        return AbilityRow(index, fault=f"“{word[:20]}” is neither yes nor no")
    return AbilityRow(index, number, word in _YES)
