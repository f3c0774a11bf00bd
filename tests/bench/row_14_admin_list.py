"""Row 14: the admin's list of numbers at 1 000 000 rows, PostgreSQL, against 1 000 rows.

Load: one process, one request after another through the whole of Django (middleware, templates,
live states from Redis), 50 rows a page, 30 requests for each page, two rounds for each size in
turn; the smaller median counts. Pages: the first page, a search by prefix, by region, and by state.
Left out: the web server and the browser.
"""

from tests.bench.result import Row, at_most
from tests.bench.sql_site import LARGE, SMALL, sites
from tests.bench.sql_work import PAGES

REQUESTS = 30
ROUNDS = 2


def run() -> list[Row]:
    """Measure both sizes in turn. Return one row for each page."""
    here = sites()
    small: dict[str, float] = {}
    large: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, site, kept in (("small", here.small, small), ("large", here.large, large)):
            for page, taken in site.work("list", name, str(REQUESTS)).items():
                kept[page] = min(taken, kept.get(page, taken))
    return [
        Row(
            row="14",
            name=f"admin list, {LARGE:,} rows, {page}",
            ours=f"{large[page]:.1f} ms",
            reference=f"{SMALL:,} rows {small[page]:.1f} ms",
            ratio=large[page] / small[page],
            mark="≤ 1.5×",
            verdict=at_most(1.5, large[page] / small[page]),
        )
        for page in PAGES
    ]
