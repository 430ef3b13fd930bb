# Two commands for newcomers: `make demo` and `make test`. Each sets up its own .venv first.
# The stamp holds what the set-up depends on (Python, place, pyproject.toml). It is written last, so an
# interrupted set-up is never taken for finished, and while it is current neither pip nor a network is used.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/ready

.PHONY: study-privacy study-cascades audit-privacy help demo test setup lint format types contracts docs coverage soundness check clean

help:
	@echo "make demo       certify, verify and refute real games; sets itself up first"
	@echo "make test       run the test suite; sets itself up first"
	@echo "make check      lint, types, import contracts and docs"
	@echo "make docs       build the documentation into docs/_build/html"
	@echo "make audit-privacy  audit the privacy mechanisms at full size (minutes; resumes after a stop)"
	@echo "make study-cascades  the tables of Huang et al. (2025) again, ten seeds (a day; stop and resume at will)"
	@echo "make study-privacy  protocols on real and on drawn data (an hour of one core; resumes after a stop)"
	@echo "make soundness  10,000 cases of known modulus against the search (an hour; goes on where it was)"
	@echo "make coverage   run the suite under coverage and print the report"
	@echo "make clean      remove the environment and everything built"

demo: setup
	@$(PY) docs/demo.py

test: setup
	@echo "certikit: running the tests"
	@$(PY) -m pytest

# One shell, so that a failing step stops the rest.
setup:
	@set -e; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "certikit needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3.12 demo" >&2; exit 2; }; \
	current=$$($(PYTHON) -c 'import hashlib, os, sys; print(sys.version.split()[0], os.getcwd(), hashlib.sha256(open("pyproject.toml", "rb").read()).hexdigest())'); \
	previous=$$(cat $(STAMP) 2>/dev/null || true); \
	if [ "$$previous" = "$$current" ]; then exit 0; fi; \
	rm -f $(STAMP); \
	if [ -n "$$previous" ] && [ "$${previous% *}" = "$${current% *}" ]; then \
	  echo "certikit: pyproject.toml has changed; updating $(VENV)"; \
	else \
	  echo "certikit: setting up $(VENV) (first run only; a few minutes with a slow network)"; \
	  echo "  1/3 virtual environment"; $(PYTHON) -m venv --clear $(VENV); \
	fi; \
	echo "  2/3 pip"; $(PY) -m pip install -qq --upgrade 'pip>=25.1'; \
	echo "  3/3 certikit and its development tools"; $(PY) -m pip install -qq --editable . --group dev; \
	echo "$$current" > $(STAMP); \
	echo "certikit: ready"

lint: setup
	@$(PY) -m ruff check . && $(PY) -m ruff format --check .

format: setup
	@$(PY) -m ruff check --fix . ; $(PY) -m ruff format .

types: setup
	@$(PY) -m mypy

contracts: setup
	@$(VENV)/bin/lint-imports

docs: setup
	@$(PY) -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "certikit: documentation is in docs/_build/html"

check: lint types contracts docs

audit-privacy: setup
	@$(PY) benchmarks/privacy_audits.py

study-cascades: setup
	@$(PY) benchmarks/study_cascades.py run docs/papers/huang2025.jsonl --seeds 10
	@$(PY) benchmarks/study_cascades.py show docs/papers/huang2025.jsonl > docs/papers/huang2025-tables.md

study-privacy: setup
	@$(PY) benchmarks/privacy_study.py
	@$(PY) benchmarks/privacy_protocols.py

soundness: setup
	@$(PY) -m tests.sosgames.soundness 10000 --log soundness.jsonl

coverage: setup
	@$(PY) -m coverage run -m pytest && $(PY) -m coverage report

clean:
	rm -rf $(VENV) docs/_build docs/_generated .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
