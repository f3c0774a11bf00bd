"""The drain: from one aggregate's stream into SQL, exactly once, then trimmed.

The order of steps: read a page → one SQL transaction (move the cursor by compare-and-set, write the
rows and the gaps) → commit → `history/trim`. A crash between any two steps loses and doubles
nothing: before the commit nothing has happened, and after it the cursor knows. The next drain
repeats a trim that was missed, even if nothing is new.
"""

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from poolsite import hotpath, tracing
from poolsite.history import services, stream
from poolsite.history.models import Cursor
from poolsite.history.registry import Aggregate, Drained, Source, StreamEntry
from poolsite.history.reporting import DrainAlarms, load_alarms
from poolsite.hotpath import traces
from poolsite.runtime.crash_points import crash_point

MOST_PAGES = 50  # per call, so that one busy aggregate does not block a worker for the others


def drain_aggregate(
    source: Source, aggregate: Aggregate, alarms: DrainAlarms | None = None
) -> Drained:
    """Commit the new entries of one stream; return what was done.

    Several drains of one aggregate may run: one moves the cursor, the others write nothing. Raise
    the database's errors (nothing was trimmed then) and HotPathError.
    """
    return _Drain(source, aggregate, alarms or load_alarms()).run()


@dataclass
class _Drain:
    source: Source
    aggregate: Aggregate
    alarms: DrainAlarms
    count: int = 0
    gaps: int = 0

    def run(self) -> Drained:
        lag = 0
        for _ in range(MOST_PAGES):
            cursor = Cursor.objects.filter(kind=self.source.kind, tag=self.aggregate.tag).first()
            page = self._read(cursor)
            if cursor is None or page.state.generation != cursor.generation:
                if page.state.generation is None and cursor is None:
                    return Drained()
                behind = self._behind(cursor, page)
                if behind:
                    return self._report_behind(behind, page.state.backlog)
                cursor = services.begin_generation(
                    self.source.kind, self.aggregate.tag, page.state, cursor
                )
                if cursor is None:  # another drain was first
                    return Drained(self.count, page.state.backlog, self.gaps)
                page = self._read(cursor)
            behind = self._behind(cursor, page)
            if behind:
                return self._report_behind(behind, page.state.backlog)
            self.alarms.backlog(self.aggregate.tag, page.state)
            if not self._commit(cursor, page):
                return Drained(self.count, page.state.backlog, self.gaps)
            lag = max(page.state.seq - cursor.seq, 0)
            if page.whole:
                break
        self.alarms.drained(self.aggregate.tag, lag, gaps=self.gaps)
        return Drained(self.count, lag, self.gaps)

    def _read(self, cursor: Cursor | None) -> stream.StreamPage:
        first = cursor.seq if cursor else 0
        # One more than a batch: includes the last committed entry, to compare it.
        command = stream.read(self.aggregate.tag, first=first, count=settings.HISTORY_BATCH + 1)
        return hotpath.run(command)

    def _behind(self, cursor: Cursor | None, page: stream.StreamPage) -> str:
        """Return why Redis' data is older than what SQL committed, or "" if it is not."""
        if cursor is None:
            return ""
        generation = page.state.generation
        if generation is None:
            return "emptied"
        if generation < cursor.generation:
            return "older generation"
        if generation > cursor.generation:
            return ""
        if page.state.seq < cursor.seq:
            return "went back"
        first = page.entries[0] if page.entries else None
        if first and first.seq == cursor.seq and cursor.digest not in ("", digest(first)):
            return "diverged"
        return ""

    def _report_behind(self, reason: str, lag: int) -> Drained:
        self.alarms.behind(self.aggregate.tag, reason)
        self.source.behind(self.aggregate, reason)
        return Drained(self.count, lag, self.gaps, behind=reason)

    def _commit(self, cursor: Cursor, page: stream.StreamPage) -> bool:
        """Write one page and trim. Return False if another drain has moved the cursor."""
        entries = [entry for entry in page.entries if entry.seq > cursor.seq]
        missing = missing_ranges(cursor.seq, entries, page)
        if entries or missing:
            with self._traced(len(entries)):
                moved = self._write(cursor, page, entries, missing)
            if not moved:
                return False
            self.count += len(entries)
            self.gaps += sum(last - first + 1 for first, last in missing)
        elif page.state.drained == cursor.seq:
            return True
        crash_point("history.after_commit")
        self._trim(cursor)
        crash_point("history.after_trim")
        return True

    def _traced(self, count: int) -> AbstractContextManager[Any]:
        links = traces.links([self.aggregate.tag], hotpath.default())
        attributes: dict[str, str | int] = {"poolsite.entries": count}
        attributes["poolsite.aggregate"] = self.aggregate.tag
        return tracing.span("history drain", links=links, attributes=attributes)

    def _write(
        self,
        cursor: Cursor,
        page: stream.StreamPage,
        entries: Sequence[StreamEntry],
        missing: Sequence[tuple[int, int]],
    ) -> bool:
        last_seq = max([last for _, last in missing] + [entry.seq for entry in entries[-1:]])
        ends_with = entries[-1] if entries and entries[-1].seq == last_seq else None
        with transaction.atomic():
            moved = services.move_cursor(
                cursor, page.state, last_seq, digest(ends_with) if ends_with else ""
            )
            if not moved:
                return False
            if entries:
                self.source.write(self.aggregate, cursor.generation, entries)
            if missing:
                services.record_gaps(cursor, page.state, missing)
            crash_point("history.before_commit")
        cursor.seq, cursor.dropped = last_seq, page.state.dropped
        return True

    def _trim(self, cursor: Cursor) -> None:
        trimmed = hotpath.run(
            stream.trim(
                self.aggregate.tag,
                generation=cursor.generation,
                committed=cursor.seq,
                tail=settings.HISTORY_TAIL,
            )
        )
        if trimmed.refused == "behind":
            self.alarms.behind(self.aggregate.tag, "went back")


def missing_ranges(
    committed: int, entries: Sequence[StreamEntry], page: stream.StreamPage
) -> list[tuple[int, int]]:
    """Return the ranges of sequence numbers that should be in the page and are not."""
    ranges = []
    expected = committed + 1
    for entry in entries:
        if entry.seq > expected:
            ranges.append((expected, entry.seq - 1))
        expected = entry.seq + 1
    if page.whole and page.state.seq >= expected:
        ranges.append((expected, page.state.seq))
    return ranges


def digest(entry: StreamEntry) -> str:
    """Return a digest that tells this entry from others with the same sequence number."""
    text = "\x00".join(
        [str(entry.at_us), *(f"{name}\x01{value}" for name, value in sorted(entry.fields.items()))]
    )
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
