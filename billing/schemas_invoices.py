"""Requests and responses about invoices, tax profiles, the seller and tax rates."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, Strict, StringConstraints

from billing.schemas_common import Line, Reason
from poolsite.api.pages import PageIn
from poolsite.api.reading import LINE, LINES, STRICT

Service = Literal["messages", "calls"]
TaxTreatment = Literal["standard", "exempt", "reverse_charge"]
InvoiceState = Literal["issued", "credited"]
CreditNoteState = Literal["waiting", "issued", "rejected"]


def _as_day(value: object) -> object:
    # Pydantic would read a number as seconds.
    if not isinstance(value, date) and not (isinstance(value, str) and value[4:5] == "-"):
        raise ValueError("use a day such as 2026-11-28")
    return value


Day = Annotated[date, Strict(False), BeforeValidator(_as_day)]
MonthName = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}$"),
    Field(description="Such as 2026-11, in the account's time zone."),
]
Country = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z]{2}$"),
    Field(description="Two capital letters, such as CN."),
]
Percent = Annotated[
    str,
    StringConstraints(pattern=r"^(100(\.0{1,2})?|[0-9]{1,2}(\.[0-9]{1,2})?)$"),
    Field(description="A percentage with up to two decimal places, such as 6 or 5.5."),
]
LegalName = Annotated[str, Field(min_length=1, max_length=200, pattern=LINE)]
Address = Annotated[
    str,
    Field(min_length=1, max_length=400, pattern=LINES, description="Up to six lines."),
]
TaxId = Annotated[str, Field(max_length=60, pattern=LINE)]


class InvoicesIn(PageIn):
    """Filters of an account's invoices."""

    state: InvoiceState | None = None
    month: MonthName | None = None


class AllInvoicesIn(InvoicesIn):
    """Filters of the invoices of all accounts."""

    q: Line = Field("", description="The start of a number, or of an account's name or slug.")


class InvoiceIssueIn(BaseModel):
    """The month to invoice."""

    model_config = STRICT

    month: MonthName


class PartyOut(BaseModel):
    """A seller or customer, as it was when the invoice was issued."""

    name: str
    address: str
    country: str
    tax_id: str


class InvoiceLineOut(BaseModel):
    """The charges of one mode and chatbot. `net + tax = amount`."""

    position: int
    mode: str = Field(description="Empty for other charges.")
    chatbot: str
    quantity: int
    net: str
    tax_name: str
    tax_rate: str = Field(description="In percent.")
    tax: str
    amount: str


class TaxLineOut(BaseModel):
    """The tax of all lines of one rate. `net + tax = amount`."""

    name: str = Field(description="Empty if the lines are not taxed.")
    rate: str = Field(description="In percent.")
    net: str
    tax: str
    amount: str


class CreditNoteOut(BaseModel):
    """A credit note: requested by one operator, and above a limit approved by another."""

    id: int
    number: str = Field(description="Empty until it is issued.")
    state: CreditNoteState
    reason: str
    requested_by: str
    requested_at: datetime
    decided_by: str
    decided_at: datetime | None
    decision_reason: str
    issued_on: date | None


class InvoiceRow(BaseModel):
    """An invoice. `net + tax = total = paid + due`; `paid` was paid by the end of the month."""

    id: int
    account: str
    number: str
    month: str
    state: InvoiceState
    credit_note: str = Field(description="Number of the credit note that cancels it, or empty.")
    currency: str
    net: str
    tax: str
    total: str
    paid: str
    due: str
    issued_at: datetime
    issued_on: date


class InvoiceOut(InvoiceRow):
    """An invoice with its lines."""

    zone: str = Field(description="The time zone of the month.")
    treatment: TaxTreatment
    seller: PartyOut
    customer: PartyOut
    lines: list[InvoiceLineOut]
    taxes: list[TaxLineOut]


class TaxProfileIn(BaseModel):
    """The customer's details on the account's next invoices."""

    model_config = STRICT

    legal_name: LegalName
    address: Address
    country: Country
    tax_id: TaxId = ""
    treatment: TaxTreatment = "standard"
    email: Annotated[str, Field(max_length=254, pattern=LINE)] = Field(
        "", description="Gets each invoice by email. Leave it empty for none."
    )
    reason: Reason = ""


class TaxProfileOut(BaseModel):
    """The customer's details on the account's next invoices."""

    entered: bool = Field(description="While false, invoices have the account's name.")
    legal_name: str
    address: str
    country: str
    tax_id: str
    treatment: TaxTreatment
    email: str


class SellerIn(BaseModel):
    """The company that issues the invoices."""

    model_config = STRICT

    name: LegalName
    address: Address
    country: Country
    tax_id: TaxId = ""
    prefix: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{1,10}$")] = Field(
        description="The start of each number. Another prefix starts new sequences."
    )
    zone: Annotated[str, Field(max_length=64, pattern=LINE)] = Field(
        description="The time zone of the invoices' days."
    )
    first_month: Day = Field(description="Earlier months are not invoiced automatically.")
    reason: Reason = ""


class SellerOut(BaseModel):
    """The company that issues the invoices."""

    name: str
    address: str
    country: str
    tax_id: str
    prefix: str
    zone: str
    first_month: date


class TaxRatesIn(PageIn):
    """Filters of the tax rates."""

    country: Country | None = None
    kind: Service | None = None


class TaxRateIn(BaseModel):
    """A new tax rate. It ends the current one of the country and service when it starts."""

    model_config = STRICT

    country: Country
    kind: Service
    name: Annotated[str, Field(min_length=1, max_length=40, pattern=LINE)] = Field(
        description="As invoices show it, such as VAT."
    )
    rate: Percent
    valid_from: Day
    valid_until: Day | None = Field(None, description="Exclusive. Default: no end.")
    reason: Reason = ""


class TaxRateEndIn(BaseModel):
    """When a tax rate ends."""

    model_config = STRICT

    valid_until: Day = Field(description="Exclusive.")
    reason: Reason = ""


class TaxRateOut(BaseModel):
    """A tax that prices include."""

    id: int
    country: str
    kind: Service
    name: str
    rate: str
    valid_from: date
    valid_until: date | None
