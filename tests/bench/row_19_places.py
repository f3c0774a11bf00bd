"""Row 19: 10 000 waiting visitors with open sockets, 100 matches a second.

Load: two web processes (uvicorn, no compression), 10 000 visitors' pages with a socket each in one
process, which keep their own place as the page's script does and answer heartbeats; 200 agents; 100
times a second for 20 s an agent ends a room and has the next, and a visitor joins the end, so that
the line stays as long. Twice a second every page's shown place is held against the matches that
had been made: right if it was so at a moment within the last second. Memory: resident bytes of
the web processes per page. Left out: TLS, a proxy, the browsers' work, workers, the drain.
"""

import sys
from collections import Counter

from tests.bench.line_pages import told_ms, watch, wrong_places
from tests.bench.machine import judged_here, machine_note
from tests.bench.result import Row

PAGES, MATCHES_PER_SECOND, SECONDS = 10_000, 100.0, 20.0
WITHIN_SECONDS = 1.0


def run(pages: int = PAGES) -> Row:
    """Open the pages, match, and judge every place that was shown."""
    seen = watch(pages, MATCHES_PER_SECOND, SECONDS)
    if seen.closed or seen.gaps:
        codes = dict(Counter(seen.closed))
        sys.stderr.write(f"row 19: sockets closed by code {codes}, {seen.gaps} gaps\n")
    wrong, judged, worst = wrong_places(seen, WITHIN_SECONDS)
    assert judged > 0
    told = told_ms(seen)
    wanted = min(pages, len(seen.matches))  # who joined during the run has no page
    assert len(told) == wanted, f"{len(told)} of {wanted} were told"
    return Row(
        row="19",
        name=f"{pages:,} waiting with sockets, {MATCHES_PER_SECOND:.0f} matches/s",
        ours=f"{wrong} of {judged:,} places wrong, worst lag {worst:.2f} s",
        reference="-",
        ratio=None,
        mark=f"every place right within {WITHIN_SECONDS:.0f} s",
        verdict=judged_here(wrong == 0 and not seen.closed),
        notes=(
            f"{seen.bytes_per_page / 1024:.0f} kB of the web processes per page; told of the room"
            f" after p50 {told[len(told) // 2]:.0f} ms, p99 {told[len(told) * 99 // 100]:.0f} ms;"
            f" {len(seen.closed)} sockets closed; {machine_note()}"
        ),
        figures={"worst_lag_seconds": worst, "bytes_per_page": seen.bytes_per_page},
    )


if __name__ == "__main__":
    sys.stdout.write(f"{run(int(sys.argv[1]) if sys.argv[1:] else PAGES).as_json()}\n")
