"""Requests and responses about accounts and people."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.fields import Email, Line, Reason, Slug40
from poolsite.api.pages import PageIn
from poolsite.api.reading import LINE, STRICT

RoleName = Literal["owner", "admin", "payer", "sender", "supervisor", "agent"]
GrantWord = Literal["operate", "finance", "supervise"]
RequestStatus = Literal["waiting", "approved", "rejected", "withdrawn"]
Name120 = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=LINE)]
PersonName = Annotated[str, StringConstraints(max_length=150, pattern=LINE)]
Zone = Annotated[str, StringConstraints(max_length=64, pattern=LINE)]
Locale = Annotated[str, StringConstraints(max_length=16, pattern=LINE)]
Object = Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z]+:([a-z0-9-]{1,40}|\*)$")]


# -- accounts --------------------------------------------------------------------------------------


class AccountsIn(PageIn):
    """Filters of the list of accounts."""

    q: Line = Field("", description="The beginning of the slug or name.")
    tag: Line = Field("", description="A tag of the account. Operators only.")


class AccountDetailOut(BaseModel):
    """An account."""

    slug: str
    name: str
    zone: str = Field(description="Time zone, such as Asia/Shanghai.")
    currency: str
    locale: str = Field(description="Language of emails to the account.")
    created_at: str


class AccountCreateIn(BaseModel):
    """A new account."""

    model_config = STRICT

    slug: Slug40 = Field(description="It can't be changed later.")
    name: Name120
    zone: Zone = Field("", description="Default: the platform's time zone.")
    currency: str = Field(
        "",
        max_length=3,
        pattern=r"^[A-Za-z]*$",
        description="Three-letter code. It can't be changed later. Default: the platform's.",
    )
    locale: Locale = "en"


class AccountChangeIn(BaseModel):
    """Changes to an account. Fields that you omit stay as they are."""

    model_config = STRICT

    name: Name120 | None = None
    zone: Zone | None = None
    locale: Locale | None = None
    reason: Line = ""


# -- people ----------------------------------------------------------------------------------------


class MembersIn(PageIn):
    """Filters of the list of members."""

    q: Line = Field("", description="The beginning of the username, name or email address.")
    role: RoleName | None = None


class OperatorsIn(PageIn):
    """Filters of the list of operators."""

    q: Line = Field("", description="The beginning of the username, name or email address.")


class PersonOut(BaseModel):
    """A user."""

    id: int
    username: str
    name: str
    email: str
    active: bool = Field(description="False: the user can't log in.")
    second_factor: bool = Field(description="Whether two-factor authentication is set up.")
    last_login_at: str | None


class MemberOut(PersonOut):
    """A member of an account."""

    roles: list[RoleName]
    supervises: list[str] = Field(
        description="Desks that the member supervises without the role `supervisor`."
    )


class MemberChangeIn(BaseModel):
    """Changes to a member. Fields that you omit stay as they are."""

    model_config = STRICT

    roles: list[RoleName] | None = Field(
        None, max_length=6, description="All roles in the account. An empty list ends them."
    )
    supervises: list[Object] | None = Field(
        None, max_length=200, description="All individual desks, such as `desk:support`."
    )


class OperatorOut(PersonOut):
    """An operator."""

    grants: list[str] = Field(description="A grant for one object has its name after a space.")
    all_rights: bool = Field(description="Whether this is a superuser.")


class OperatorChangeIn(BaseModel):
    """Changes to an operator."""

    model_config = STRICT

    grants: list[GrantWord] = Field(max_length=3, description="All grants for the whole platform.")
    reason: Reason


class OperatorChangedOut(BaseModel):
    """The result of the change."""

    changed: bool = Field(description="Whether grants were added or removed.")
    waits_for_approval: bool = Field(
        description="Whether the Finance grant waits for a second finance operator."
    )


class PersonReasonIn(BaseModel):
    """The reason, which the audit log stores."""

    model_config = STRICT

    reason: Reason


class ApprovalIn(BaseModel):
    """An approval."""

    model_config = STRICT

    reason: Line = ""


# -- invitations -----------------------------------------------------------------------------------


class MemberInviteIn(BaseModel):
    """An invitation into an account."""

    model_config = STRICT

    email: Email
    role: RoleName


class OperatorInviteIn(BaseModel):
    """An invitation of an operator."""

    model_config = STRICT

    email: Email
    grants: list[GrantWord] = Field(
        default_factory=list,
        max_length=3,
        description="Only grants that you have. Finance waits for a second finance operator.",
    )


class InvitationOut(BaseModel):
    """An open invitation."""

    id: int
    account: str | None = Field(description="Null: an invitation of an operator.")
    email: str
    role: str
    grants: list[str]
    invited_by: str | None
    created_at: str
    expires_at: str


class InvitationMadeOut(InvitationOut):
    """A new invitation."""

    mailed: bool = Field(description="False: the email couldn't be sent. Invite again.")


# -- finance grants --------------------------------------------------------------------------------


class FinanceRequestsIn(PageIn):
    """Filters of the list of finance requests."""

    status: RequestStatus | None = None


class FinanceRequestOut(BaseModel):
    """A request for the Finance grant."""

    id: int
    user: str = Field(description="Who would get the grant, by username.")
    requested_by: str
    requested_at: str
    reason: str
    status: RequestStatus
    decided_by: str | None
    decided_at: str | None
    decision_reason: str
