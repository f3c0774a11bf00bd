"""What a test needs from the machine, and what is printed if the machine lacks it.

Use `@pytest.mark.needs("chromium")` on a test, or `require("postgres")` in a fixture. Missing needs
are counted at the end as NOT RUN, with the one line that installs them. With REQUIRE_ALL=1 a
missing need is a failure, unless it is optional.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.support import former, programs

PREFIX = "NOT RUN: needs "
KAMAILIO = "kamailio kamailio-redis-modules kamailio-utils-modules"
KAMAILIO += " kamailio-extra-modules kamailio-sqlite-modules sqlite3"
KAMAILIO_MODULES = ("ndb_redis", "http_client", "jansson", "db_sqlite")  # one of each package


@dataclass(frozen=True)
class Need:
    """A program or property that a machine has or lacks, and how to get it."""

    name: str
    present: Callable[[], bool]
    install: str
    is_optional: bool = False  # NOT RUN even with REQUIRE_ALL=1: some clones can't have it


def _on_path(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


def _has_chinese_font() -> bool:
    folders = (Path("/usr/share/fonts"), Path.home() / ".local/share/fonts")
    return any(next(folder.rglob("NotoSansCJK*"), None) for folder in folders if folder.is_dir())


def _has_kamailio() -> bool:
    there = all(shutil.which(name) for name in ("kamailio", "kamcmd", "sqlite3"))
    modules = (Path("/usr/lib").glob(f"*/kamailio/modules/{name}.so") for name in KAMAILIO_MODULES)
    return there and all(any(found) for found in modules)


@cache
def _has_namespaces() -> bool:
    if not shutil.which("unshare") or not shutil.which("ip"):
        return False
    tried = ["unshare", "--map-root-user", "--net", "--mount", "ip", "link", "set", "lo", "up"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


def _has_apt_lists() -> bool:
    """Return whether apt has the distribution's package lists."""
    return any(Path("/var/lib/apt/lists").glob("*_Packages*"))


NEEDS = {
    need.name: need
    for need in (
        Need(
            "chromium",
            lambda: bool(programs.chromium()),
            "apt-get install chromium-headless-shell",
        ),
        Need("cjk-fonts", _has_chinese_font, "apt-get install fonts-noto-cjk"),
        Need("postgres", lambda: bool(programs.postgres_folder()), "apt-get install postgresql"),
        Need("redis-7", lambda: bool(programs.redis_7()), "apt-get install redis-server"),
        Need("openssl", _on_path("openssl"), "apt-get install openssl"),
        Need("gettext", _on_path("msgfmt"), "apt-get install gettext"),
        Need("root", lambda: os.geteuid() == 0, "run as root: it mounts disks of its own"),
        Need("faketime", _on_path("faketime"), "apt-get install faketime"),
        Need("wrk", _on_path("wrk"), "apt-get install wrk"),
        Need("kamailio", _has_kamailio, f"apt-get install {KAMAILIO}"),
        Need("sipp", _on_path("sipp"), "apt-get install sip-tester"),
        Need("namespaces", _has_namespaces, "apt-get install iproute2 util-linux, as root"),
        Need("sipsak", _on_path("sipsak"), "apt-get install sipsak"),
        Need("nginx", _on_path("nginx", "/usr/sbin/nginx"), "apt-get install nginx"),
        Need("pgbouncer", _on_path("/usr/sbin/pgbouncer"), "apt-get install pgbouncer"),
        Need("docker-compose", _on_path("docker-compose"), "apt-get install docker-compose"),
        Need("prometheus", _on_path("prometheus"), "apt-get install prometheus"),
        Need("luacheck", _on_path("luacheck"), "apt-get install lua-check"),
        Need("curl", _on_path("curl"), "apt-get install curl"),
        Need("node", _on_path("node"), "apt-get install nodejs"),
        Need("npm", _on_path("npm"), "apt-get install npm"),
        Need("git", _on_path("git"), "apt-get install git"),
        Need("systemd", _on_path("systemd-analyze"), "apt-get install systemd"),
        Need("apt", _has_apt_lists, "apt-get update, on Debian", is_optional=True),
        Need("history", former.is_in_history, "git fetch --unshallow", is_optional=True),
    )
}


def missing(name: str) -> str:
    """Return the message about a need that the machine lacks, or an empty text."""
    need = NEEDS[name]
    return "" if need.present() else f"{PREFIX}{need.name} ({need.install})"


def is_all_required() -> bool:
    """Return whether a missing need is a failure."""
    return os.environ.get("REQUIRE_ALL") == "1"


def require(name: str) -> None:
    """End the running test as NOT RUN (with REQUIRE_ALL=1, as failed) if `name` is missing."""
    reason = missing(name)
    if not reason:
        return
    if is_all_required() and not NEEDS[name].is_optional:
        pytest.fail(reason, pytrace=False)
    raise pytest.skip.Exception(reason, _use_item_location=True)


def _reason(report: pytest.TestReport) -> str:
    """Return the text after `NOT RUN: needs `, or an empty text for any other report."""
    if not report.skipped or not isinstance(report.longrepr, tuple):
        return ""
    text = report.longrepr[2].removeprefix("Skipped: ")
    return text.removeprefix(PREFIX) if text.startswith(PREFIX) else ""


class NeedsPlugin:
    """Checks the marker before a test, names the result, and counts at the end."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        for marker in item.iter_markers("needs"):
            for name in marker.args:
                require(name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> tuple[str, str, str] | None:
        if isinstance(report, pytest.TestReport) and _reason(report):
            return "not run", "n", "NOT RUN"
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        counts = Counter(_reason(report) for report in terminalreporter.getreports("not run"))
        for line in summary(counts):
            terminalreporter.write_line(line, yellow=True)


def summary(counts: Counter[str]) -> Iterator[str]:
    """Yield one line for each need that kept tests from running."""
    for reason, count in sorted(counts.items()):
        name, _, install = reason.partition(" (")
        yield f"NOT RUN: {count} test(s) need {name}. To run them: {install.removesuffix(')')}"
