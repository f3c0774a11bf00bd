"""A room with its two sides, which send files by HTTP."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from poolsite.access.models import User
from queueing.line import file_addresses
from queueing.line.models import Attachment, Visit
from tests.line import pictures
from tests.line.line_world import LineWorld
from tests.line.test_api import Caller, acts, agent_of, joins


def stored_in(backend: str, **options: Any) -> override_settings:
    """Store the files of rooms in this storage."""
    storage = {"BACKEND": f"django.core.files.storage.{backend}", "OPTIONS": options}
    return override_settings(STORAGES={**settings.STORAGES, "attachments": storage})


def on_disk(folder: Path) -> override_settings:
    """Store the files of rooms in this folder."""
    return stored_in("FileSystemStorage", location=str(folder))


class Talkers:
    """Visitor Ann in agent Li's room."""

    def __init__(self, line: LineWorld) -> None:
        self.line = line
        self.visitor, joined = joins(line, name="Ann")
        self.token: str = joined["token"]
        self.key: str = joined["visit"]
        self.agent = agent_of(line, "li")
        assert acts(self.agent, "login").json()["slots"][0]["visit"] == self.key
        line.drain()

    @property
    def visit(self) -> Visit:
        return Visit.objects.select_related("desk", "queue").get(public_id=self.key)

    def sends(
        self,
        data: bytes = b"",
        name: str = "photo.png",
        *,
        id: str = "v1",  # noqa: A002
        text: str = "",
        by: Caller | None = None,
        content_type: str = "image/png",
        **more: Any,
    ) -> Any:
        """Send a file as the visitor. `more`: further fields of the form."""
        who = by or self.visitor
        file = SimpleUploadedFile(name, data or pictures.png(), content_type)
        return who.client.post(
            f"/api/v1/visits/{self.key}/attachments",
            {"id": id, "text": text, "file": file, **more},
            headers=who.headers,
        )

    def agent_sends(
        self,
        data: bytes = pictures.PDF,
        name: str = "bill.pdf",
        *,
        id: str = "a1",  # noqa: A002
        by: Client | None = None,
    ) -> Any:
        """Send a file as the agent."""
        client = by or self.agent
        assert client.get("/profile/").status_code == 200
        body = {"visit": self.key, "id": id, "file": SimpleUploadedFile(name, data)}
        token = client.cookies["csrf"].value
        return client.post("/api/v1/agent/attachments", body, headers={"X-CSRFToken": token})

    def addresses(self, who: Caller | Client) -> list[str]:
        """Return the addresses of files that the reader is shown."""
        path = f"visits/{self.key}/attachments"
        answer = who.get(path) if isinstance(who, Caller) else who.get(f"/api/v1/{path}")
        assert answer.status_code == 200, answer.content
        return [each["url"] for each in answer.json()["attachments"]]

    def ends(self) -> None:
        """End the room as the agent."""
        assert acts(self.agent, "finish", visit=self.key).status_code == 200
        self.line.drain()


def logged_in(user: User) -> Client:
    """Return a browser in which the user is logged in."""
    client = Client()
    client.force_login(user, backend="poolsite.access.backends.NameOrEmailBackend")
    return client


def address_for(reader: str, now: float | None = None) -> str:
    """Return the address of the only file for a reader, as it is signed."""
    kind, _, key = reader.partition(":")
    principal: Any = type("Reader", (), {"kind": kind, "id": key})()
    return file_addresses.address_of(Attachment.objects.get().public_id, principal, now)[0]
