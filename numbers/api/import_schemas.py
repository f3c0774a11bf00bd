"""Requests and answers about imports."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT

CSV_LIMIT = 2 * 1024 * 1024  # the limit for a JSON body; files up to 32 MB are uploaded on the page
RowKind = Literal["unchanged", "cleaned", "suspicious", "refused"]
StateWord = Literal[
    "reading",
    "previewed",
    "importing",
    "done",
    "undoing",
    "undone",
    "discarded",
    "failed",
    "stopped",
]


class ImportIn(BaseModel):
    """A CSV file with numbers. Columns: number, and optionally label and region."""

    model_config = STRICT

    csv: Annotated[str, StringConstraints(min_length=1, max_length=CSV_LIMIT)] = Field(
        description="The text of the file. The first row can name the columns."
    )
    file_name: Annotated[
        str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f/\\]+\.csv$")
    ] = Field("numbers.csv", description="The name under which people see the import.")


class ImportsIn(PageIn):
    """The imports into a pool: filters."""

    state: StateWord | None = None


class ProgressOut(BaseModel):
    """How far the import's current step is."""

    done: int = Field(description="Rows or numbers processed so far.")
    total: int | None = Field(description="Null while the number of rows isn't known.")
    seconds_left: int | None


class ImportOut(BaseModel):
    """An import, its preview and its progress."""

    id: int
    name: str = Field(description="The ID as pages show it.")
    pool: str
    file_name: str
    by: str
    state: StateWord
    problem: str = Field(description="Why the file could not be read.")
    unchanged: int = Field(description="Rows whose number is imported as written.")
    cleaned: int = Field(description="Rows whose number is imported in a cleaned-up format.")
    suspicious: int = Field(
        description="Rows that look like a number and mean something else. They are left out."
    )
    refused: int = Field(description="Rows that can't be imported.")
    to_import: int = Field(description="Numbers that `confirm` adds.")
    imported: int
    removed: int = Field(description="Numbers that `undo` removed.")
    can_confirm: bool
    can_undo: bool
    can_discard: bool
    progress: ProgressOut | None = Field(description="Null unless a step is in progress.")
    created_at: str
    finished_at: str | None


class ImportRowsIn(PageIn):
    """The rows of an import: filters."""

    kind: RowKind | None = Field(None, description="Only rows with this result.")


class ImportRowOut(BaseModel):
    """A row of the file, and its result."""

    row: int
    kind: RowKind
    text: str = Field(description="The number as written in the file.")
    number: str = Field(description="The number that is imported. Empty if there is none.")
    label: str
    region: str
    reason: str = Field(description="Why the row is left out, or what was cleaned up.")
    remedy: str = Field(description="What to write instead. Empty if there is no general answer.")
