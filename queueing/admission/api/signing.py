"""Signed permits: what an external system can check by itself, with its gate's key alone.

`v1.<payload>.<signature>`, both base64url without padding: a JSON object of gate, holder, token,
deadline (µs since 1970), task (devices) and weight (left out: 1), and the HMAC-SHA256 of
`v1.<payload>`. The reader is `integrations/poolsite_client/verifier.py`.
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
    """The field `permit` of an answer; nothing when the gate has no key. Devices are `@name`."""
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
