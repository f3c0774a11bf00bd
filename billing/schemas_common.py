"""Fields that billing's requests share."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, Strict, StringConstraints

from poolsite.api.reading import LINE, STRICT

# One line without control characters, for filters.
Line = Annotated[str, StringConstraints(max_length=120, pattern=LINE)]
Amount = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{1,12}(\.[0-9]{1,4})?$"),
    Field(description="An amount in the account's currency, such as 12.50.", examples=["12.50"]),
]
Name = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]+$")]
Reason = Annotated[str, Field(max_length=200, description="Kept in the audit log.")]
Once = Annotated[
    UUID | None,
    Strict(False),
    Field(description="A UUID of your choice. Repeating it repeats nothing."),
]

BALANCE = Field(
    description="The account's money, without the amount on hold. Negative while credit is used."
)
CREDIT_LIMIT = Field(description="How far the balance can go below zero.")
PROMOTIONAL = Field(description="The part of the balance that is promotional credit.")
SPENDABLE = Field(description="balance + credit_limit, at least 0.0000.")


class MoneyReasonIn(BaseModel):
    """The reason for a change."""

    model_config = STRICT

    reason: Reason


class MoneyNoteIn(BaseModel):
    """The reason for a change, optional."""

    model_config = STRICT

    reason: Reason = ""
