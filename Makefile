# Two commands are enough on a fresh machine: `make run` and `make test`. Everything else is a part of them.
# A second run is quick: what is installed is remembered in stamp files that depend on pyproject.toml.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Compiled when installed: where that fails, everything but counting the fan of the Chinese official rules works.
CHINESE = $(BIN)/python -m pip install --quiet --editable '.[chinese]' 2>/dev/null || \
	echo "PyMahjongGB could not be installed (it needs a C++ compiler: apt install g++ python3-dev); without it the fan of the Chinese official rules are not counted, everything else works." >&2
CODE := firmware_bridge jantaku table_engine tests virtual_table vision
PYTEST_FLAGS ?=
ROUNDS ?= 5

.PHONY: help run demo test search lint format types imports bench bench-vision bench-faults firmware clean system-packages

help:
	@echo "make run     install into .venv and start the demo; says which address to open"
	@echo "make test    install what tests need, then lint, types, import rules and tests"
	@echo "make search  the property tests on new examples, five rounds (ROUNDS=n)"
	@echo "make lint    ruff check and format check        make format  put right what ruff can"
	@echo "make types   mypy --strict                      make imports which room may use which"
	@echo "make bench   the benchmarks of docs/benchmarks.md"
	@echo "make bench-faults 2,000 hands before failing sensors: false alarms, fouls found, hands told exactly"
	@echo "make bench-vision 200 rendered hands of unseen tile sets, watched (HANDS=n, WORKERS=n; goes on where it stopped)"
	@echo "make firmware the reference controller for both boards (needs gcc-avr, avr-libc)"
	@echo "make clean   remove .venv and caches (var/, the demo's data, stays)"

run demo: $(VENV)/.installed
	@exec $(BIN)/python -m jantaku demo

test: system-packages $(VENV)/.installed-dev lint types imports
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

# What the property tests try is the same in every run of `make test`; here it is new each time.
search: $(VENV)/.installed-dev
	for n in $$(seq $(ROUNDS)); do \
		$(BIN)/python -m pytest -q -m hypothesis --hypothesis-profile=search $(PYTEST_FLAGS) || exit 1; done

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

types: $(VENV)/.installed-dev
	$(BIN)/mypy

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.installed-dev
	$(BIN)/python tests/bench/run.py

bench-faults: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.campaign --hands 2000

HANDS ?= 200
WORKERS ?= 2

bench-vision: $(VENV)/.installed-dev
	$(BIN)/python tests/bench/vision_hands.py --hands $(HANDS) --workers $(WORKERS)
	$(BIN)/python tests/bench/vision_speed.py
	$(BIN)/python tests/bench/vision_pair.py

firmware:
	$(MAKE) -C firmware

system-packages:
	@sh tests/system-packages.sh

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found; install it or say make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@# Debian splits ensurepip off its Python; then the pip outside fills the new environment.
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(VENV)/bin/python install --quiet pip; }

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Jantaku into $(VENV) (the first time takes a minute) ..."
	$(BIN)/python -m pip install --quiet --editable .
	@$(CHINESE)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Jantaku and its development tools into $(VENV) (the first time takes a minute) ..."
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@$(CHINESE)
	@touch $(VENV)/.installed $@
