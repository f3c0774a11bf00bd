"""This machine: its clock compared with the servers' clocks, its disk, this release's files."""

import filecmp
import os
import pwd
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection

from poolsite.operations.doctor import sql
from poolsite.operations.doctor.lines import away, fail, ok, skip, warn
from poolsite.operations.doctor.readings import servers
from poolsite.operations.registry import DoctorLine

# Scripts smooth out steps of Redis' clock of up to a second. Above that, timestamps from Redis
# (calls, holds) and from this machine (rows in SQL, the audit log) are out of order.
CLOCK_WARNS_SECONDS = 1.0
# One-time codes are valid for 30 s by this machine's clock: above this, logins fail.
CLOCK_FAILS_SECONDS = 5.0
SPACE_WARNS_BYTES = 2 * 10**9
SPACE_FAILS_BYTES = 100 * 10**6
INODES_WARN_SHARE = 0.05
COLLECT = "Run manage.py collectstatic --no-input, then restart the web processes."
NAMES_SHOWN = 3


def clocks() -> Iterator[DoctorLine]:
    """Check that the clocks of Redis, SQL and this machine agree."""
    for server in servers():
        if server.is_hot and not server.error:
            yield _clock(server.name, server.ahead, server.vague)
        elif server.is_hot:
            yield away(f"{server.name}: not reached (see redis.servers)")
    if connection.vendor == "postgresql":
        yield _clock("SQL", *sql.ahead_seconds())


def _clock(name: str, ahead: float, vague: float) -> DoctorLine:
    """Judge a clock that is `ahead` seconds ahead of ours, ± `vague` seconds."""
    text = f"{name}: {ahead:+.3f} s from this machine's clock (± {vague:.3f} s)"
    off = abs(ahead) - vague
    remedy = "Let both machines follow one time server (chrony or systemd-timesyncd)."
    if off > CLOCK_FAILS_SECONDS:
        return fail(f"{text}, {CLOCK_FAILS_SECONDS:g} s allowed", remedy)
    if off > CLOCK_WARNS_SECONDS:
        return warn(f"{text}, {CLOCK_WARNS_SECONDS:g} s expected", remedy)
    return ok(text)


def disk() -> Iterator[DoctorLine]:
    """Check that the data folder and the temporary folder have space and can be written."""
    owner = _other_owner()
    if owner:
        yield warn(
            f"doctor runs as {_user_name(os.geteuid())}, but POOLSITE_DATA_DIR belongs to {owner}",
            f"Run it as {owner}: what another user may write says nothing.",
        )
    yield _folder(f"POOLSITE_DATA_DIR ({settings.DATA_DIR})", Path(settings.DATA_DIR))
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        yield fail(f"temporary files: {error.strerror}", "Make /tmp, or set TMPDIR to a folder.")
    else:
        yield _folder(f"temporary files ({temporary})", temporary)


def _other_owner() -> str:
    """Return the owner of the data folder, or "" if it is the user of this process."""
    try:
        owner = Path(settings.DATA_DIR).stat().st_uid
    except OSError:
        return ""
    return _user_name(owner) if owner != os.geteuid() else ""


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _folder(name: str, folder: Path) -> DoctorLine:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"doctor")
            file.flush()
        free = shutil.disk_usage(folder).free
        inodes = os.statvfs(folder)
    except OSError as error:
        return fail(
            f"{name}: can't be written: {error.strerror}",
            "Create the folder, or give it to the user that runs the site.",
        )
    text = f"{name}: {free / 10**9:.1f} GB free"
    if free < SPACE_FAILS_BYTES:
        return fail(text, "Free space on this disk.")
    if free < SPACE_WARNS_BYTES:
        return warn(text, "Free space on this disk before it is full.")
    if inodes.f_files and inodes.f_favail < INODES_WARN_SHARE * inodes.f_files:
        return warn(
            f"{text}, {inodes.f_favail:,} of {inodes.f_files:,} inodes free",
            "Delete small files: the disk can hold no more of them soon.",
        )
    return ok(text)


def attachments() -> Iterator[DoctorLine]:
    """Check that the storage of room files stores, returns and deletes a file."""
    if owner := _other_owner():
        yield skip(f"not tried: the folder would belong to another user than {owner}")
        return
    storage = storages["attachments"]
    sent = secrets.token_bytes(32)
    try:
        name = storage.save(f"doctor-{secrets.token_hex(8)}", ContentFile(sent))
        try:
            with storage.open(name) as file:
                found = file.read()
        finally:
            storage.delete(name)
    except Exception as error:  # a custom storage may raise anything
        yield fail(
            f"{type(storage).__name__}: {type(error).__name__}: {error}",
            "Correct POOLSITE_ATTACHMENTS_STORAGE, its credentials, or the folder's owner.",
        )
        return
    if found != sent:
        yield fail(
            f"{type(storage).__name__}: a file came back changed", "Use another storage for files."
        )
    else:
        yield ok(f"{type(storage).__name__}: a file was stored, read and deleted")


def static_files() -> Iterator[DoctorLine]:
    """Check that the collected static files are those of this release."""
    root = Path(settings.STATIC_ROOT)
    if not (root / "staticfiles.json").exists():
        if settings.DEBUG:
            yield skip("nothing is collected: they are served from their folders")
        else:
            yield fail(f"{root}: nothing is collected", COLLECT)
        return
    missing, other = [], []
    seen: set[str] = set()
    for finder in get_finders():
        for name, storage in finder.list([]):
            if name in seen:  # the first folder with a name wins
                continue
            seen.add(name)
            collected = root / name
            if not collected.exists():
                missing.append(name)
            elif not filecmp.cmp(storage.path(name), collected, shallow=False):
                other.append(name)
    for fault, names in (("not collected", missing), ("of another release", other)):
        if names:
            more = ", …" if len(names) > NAMES_SHOWN else ""
            shown = ", ".join(sorted(names)[:NAMES_SHOWN])
            yield fail(f"{root}: {len(names)} of {len(seen)} files {fault}: {shown}{more}", COLLECT)
    if not missing and not other:
        yield ok(f"{root}: {len(seen)} files, all of this release")
