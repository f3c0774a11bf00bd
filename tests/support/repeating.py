"""Running the chosen tests many times, and running them again with the same chance.

`make test REPEAT=20 ARGS="-k name"` runs each twenty times; SEED=… gives Hypothesis the seed that
an earlier run has printed.
"""

import functools
import os
import random

import pytest
from hypothesis.internal.conjecture import providers

SEED = "SEED"


def repetitions() -> int:
    """Return how often each test runs."""
    return int(os.environ.get("REPEAT") or 1)


class RepeatingPlugin:
    """Chooses the seed where nobody has, and multiplies tests."""

    def pytest_configure(self, config: pytest.Config) -> None:
        if not os.environ.get(SEED):
            os.environ[SEED] = str(random.randrange(2**31))  # the workers inherit it
        config.option.hypothesis_seed = os.environ[SEED]
        # Hypothesis also draws constants of our modules that happen to be imported: another draw
        # for the same seed after each change, and for each way that files are spread over workers.
        providers.is_local_module_file = functools.cache(lambda _path: False)

    def pytest_report_header(self) -> str:
        return f"seed: {os.environ[SEED]}"

    @pytest.fixture
    def repetition(self, request: pytest.FixtureRequest) -> int:
        """Which of the test's runs this is."""
        return int(request.param)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        times = repetitions()
        if times > 1:
            metafunc.fixturenames.append("repetition")
            metafunc.parametrize("repetition", range(1, times + 1), indirect=True)
