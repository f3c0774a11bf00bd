"""`manage.py timers` whose scripts read the tests' clock (fixture `test_clock`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def main() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    from poolsite.hotpath.scripts import preluded_with
    from tests.support.clock import TEST_PRELUDE

    with preluded_with(TEST_PRELUDE):
        call_command("timers")


if __name__ == "__main__":
    main()
