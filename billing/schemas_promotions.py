"""Requests and responses about promotional credit."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from billing.schemas_common import Amount, Once, Reason
from billing.schemas_paying import AdjustmentOut
from poolsite.api.pages import PageIn
from poolsite.api.reading import STRICT, Moment

PromotionState = Literal["waiting", "active", "used", "expired", "revoked"]


class PromotionsIn(PageIn):
    """Filters of the promotional credits."""

    active: bool = Field(False, description="Only those that can still be used.")


class PromotionIn(BaseModel):
    """Promotional credit to grant."""

    model_config = STRICT

    amount: Amount
    expires_at: Moment = Field(description="The last time at which it can be used.")
    reason: Reason
    token: Once = None


class PromotionOut(BaseModel):
    """Promotional credit: used before own money, until it expires."""

    id: int
    amount: str
    remaining: str = Field(description="The unused part, as the books have it.")
    state: PromotionState = Field(description="waiting: not in the balance yet.")
    expires_at: datetime
    reason: str
    granted_by: str
    granted_at: datetime
    revoked_at: datetime | None
    revoked_by: str


class PromotionAskedOut(BaseModel):
    """The adjustment that grants it, and the promotional credit once that is approved."""

    adjustment: AdjustmentOut
    promotion: PromotionOut | None = Field(description="Null while the adjustment waits.")
