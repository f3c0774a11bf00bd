"""Checks a running site from the inside and prints a line for each check."""

import json
import logging
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from poolsite.operations.doctor import outside, running
from poolsite.operations.doctor.running import DoctorReport, DoctorRow

STYLES = {"ok": "SUCCESS", "warn": "WARNING", "fail": "ERROR", "skip": "HTTP_INFO"}
WORDS = {"ok": "ok", "warn": "warnings", "fail": "failed", "skip": "skipped"}
MARK_WIDTH = 4


class Command(BaseCommand):
    help = (
        "Check the site that this environment's settings describe: settings, Redis, SQL, "
        "processes, mail, webhooks, clocks, disk. Exit 1 if something failed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--list", action="store_true", help="print the names and check nothing")
        parser.add_argument(
            "--only", nargs="+", metavar="NAME", default=[], help="check only these"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")
        parser.add_argument("--strict", action="store_true", help="exit 1 for warnings, too")
        parser.add_argument("--mail-to", metavar="ADDRESS", help="also send a test mail to ADDRESS")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self.stdout.write("\n".join(running.names()))
            return
        if unknown := set(options["only"]) - set(running.names()):
            raise CommandError(f"No check is called {', '.join(sorted(unknown))}. See --list.")
        with _quiet(options["verbosity"]):
            report = running.examine(options["only"])
        if options["mail_to"]:
            sent = DoctorRow("mail.test", outside.send_test(options["mail_to"]))
            report = DoctorReport((*report.rows, sent), report.is_hanging)
        if options["json"]:
            for row in report.rows:
                self.stdout.write(json.dumps({"name": row.name, **asdict(row.line)}))
        else:
            self._print(report)
        _leave(report, options["strict"])

    def _print(self, report: DoctorReport) -> None:
        width = max(len(row.name) for row in report.rows)
        indent = " " * (MARK_WIDTH + width + 4)
        for row in report.rows:
            line = row.line
            mark = getattr(self.style, STYLES[line.mark])(f"{line.mark:<{MARK_WIDTH}}")
            self.stdout.write(f"{mark}  {row.name:<{width}}  {line.found}")
            if line.remedy:
                self.stdout.write(f"{indent}{line.remedy}")
        counts = [f"{report.count(mark)} {word}" for mark, word in WORDS.items()]
        self.stdout.write(f"\n{', '.join(counts)}")


@contextmanager
def _quiet(verbosity: int) -> Iterator[None]:
    """Turn off the log, which is for servers and would repeat the lines."""
    if verbosity < 2:
        logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _leave(report: DoctorReport, strict: bool) -> None:
    """Exit with 1 if a check failed, and at once if a thread hangs: a normal exit would wait.

    A thread of a check that was not chosen may hang, too, which is no failure.
    """
    has_failed = bool(report.count("fail") or (strict and report.count("warn")))
    if report.is_hanging:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(has_failed))
    if has_failed:
        sys.exit(1)
