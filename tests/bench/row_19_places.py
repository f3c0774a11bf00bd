"""Row 19: 10 000 waiting visitors with open sockets, 100 matches a second.

Load: two web processes (uvicorn, no compression), 10 000 visitors' pages with a socket each in two
more, which keep their own place as the page's script does and answer heartbeats; 200 agents; 100
times a second for 20 s an agent ends a room and gets the next visitor, and a visitor joins the end,
so that the line keeps its length. Four times a second every page's shown place is compared with the
matches that had been made: it is right if it was true at a moment within the last second. At the
end each must be right to the last match. Memory: resident bytes of the web processes per page.
Left out: TLS, a proxy, the browsers' work, workers, the drain.
"""

import sys

from tests.bench.line_pages import how_it_ran, judge_places, told_ms, watch
from tests.bench.machine import judged_here
from tests.bench.result import Row

PAGES, MATCHES_PER_SECOND, SECONDS = 10_000, 100.0, 20.0
WITHIN_SECONDS = 1.0


def run(pages: int = PAGES) -> Row:
    """Open the pages, match, and judge every place that was shown."""
    seen = watch(pages, MATCHES_PER_SECOND, SECONDS)
    places = judge_places(seen, WITHIN_SECONDS)
    at_the_end = seen.wrong_at_the_end()
    told = told_ms(seen)
    wanted = min(pages, len(seen.matches))  # visitors who joined during the run have no page
    passed = not (places.wrong or at_the_end or seen.closed) and len(told) == wanted
    return Row(
        row="19",
        name=f"{pages:,} waiting with sockets, {MATCHES_PER_SECOND:.0f} matches/s",
        ours=(
            f"{places.wrong:,} of {places.judged:,} places wrong, lag p99 {places.lag_p99:.2f},"
            f" worst {places.worst_lag:.2f} s"
        ),
        reference="-",
        ratio=None,
        mark=f"every place right within {WITHIN_SECONDS:.0f} s",
        verdict=judged_here(passed),
        notes=(
            f"{at_the_end} wrong at the end; {seen.bytes_per_page / 1024:.0f} kB of the web"
            f" processes per page; {len(told)} of {wanted} told of the room after p50"
            f" {told[len(told) // 2]:.0f} ms, p99 {told[len(told) * 99 // 100]:.0f} ms;"
            f" {seen.gaps} gaps, {seen.asked_again} places asked for again; {how_it_ran(seen)}"
        ),
        figures={
            "lag_p99_seconds": places.lag_p99,
            "worst_lag_seconds": places.worst_lag,
            "bytes_per_page": seen.bytes_per_page,
            "told": len(told) / wanted,
            "web_cores": seen.web_cores,
        },
    )


if __name__ == "__main__":
    sys.stdout.write(f"{run(int(sys.argv[1]) if sys.argv[1:] else PAGES).as_json()}\n")
