"""API tokens in the API: listed, created by a person, revoked."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import BaseModel, Field, StringConstraints

from poolsite.access import Hidden, Principal, require, selectors, services
from poolsite.access.models import ApiToken
from poolsite.api.callers import allowed, require_confirmed
from poolsite.api.fields import Line
from poolsite.api.idempotency import shows_secret
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path
from poolsite.api.reading import LINE, STRICT, Moment
from poolsite.api.root import ProblemError
from poolsite.moments import iso
from poolsite.people.api.common import account_of

router = Router(tags=["tokens"])
VIEW, CHANGE = "access.tokens_view", "access.tokens_change"
TokenId = id_in_path("The token's ID.")
Word = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=LINE)]
Words = Annotated[list[Word], Field(max_length=200)]


class TokensIn(PageIn):
    """Filters of the list of tokens."""

    q: Line = Field("", description="The beginning of the name or prefix.")
    state: Literal["live", "expired", "revoked", "all"] = "live"


class ApiTokenOut(BaseModel):
    """An API token, without its secret."""

    id: int
    name: str
    prefix: str = Field(description="How the secret begins.")
    account: str | None = Field(description="Null: the platform's.")
    actions: list[str] = Field(description="Permissions. `*`: all that tokens can have.")
    resources: list[str] = Field(description="Objects, such as `pool:retail-east` or `pool:*`.")
    events: list[str]
    switch: str
    networks: list[str] = Field(description="Where it can be used. Empty: anywhere.")
    created_at: str
    expires_at: str
    revoked_at: str | None
    last_used_at: str | None


class ApiTokenMadeOut(ApiTokenOut):
    """A new API token."""

    token: str = Field(description="The secret. It is not shown again.")


class ApiTokenIn(BaseModel):
    """A new API token."""

    model_config = STRICT

    name: str = Field(min_length=1, max_length=80, pattern=LINE)
    account: str | None = Field(
        None,
        pattern=r"^[a-z0-9-]{1,40}$",
        description="Omit it for a token of the platform, which takes the Operate grant.",
    )
    actions: Words = Field(description="Permissions, such as `numbers.view`.")
    resources: Words = Field(
        description="Objects, such as `pool:retail-east` or `pool:*`. `*`: platform tokens only."
    )
    events: Words = Field(
        default_factory=list, description="Default: the events of the permissions."
    )
    switch: str = Field(
        "", max_length=64, pattern=LINE, description="Reports then count for this switch only."
    )
    networks: Words = Field(
        default_factory=list, description="Addresses or CIDR networks. Default: any address."
    )
    expires_at: Moment | None = Field(
        None, description="Up to two years from now. Default: in 90 days."
    )


class RevokeIn(BaseModel):
    """The reason for revoking the token, which the audit log stores."""

    model_config = STRICT

    reason: Line = ""


@router.get("", response={200: Page[ApiTokenOut]}, summary="List tokens")
def list_tokens(request: HttpRequest, asked: Query[TokensIn]) -> Any:
    """The API tokens that you can view. By default only valid tokens."""
    principal = allowed(request, VIEW)
    return page(request, asked, selectors.tokens(principal, text=asked.q, state=asked.state), _out)


@router.post("", response={201: ApiTokenMadeOut}, summary="Create a token")
@shows_secret
def create_token(request: HttpRequest, given: ApiTokenIn) -> Any:
    """Create an API token. The response has its secret, which is not shown again."""
    principal = allowed(request, CHANGE)
    require_confirmed(request)
    data = given.model_dump()
    slug = data.pop("account")
    account = account_of(principal, slug, CHANGE) if slug is not None else None
    token, secret = services.token_issue(actor=principal, account=account, **data)
    return Status(201, ApiTokenMadeOut(**_fields(token), token=secret))


@router.get("/{token}", response={200: ApiTokenOut}, summary="Get a token")
def get_token(request: HttpRequest, token: int = TokenId) -> Any:
    """An API token, without its secret."""
    return _out(_token(allowed(request, VIEW), token, VIEW))


@router.post(
    "/{token}/revoke",
    response={200: ApiTokenOut},
    summary="Revoke a token",
)
def revoke_token(request: HttpRequest, given: RevokeIn, token: int = TokenId) -> Any:
    """Revoke a token. It is refused everywhere within a second. Revoking it again does nothing."""
    principal = allowed(request, CHANGE)
    found = _token(principal, token, CHANGE)
    return _out(services.token_revoke(token=found, actor=principal, reason=given.reason))


def _token(principal: Principal, key: int, action: str) -> ApiToken:
    found = ApiToken.objects.select_related("account").filter(pk=key).first()
    try:
        if found is None:
            raise Hidden(action)
        require(principal, action, found)
    except Hidden:
        raise ProblemError("unknown-token", "token not found") from None
    return found


def _out(token: ApiToken) -> ApiTokenOut:
    return ApiTokenOut(**_fields(token))


def _fields(token: ApiToken) -> dict[str, Any]:
    lists = {name: getattr(token, name) for name in ("actions", "resources", "events", "networks")}
    return {
        "id": token.pk,
        "name": token.name,
        "prefix": token.prefix,
        "account": token.account.slug if token.account is not None else None,
        **lists,
        "switch": token.switch,
        "created_at": token.created_at.isoformat(),
        "expires_at": token.expires_at.isoformat(),
        "revoked_at": iso(token.revoked_at),
        "last_used_at": iso(token.last_used_at),
    }
