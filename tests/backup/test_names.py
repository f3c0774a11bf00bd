"""The name of a backup's folder."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from poolsite.backup import manifest, taking

SECONDS = 60


@pytest.mark.processes  # pg_dump, with TEST_DATABASE=postgres
@pytest.mark.django_db(transaction=True)
def test_a_backup_in_a_second_that_has_one_takes_the_next_free_name(tmp_path: Path) -> None:
    began = datetime.now(UTC)
    taken = [
        tmp_path / (began + timedelta(seconds=late)).strftime(taking.NAME)
        for late in range(SECONDS)
    ]
    for folder in taken:
        folder.mkdir()
    sql_alone = taking.BackupRequest(redis=False, files=False)
    made = taking.take(tmp_path, sql_alone, lambda text: None)
    assert made.parent == tmp_path
    assert made.name > taken[-1].name
    assert manifest.read(made).left_out
