"""Print how many of the product's branches the last run with COVERAGE=1 went through."""

import json
import tempfile
from pathlib import Path

from coverage import Coverage


def main() -> None:
    """One line, from the data that the run left."""
    coverage = Coverage()
    coverage.load()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        coverage.json_report(outfile=report.name)
        totals = json.loads(Path(report.name).read_text())["totals"]
    covered, branches = totals["covered_branches"], totals["num_branches"]
    print(f"Branches: {100 * covered / branches:.2f} % ({covered:,} of {branches:,})")


if __name__ == "__main__":
    main()
