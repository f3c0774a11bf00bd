# The two commands: `make demo` and `make test`; the others: `make help`.
# Tests take ARGS="-k name", REPEAT=20, SEED=1, JOBS=2, TEST_DATABASE=postgres, REQUIRE_ALL=1.
# A second run is quick: .venv knows the place it was made for and what is installed.

PY := .venv/bin/python
INSTALLED := $(if $(wildcard $(PY)),$(shell cat .venv/root 2>/dev/null))
ifneq ($(INSTALLED),$(CURDIR))
STALE := stale
endif
ARGS :=
JOBS = $(shell expr $$(nproc) + 1)
PYTEST = $(PY) -m pytest $(ARGS)
BRANCHES = var/tests/branches
SPREAD = -n $(JOBS) --dist loadfile --no-loadscope-reorder
export REPEAT SEED TEST_DATABASE REQUIRE_ALL
# Compiled modules are kept: without them every process spends a second on compiling ours anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast prove rehearsal durations check check-durations bench chaos screenshots messages lock clean stale

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

setup: .venv/installed-base  ## make .venv from the lock: what the demo needs

demo: .venv/installed-base  ## a running console with data and traffic (POOLSITE_PORT=8000)
	@exec $(PY) -m poolsite.runtime.demo

test: .venv/installed-dev  ## the whole suite but the long proofs (COVERAGE=1: count branches)
	@rm -rf $(BRANCHES)
	@$(if $(COVERAGE),POOLSITE_TEST_BRANCHES=$(BRANCHES)) $(PYTEST) $(SPREAD) -m "not prove" --ignore tests/house
	@$(if $(COVERAGE),$(PY) -m tests.support.branches $(BRANCHES))

test-fast: JOBS = $(shell nproc)
test-fast: .venv/installed-dev  ## its logic alone: no process but one Redis
	@exec $(PYTEST) $(SPREAD) -m "not processes and not prove" --ignore tests/house

prove: .venv/installed-dev  ## the long proofs: kills, mutants, chaos, the demo, every page, the rehearsal (REHEARSAL=no: without it)
	@failed=0; \
	$(PYTEST) $(SPREAD) -m "prove and not (alone or background or rehearsal)" || failed=1; \
	$(PY) -m tests.support.background $(ARGS) || failed=1; \
	$(if $(filter no,$(REHEARSAL)),,$(PYTEST) -m "prove and rehearsal" || failed=1;) \
	exit $$failed

rehearsal: .venv/installed-dev  ## its last proof alone, ten minutes: install, lose each part, upgrade, restore by the guides' commands
	@exec $(PYTEST) -m "prove and rehearsal"

check-durations: .venv/installed-dev  ## the part of check that looks at what the tests cost
	@exec $(PY) -m tests.support.durations check

durations: .venv/installed-dev  ## record what the last complete runs of the tests cost
	@exec $(PY) -m tests.support.durations record

check: .venv/installed-dev  ## style, types, migrations, settings, Lua, the house's own rules
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
