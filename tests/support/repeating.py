"""Run the chosen tests many times, and run them again with the same random seed.

`make test REPEAT=20 ARGS="-k name"` runs each twenty times. SEED=… gives Hypothesis the seed that
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
    """Chooses the seed if none is given, and multiplies tests."""

    def pytest_configure(self, config: pytest.Config) -> None:
        if not os.environ.get(SEED):
            os.environ[SEED] = str(random.randrange(2**31))  # the workers inherit it
        config.option.hypothesis_seed = os.environ[SEED]
        # Hypothesis also draws constants of our modules that happen to be imported. For the same
        # seed it would then draw differently after each change, and for each distribution of files
        # over workers.
        providers.is_local_module_file = functools.cache(lambda _path: False)

    def pytest_report_header(self) -> str:
        return f"seed: {os.environ[SEED]}"

    @pytest.fixture
    def repetition(self, request: pytest.FixtureRequest) -> int:
        """Return the number of this repetition of the test."""
        return int(request.param)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        times = repetitions()
        if times > 1:
            metafunc.fixturenames.append("repetition")
            metafunc.parametrize("repetition", range(1, times + 1), indirect=True)
