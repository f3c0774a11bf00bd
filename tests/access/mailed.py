"""Open the link of a mail as its page does: a form sends the secret behind the #."""

import re
from typing import Any

from django.core import mail
from django.test import Client


def open_link(client: Client, link: str) -> Any:
    """Return the answer to a link's secret. A 302 leads to the form behind it."""
    page = re.sub(r"^https?://[^/]+", "", link.partition("#")[0])
    assert client.get(page).status_code == 200
    return client.post(page, {"link": link})


def open_mailed(client: Client) -> Any:
    """Open the link in the newest mail, like `open_link`."""
    found = re.search(r"https?://\S+", str(mail.outbox[-1].body))
    assert found is not None
    return open_link(client, found[0])
