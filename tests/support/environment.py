"""The environment that a server needs outside the demo: for every process that tests start."""

from typing import Final

SAFE: Final = {
    "POOLSITE_SECRET_KEY": "known to everybody and for tests alone: 0123456789-ABCDEF",
    # A mail server that is down: nothing listens there. A test that reads mails starts its own.
    "EMAIL_URL": "smtp://127.0.0.1:9",
}
