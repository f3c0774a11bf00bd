"""`manage.py pool import` shows every refused row, and imports only with the option for it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from poolsite import hotpath
from tests.numbers.import_world import SAMPLE, csv_file, in_redis, in_sql, make_pool


@pytest.fixture
def pool(transactional_db, clean_redis):
    hotpath.reset()
    return make_pool()


def run(*words: str) -> str:
    said = StringIO()
    call_command("pool", "import", *words, stdout=said)
    return said.getvalue()


def test_the_sample_is_shown_with_its_65_rows_and_nothing_is_imported_without_yes(pool) -> None:
    said = run(pool.slug, str(SAMPLE))
    assert sum(line.startswith("  row ") for line in said.splitlines()) == 65
    assert "Nothing was imported" in said
    assert in_sql(pool) == set()


def test_with_yes_the_numbers_are_there(pool, tmp_path) -> None:
    assert "2 numbers added" in run(pool.slug, str(csv_file(tmp_path, [["101"], ["102"]])), "--yes")
    assert in_sql(pool) == in_redis(pool) == {"101", "102"}


def test_a_file_that_is_not_there_is_one_clear_sentence(pool, tmp_path) -> None:
    with pytest.raises(CommandError, match=r"gone\.csv: No such file"):
        run(pool.slug, str(tmp_path / "gone.csv"))
