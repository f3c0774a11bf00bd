"""A process in which a visitor sends a file, or is erased, for tests that kill it.

attachment_process.py send|erase <desk slug>   make the desk if it does not exist; act
attachment_process.py recover <desk slug>      run the sweep and print the result as JSON
"""

import json
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def _make(slug: str) -> None:
    from django.utils import timezone

    from queueing.line.models import Desk, Visit
    from queueing.line.services import desks

    if Desk.objects.filter(slug=slug).exists():
        return
    desk = desks.desk_create(actor="test", slug=slug, name=slug, account=None)
    queue = desks.queue_create(actor="test", desk=desk, slug=f"{slug}-help", name="Help")
    now = timezone.now()
    Visit.objects.create(public_id=f"{slug}-visit", desk=desk, queue=queue, joined_at=now)


def send(slug: str) -> None:
    """The visitor sends a picture."""
    from queueing.line.models import Visit
    from queueing.line.services.attachments import attachment_send
    from tests.line import pictures

    _make(slug)
    attachment_send(
        visit=Visit.objects.get(public_id=f"{slug}-visit"),
        author="visitor",
        client_id="1",
        text="",
        name="me.png",
        content=[pictures.png()],
    )


def erase(slug: str) -> None:
    """End and erase the visit, with the picture."""
    from django.utils import timezone

    from queueing.line.models import Desk, Visit
    from queueing.line.services.erasing import visitor_erase

    send(slug)
    Visit.objects.filter(public_id=f"{slug}-visit").update(ended_at=timezone.now())
    desk = Desk.objects.get(slug=slug)
    visitor_erase(actor="test", desk=desk, visit=f"{slug}-visit", reason="wish")


def recover(slug: str) -> None:
    """Run the sweep as after two hours, and report what exists."""
    from django.conf import settings
    from django.utils import timezone

    from queueing.line.models import Attachment
    from queueing.line.services.attachments import sweep_attachments

    names = list(Attachment.objects.values_list("name", flat=True))
    Attachment.objects.update(look_at=timezone.now() - timedelta(hours=1))
    for _ in range(2):
        sweep_attachments()
    folder = Path(settings.STORAGES["attachments"]["OPTIONS"]["location"])
    files = [path.name for path in folder.rglob("*") if path.is_file()]
    print(json.dumps({"names": names, "rows": Attachment.objects.count(), "files": files}))


def main(verb: str, slug: str) -> None:
    """Run one verb."""
    import django

    django.setup()
    verbs: dict[str, Callable[[str], None]] = {"send": send, "erase": erase, "recover": recover}
    verbs[verb](slug)


if __name__ == "__main__":
    main(*sys.argv[1:])
