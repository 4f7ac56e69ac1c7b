# Everything on a fresh machine with Python 3.11+ and make: `make run`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WITHOUT_DATABASE := e2e examples worlds
UV := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --quiet

# The tests start hundreds of processes: what they import is compiled once and not by each, whatever is set outside.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run quick lint test test-postgresql check bench campaign map man words lock audit dist clean

# With LAN=yes the phones in your home reach it too, at the address that it prints.
run: $(VENV)/.run
	@exec $(if $(filter yes,$(LAN)),env BLACKTICKET_HTTP_LISTEN=0.0.0.0:8000) $(BIN)/blackticket serve

# While you write: all that says something within half a minute. The tests are those that need no application and no
# database; which these are is read off their imports.
quick: lint
	QUICK=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not long"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.catalogues check

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

# The same on a real PostgreSQL, without the tests that need no database, and the folders that compare files of SQLite.
test-postgresql: $(VENV)/.dev
	TEST_DATABASE=postgresql $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(WITHOUT_DATABASE:%=--ignore=tests/%)

check: lint test

bench: $(VENV)/.dev
	$(BIN)/python -m bench

# A failure is repeated with the seed that is shown: make campaign SEED=…
campaign: SEED := $(or $(SEED),$(shell date +%s))
campaign: $(VENV)/.dev
	TMPDIR=$(or $(TMPDIR),/var/tmp) CAMPAIGN=1 $(BIN)/python -m pytest -m "campaign or hypothesis" --hypothesis-seed=$(SEED) --timeout=3600
	CAMPAIGN=1 $(BIN)/python -m pytest tests/leaks/test_oracles.py tests/application/time/test_races.py
	$(BIN)/python -m campaign

# The boards to print, after a change of their drawing; a test says when.
map: $(VENV)/.dev
	$(BIN)/python docs/maps/draw.py

# The manual page, after a change of a command; a test says when.
man: $(VENV)/.dev
	$(BIN)/python docs/man/write.py

# The catalogues of translations, after a change of a sentence; `make lint` says when.
words: $(VENV)/.dev
	$(BIN)/python -m tests.catalogues

lock: $(VENV)/.dev
	$(UV) --group build --output-file requirements.lock
	$(UV) --group build --group dev --output-file requirements-dev.lock

# Whether a pinned dependency has a known weakness; asks the network.
audit: $(VENV)/.audit
	$(VENV)/.audit/bin/pip-audit --require-hashes --disable-pip -r requirements.lock

$(VENV)/.audit: $(VENV)/.python
	$(PYTHON) -m venv $@
	$@/bin/python -m pip --disable-pip-version-check --quiet install pip-audit

# What a release has beside its image: the wheel, and what that needs, as CycloneDX and read from the lock file.
dist: $(VENV)/.run $(VENV)/.sbom
	rm -rf dist
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	$(VENV)/.sbom/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		--output-file dist/sbom.cdx.json requirements.lock

$(VENV)/.sbom: $(VENV)/.python
	$(PYTHON) -m venv $@
	$@/bin/python -m pip --disable-pip-version-check --quiet install cyclonedx-bom==7.5.0

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The stamps say which lock file the environment was made from; without a change nothing is installed twice.
$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Black Ticket needs Python 3.11 or later; try make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.python requirements.lock pyproject.toml
	@echo "Installing the pinned dependencies into $(VENV) ..."
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@
