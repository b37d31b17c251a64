# Everything happens in .venv; only Python (3.10 to 3.13), pip and make are needed.
PYTHON ?= python3
BIN := .venv/bin
# One more than there are cores, for some tests wait: on two cores 7:17 minutes cold and 3:45 warm, not 7:43 and 4:11.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := $(BIN)/python -m pytest --dist worksteal
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-all test-rest quick slow check coverage compare bench strength clean

# Goals of one call come one after the other, whatever --jobs says: each takes all processors, and pip all of .venv. What
# goes side by side is asked for below, of another make.
ifeq ($(MAKELEVEL),0)
.NOTPARALLEL:
endif

# Train DQN and AlphaZero on Connect Four for a minute each, then play them against search, everyone against everyone.
demo: .venv/installed-rl,fast
	$(BIN)/python examples/mixed_match.py

# Set up, then lint, check the types and run the tests, side by side: what to run before every commit.
test: .venv/installed-dev
	$(MAKE) --no-print-directory --jobs=2 check quick

# Everything: the slow tests too, and the rules once more as plain Python.
test-all: test test-rest

# What test-all has, and test has not; side by side, for each alone leaves a processor idle now and then.
test-rest: .venv/installed-dev
	$(MAKE) --no-print-directory --jobs=2 slow coverage

quick: .venv/installed-dev
	$(PYTEST) -n $(WORKERS) -m "not slow"

slow: .venv/installed-dev
	$(PYTEST) -n auto -m slow

check: .venv/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --project .

# The rules of the games once more, as plain Python: debuggable, and every line of them counted.
coverage: .venv/installed-dev
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -m rules
	$(BIN)/coverage report

# Games against other implementations, move by move; about a quarter of an hour.
compare: .venv/installed-dev
	$(BIN)/python -m tests.compare

# Us and the peers, side by side in one run.
bench: .venv/installed-bench
	$(BIN)/python -m benchmarks.speed.run
	$(BIN)/python -m benchmarks.speed.forest

# What options and budgets are worth in Elo, into the tables of docs/measurements.md: half an hour or more. What was played
# is kept in build/strength.jsonl, and not played again: remove it when the players have changed.
strength: .venv/installed-bench
	mkdir -p build
	$(BIN)/python -m benchmarks.strength.elo --keep build/strength.jsonl --write
	$(BIN)/python -m benchmarks.strength.agreement --write

# A half of a virtual environment would be taken for a whole one by the next call, whatever PYTHON that names.
.venv/bin/python:
	@$(PYTHON) -c "import sys; v = sys.version_info[:2]; (3, 10) <= v <= (3, 13) or sys.exit('expected Python 3.10 to 3.13, \
	got %d.%d from $(PYTHON): name another one, as in PYTHON=python3.12' % v)"
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/installed-%: pyproject.toml constraints.txt | .venv/typings
	$(PIP) -e '.[$*]'
	touch $@

# An editable install maps plyground.envs to envs by an import hook, which pyright cannot follow: these links it can.
.venv/typings: | .venv/bin/python
	mkdir -p $@/plyground
	for package in envs agents arena; do ln -sfn ../../../$$package $@/plyground/$$package; done

clean:
	rm -rf .venv build dist *.egg-info .hypothesis .pytest_cache .ruff_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
