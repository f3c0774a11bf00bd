"""Signed permits: an external system can verify them with nothing but its gate's key.

`v1.<payload>.<signature>`, both base64url without padding. The payload is a JSON object with gate,
holder, token, deadline (µs since 1970), task (for devices) and weight (omitted if 1). The signature
is the HMAC-SHA256 of `v1.<payload>`. `integrations/poolsite_client/verifier.py` verifies it.
"""

import base64
import hashlib
import hmac
from typing import Any

import orjson

from queueing.admission.api.directory import GateRef


def signed(
    ref: GateRef,
    holder: str,
    token: int,
    deadline_us: int,
    *,
    task: str | None = None,
    weight: int = 1,
) -> dict[str, Any]:
    """Return the field `permit` of a response, or {} if the gate has no key.

    holder: a name, or `@name` for a device.
    """
    if not ref.signing_key:
        return {}
    payload: dict[str, str | int] = {
        "gate": ref.slug,
        "holder": holder,
        "token": token,
        "deadline": deadline_us,
    }
    if task is not None:
        payload["task"] = task
    if weight != 1:
        payload["weight"] = weight
    text = "v1." + _base64(orjson.dumps(payload))
    digest = hmac.new(bytes.fromhex(ref.signing_key), text.encode(), hashlib.sha256).digest()
    return {"permit": f"{text}.{_base64(digest)}"}


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
