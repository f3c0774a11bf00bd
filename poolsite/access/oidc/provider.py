"""The provider in the settings, as allauth expects it: without a row in the database."""

import secrets
import time
from typing import Any

from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from poolsite.access.mails import site_of
from poolsite.access.oidc import discovery, id_token
from poolsite.plain_text import one_line


class ProviderClient(OpenIDConnectOAuth2Adapter):
    """The client of the provider: builds redirects and exchanges codes for tokens."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's endpoints."""
        return discovery.document()

    @property
    def basic_auth(self) -> bool:
        """Whether the client sends its secret by `client_secret_basic`, the standard's default."""
        methods = self.openid_config.get("token_endpoint_auth_methods_supported")
        return "client_secret_post" not in (methods or ["client_secret_basic"])

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the redirect URI that is registered at the provider."""
        return site_of(request) + reverse("sign_on_callback")

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Exchange the code for tokens. Raise OAuth2Error also for an unreadable answer."""
        try:
            data: dict[str, Any] = super().get_access_token_data(*args, **kwargs)
        except (KeyError, ValueError, TypeError) as error:
            raise OAuth2Error("the token endpoint's answer cannot be read") from error
        data.pop("expires_in", None)  # the access token is not stored
        return data

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any
    ) -> Any:
        """Return the log-in of the verified ID token; `.claims` has its claims."""
        given = kwargs["response"].get("id_token")
        if not isinstance(given, str):
            raise OAuth2Error("the answer has no ID token")
        claims = _with_user_info(id_token.verified(given), token.token)
        login = self.get_provider().sociallogin_from_response(request, claims)
        login.claims = claims
        return login


def _with_user_info(claims: dict[str, Any], access_token: str) -> dict[str, Any]:
    """Return the claims with those that only the userinfo endpoint has; the signed token wins."""
    wanted = (settings.OIDC_GROUPS_CLAIM, "email")
    url = discovery.document().get("userinfo_endpoint")
    if not url or all(name in claims for name in wanted):
        return claims
    told = discovery.get_json(url, Authorization=f"Bearer {access_token}")
    if told.get("sub") != claims["sub"]:
        raise OAuth2Error("the userinfo endpoint tells of somebody else")
    return {**told, **claims}


class Provider(OpenIDConnectProvider):
    """Code flow with PKCE, state and nonce. Only the issuer and `sub` identify a user."""

    pkce_enabled_default = True
    oauth2_adapter_class = ProviderClient

    def extract_uid(self, data: dict[str, Any]) -> str:
        """Return the subject."""
        return str(data["sub"])

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what pages show of the linked account; nothing else is stored."""
        return {"shown": shown_name(data)}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return nothing: `services.single_sign_on` creates users."""
        return {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        """Return nothing: no user is matched by address."""
        return []

    def send(
        self, request: HttpRequest, purpose: str, next_url: str, **asked: str
    ) -> HttpResponseBase:
        """Redirect to the provider; the session stores purpose, nonce and time with the state.

        Raise OAuth2Error if the provider's endpoints cannot be read.
        """
        nonce = secrets.token_urlsafe(24)
        kept = {"purpose": purpose, "nonce": nonce, "asked_at": time.time()}
        if request.user.is_authenticated:
            kept["user"] = request.user.pk
        sent: HttpResponseBase = self.redirect(
            request,
            process="login",
            next_url=next_url,
            scope=list(settings.OIDC_SCOPES),
            auth_params={"nonce": nonce, **asked},
            **kept,
        )
        return sent


def shown_name(claims: dict[str, Any]) -> str:
    """Return the provider's name of the person in one line, or ""."""
    return one_line(str(claims.get("preferred_username") or claims.get("email") or ""))[:200]


def is_on() -> bool:
    """Whether people may log in by a provider."""
    return bool(settings.OIDC_ISSUER)


def provider_of(request: HttpRequest) -> Provider:
    """Return the provider. Raise SocialApp.DoesNotExist if the settings name none."""
    if not is_on():
        raise SocialApp.DoesNotExist
    app = SocialApp(
        provider=Provider.id,
        provider_id=settings.OIDC_ISSUER,  # stored with each linked user
        name=settings.OIDC_NAME,
        client_id=settings.OIDC_CLIENT_ID,
        secret=settings.OIDC_CLIENT_SECRET,
    )
    return Provider(request, app=app)
