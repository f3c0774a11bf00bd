"""Every Redis server of the site: version, memory, files, replicas, and its user's rights."""

from collections.abc import Callable, Iterator

from django.conf import settings

from poolsite.operations.doctor.lines import away, fail, judged, ok, skip, warn
from poolsite.operations.doctor.readings import NOT_RUNNING, TOO_OLD, Server, servers
from poolsite.operations.registry import DoctorLine
from poolsite.runtime import startup

MEMORY_WARNS_SHARE = 0.8
NOT_REACHED = "not reached (see redis.servers)"


def reached() -> Iterator[DoctorLine]:
    """Check that every server answers and is new enough."""
    for server in servers():
        if server.error == TOO_OLD:
            yield from map(judged, startup.version_refusals(server.label, server.info))
        elif server.error == NOT_RUNNING:
            yield fail(
                f"{server.label}: {server.error}",
                "Start the site. Doctor starts none of its parts. If the site has a Redis of its "
                "own, set REDIS_URL.",
            )
        elif server.error:
            yield fail(
                f"{server.label}: {server.error}",
                "Start this Redis, or correct the address and password in the setting.",
            )
        else:
            yield ok(f"{server.label}: {' '.join(startup.product_of(server.info))}")


def memory() -> Iterator[DoctorLine]:
    """Check that a full server refuses writes, drops no data, and is not nearly full."""
    yield from _each(_memory)


def append_only_file() -> Iterator[DoctorLine]:
    """Check that acknowledged writes survive a restart."""
    yield from _each(_append_only_file)


def replicas() -> Iterator[DoctorLine]:
    """Check that each server is a primary and refuses writes if it was replaced unnoticed."""
    yield from _each(_replicas)


def rights() -> Iterator[DoctorLine]:
    """Check that the site's user may run all commands that the site sends."""
    yield from _each(_rights)


def users() -> Iterator[DoctorLine]:
    """Check that a restart keeps the users of switches."""
    yield from _each(_users)


def _each(judge: Callable[[Server], Iterator[DoctorLine]]) -> Iterator[DoctorLine]:
    for server in servers():
        if server.error:
            yield away(f"{server.name}: {NOT_REACHED}")
        else:
            yield from judge(server)


def _memory(server: Server) -> Iterator[DoctorLine]:
    policy = server.info.get("maxmemory_policy", startup.SAFE_POLICY)
    if not server.is_cache_only:
        refusals = [*startup.policy_refusals(server.name, server.info)]
        yield from (judged(each, "fail" if server.is_hot else "warn") for each in refusals)
        if refusals:
            return
    used, limit = int(server.info.get("used_memory", 0)), int(server.info.get("maxmemory", 0))
    if not limit and _is_embedded(server):
        yield ok(f"{server.name}: {policy}, {_size(used)} used (embedded: without a limit)")
    elif not limit:
        yield warn(
            f"{server.name}: no maxmemory, {_size(used)} used. When the machine's memory is full, "
            "the system ends Redis",
            "Set maxmemory to about 75 % of the machine's memory, and add it to its configuration.",
        )
    else:
        share = used / limit
        text = f"{server.name}: {policy}, {_size(used)} of {_size(limit)} used ({share:.0%})"
        if share < MEMORY_WARNS_SHARE or server.is_cache_only:
            yield ok(text)
        elif share < 1:
            yield warn(text, "Raise maxmemory before it is full: Redis then refuses new work.")
        else:
            yield fail(text, "Raise maxmemory. Redis refuses new calls, holds and permits.")


def _append_only_file(server: Server) -> Iterator[DoctorLine]:
    info = server.info
    failed = [
        name
        for name in ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status")
        if info.get(name, "ok") != "ok"
    ]
    if failed:
        yield fail(
            f"{server.name}: {', '.join(f'{name} is {info[name]}' for name in failed)}",
            "Free space on the disk that holds its files, and check its log.",
        )
    elif info.get("aof_enabled"):
        if server.appendfsync == "no":
            yield warn(
                f"{server.name}: appendonly yes, appendfsync no: the system decides when to write",
                "Run CONFIG SET appendfsync everysec and add it to its configuration.",
            )
        else:
            fsync = server.appendfsync or "not shown to this user"
            yield ok(f"{server.name}: appendonly yes, appendfsync {fsync}")
    elif server.is_hot:
        yield fail(
            f"{server.name}: appendonly no: a restart of Redis loses all that SQL doesn't have",
            "Run CONFIG SET appendonly yes and add it to its configuration.",
        )
    elif "CELERY_BROKER_URL" in server.uses:
        yield warn(
            f"{server.name}: appendonly no: a restart of Redis loses queued jobs",
            "Run CONFIG SET appendonly yes and add it to its configuration.",
        )
    else:
        yield skip(f"{server.name}: appendonly no; nothing here needs to survive a restart")


def _replicas(server: Server) -> Iterator[DoctorLine]:
    info = server.info
    count = int(info.get("connected_slaves", 0))
    if info.get("role") == "slave":
        yield fail(
            f"{server.name}: a replica of {info.get('master_host')}:{info.get('master_port')}",
            "Configure the address of the primary, or of its Sentinels.",
        )
    elif count and server.is_hot and "min_slaves_good_slaves" not in info:
        yield warn(
            f"{server.name}: {count} replicas, min-replicas-to-write 0: a primary that was "
            "replaced without noticing takes writes that will be lost",
            "Run CONFIG SET min-replicas-to-write 1 and add it to its configuration.",
        )
    else:
        yield ok(f"{server.name}: primary, replicas connected: {count}")


def _rights(server: Server) -> Iterator[DoctorLine]:
    if not server.is_hot:
        yield skip(f"{server.name}: not checked for cache, channels and broker")
    elif server.refused is None:
        yield skip(f"{server.name}: it can't tell (needs Redis 7 and the right to ACL)")
    elif server.refused:
        yield fail(
            f"{server.name}: user {server.user} may not use {', '.join(server.refused)}",
            f"Run ACL SETUSER {server.user} +@all ~* &*, then ACL SAVE.",
        )
    else:
        yield ok(f"{server.name}: user {server.user} may run all commands that are needed")


def _users(server: Server) -> Iterator[DoctorLine]:
    others = sorted(set(server.users) - {"default", server.user})
    if not server.is_hot:
        return
    if not server.user or server.aclfile is None:
        yield skip(f"{server.name}: not shown to this user (needs the rights to ACL and CONFIG)")
    elif others and not server.aclfile:
        yield warn(
            f"{server.name}: no aclfile: a restart may forget {', '.join(others)}",
            "Set aclfile in its configuration, restart it, and create the users of switches again "
            "(manage.py pool acl SLUG SWITCH --apply).",
        )
    else:
        file = "aclfile is set" if server.aclfile else "no users that a restart could forget"
        yield ok(f"{server.name}: {file}")


def _is_embedded(server: Server) -> bool:
    return str(settings.EMBEDDED_REDIS_SOCKET) in server.label


def _size(count: int) -> str:
    """Return a size in bytes as people read it."""
    size, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.3g} {units[0]}"
