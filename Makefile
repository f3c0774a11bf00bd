# The two commands: `make demo` and `make test`; the others: `make help`.
# A second run is quick: .venv knows the place it was made for and what is installed.

PY := .venv/bin/python
INSTALLED := $(if $(wildcard $(PY)),$(shell cat .venv/root 2>/dev/null))
ifneq ($(INSTALLED),$(CURDIR))
STALE := stale
endif
ARGS :=

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench chaos screenshots messages lock clean stale

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

setup: .venv/installed-base  ## make .venv from the lock: what the demo needs

demo: .venv/installed-base  ## a running console with data and traffic (POOLSITE_PORT=8000)
	@exec $(PY) -m poolsite.runtime.demo

test: .venv/installed-dev  ## the whole suite (ARGS="-k name", TEST_DATABASE=postgres, REQUIRE_ALL=1)
	@exec $(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

check: .venv/installed-dev  ## style, types, migrations, settings, the house's own rules
	@$(PY) -m tests.house

bench: .venv/installed-dev  ## measure (ROWS="1 2")
	@exec $(PY) -m tests.bench

chaos: .venv/installed-dev  ## inject faults under load (SEED=1 SECONDS=600 FAULTS="…")
	@exec $(PY) -m tests.chaos

screenshots: .venv/installed-dev  ## the pictures in docs/screenshots
	@exec $(PY) -m tests.browser.screenshots

messages: .venv/installed-dev  ## the Chinese catalogues from the sources (needs gettext)
	@exec $(PY) -m tests.house.messages

lock: .venv/installed-dev  ## requirements/*.in → *.txt, with hashes
	@exec $(PY) -m tests.house.lock

clean:  ## remove what the commands made, the demo's data too
	rm -rf .venv var .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/installed-%: requirements/%.txt poolsite/runtime/bootstrap.py $(STALE)
	@python=$$(PYTHON="$(PYTHON)" sh poolsite/runtime/find-python) && exec "$$python" -I poolsite/runtime/bootstrap.py $*

stale:
