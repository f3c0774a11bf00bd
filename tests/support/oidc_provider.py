"""A small OpenID Connect provider on 127.0.0.1: real HTTP, real RS256 tokens, strict about clients.

It has one client, shows a page with one button (or redirects at once), checks the redirect URI, the
client secret and PKCE, and accepts each code once. A test sets what should go wrong in
`Provider.faults`.
"""

import base64
import hashlib
import html
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.http_server import http_server

CLIENT_ID, CLIENT_SECRET = "poolsite", "the secret of the client"
KEY_ID = "key-1"


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Provider:
    """`person`: the claims of the logged-in user. `faults`: what goes wrong, and how."""

    port: int = 0
    key: rsa.RSAPrivateKey = field(default_factory=new_key)
    person: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, Any] = field(default_factory=dict)
    asks: bool = False  # whether the user must press a button
    waiting: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)  # authorization requests

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}/realm"

    def document(self) -> dict[str, Any]:
        described = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/logout",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }
        return described | self.faults.get("document", {})

    def keys(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [public | {"kid": KEY_ID, "use": "sig", "alg": "RS256"}]}

    def code_for(self, asked: dict[str, str]) -> str:
        """Return the URL that the user is sent back to, with a code."""
        code = secrets.token_urlsafe(16)
        self.waiting[code] = asked
        answer = {"code": code, "state": asked["state"]}
        if "error" in self.faults:
            answer = {"error": self.faults["error"], "state": asked["state"]}
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def tokens(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Return the token endpoint's answer, or None if the client or the code is refused."""
        shown = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        asked = self.waiting.pop(form.get("code", ""), None)
        if asked is None or authorization != f"Basic {shown}":
            return None
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return None
        return {
            "access_token": "for userinfo",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": self.id_token(asked),
        }

    def id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked.get("nonce"),
            **({"auth_time": now} if "max_age" in asked else {}),
            **self.person,
            **self.faults.get("claims", {}),
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        key = self.faults.get("key", self.key)
        algorithm = self.faults.get("algorithm", "RS256")
        return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": KEY_ID})


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        page = url.path.removeprefix("/realm")
        if page in self.provider.faults.get("down", ()):
            self._answer(503, "text/plain", b"down")
        elif page == "/.well-known/openid-configuration":
            self._json(self.provider.document())
        elif page == "/keys":
            self._json(self.provider.keys())
        elif page == "/userinfo":
            told = self.provider.faults.get("userinfo", {})
            self._json({"sub": self.provider.person["sub"], **told})
        elif page == "/authorize":
            self._authorize(asked)
        elif page == "/logout":
            self._answer(200, "text/html", b"<h1>Logged out of the provider</h1>")
        else:
            self._answer(404, "text/plain", b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        tokens = self.provider.tokens(form, self.headers.get("Authorization", ""))
        if tokens is None:
            self._json({"error": "invalid_grant"}, 400)
        else:
            self._json(tokens)

    def _authorize(self, asked: dict[str, str]) -> None:
        self.provider.asked.append(asked)
        if asked.get("client_id") != CLIENT_ID or asked.get("code_challenge_method") != "S256":
            self._answer(400, "text/plain", b"unknown client, or no PKCE")
            return
        back = self.provider.code_for(asked)
        if self.provider.asks:
            link = f'<h1>The provider</h1><a href="{html.escape(back)}">Let me in</a>'
            self._answer(200, "text/html", link.encode())
            return
        self.send_response(302)
        self.send_header("Location", back)
        self.end_headers()

    def _json(self, value: Any, status: int = 200) -> None:
        self._answer(status, "application/json", json.dumps(value).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def oidc_provider() -> Iterator[Provider]:
    """Run the provider during the block."""
    provider = Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    with http_server(handler) as provider.port:
        yield provider
