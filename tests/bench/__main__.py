"""`make bench`: run the rows of the performance table and print them.

Each row is a module `tests/bench/row_NN_*.py` with `run() -> Row | list[Row]`. The module's
docstring states its load, sizes and clients; `run` checks the final state before it reports.
"""

import argparse
import importlib
import json
import os
import sys
import traceback
from pathlib import Path

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from tests.bench.result import Row, as_table

HERE = Path(__file__).resolve().parent
MEASURED_WITH = {2: 1}  # one module measures both rows


def main() -> int:
    """Run the requested rows. Return 1 only if a row could not be measured."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--rows", default=os.environ.get("ROWS", ""), help='e.g. "1 2 11"')
    parser.add_argument("--json", type=Path, default=Path("bench.json"))
    options = parser.parse_args()
    modules = {int(path.stem.split("_")[1]): path.stem for path in sorted(HERE.glob("row_*.py"))}
    numbers = {int(number) for number in options.rows.split()}
    asked = {n if n in modules else MEASURED_WITH.get(n, n) for n in numbers}
    unknown = asked - modules.keys()
    if unknown:
        sys.stderr.write(f"No such rows: {sorted(unknown)}; there are {sorted(modules)}.\n")
        return 2
    rows = [row for number in sorted(asked or modules) for row in _run(number, modules[number])]
    print(as_table(rows))
    options.json.write_text(json.dumps([row.as_json() for row in rows], indent=2) + "\n")
    return 1 if any(row.verdict == "error" for row in rows) else 0


def _run(number: int, module: str) -> list[Row]:
    sys.stderr.write(f"row {number}: {module} …\n")
    try:
        result = importlib.import_module(f"tests.bench.{module}").run()
    except Exception as error:
        traceback.print_exc()
        return [Row(str(number), module, "-", "-", None, "-", "error", notes=repr(error))]
    return result if isinstance(result, list) else [result]


if __name__ == "__main__":
    sys.exit(main())
