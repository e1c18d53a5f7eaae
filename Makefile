# Two commands: `make demo` opens the demo workspace, `make test` runs every check.
# Both set up a private environment in .venv from nothing but python3 >= 3.11;
# uv is used when it is installed, pip otherwise.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_WORKERS ?= auto

LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: lock demo test check-format lint types layers unit format setup setup-dev clean

demo: setup
	$(BIN)/geode-tui demo

test: setup-dev check-format lint types layers unit

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "geode-tui needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --allow-existing --python $(PYTHON) $(VENV); \
	else $(PYTHON) -m venv $(VENV); fi
	@touch $@

# One lock for both installers: $(1) is the lock file.
define install
@if command -v uv >/dev/null 2>&1; then \
  uv pip sync --quiet --python $(BIN)/python --require-hashes $(1) && \
  uv pip install --quiet --python $(BIN)/python --no-deps --editable .; \
else \
  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1) && \
  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .; \
fi
endef

$(VENV)/.installed: $(VENV)/.python pyproject.toml requirements.lock
	$(call install,requirements.lock)
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.python pyproject.toml requirements-dev.lock
	$(call install,requirements-dev.lock)
	@touch $@ $(VENV)/.installed

check-format:
	$(BIN)/ruff format --check .

lint:
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

layers:
	$(BIN)/lint-imports

unit:
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS)

format: setup-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: setup-dev # needs uv; writes the lock files anew
	uv pip compile $(LOCK) pyproject.toml -o requirements.lock
	uv pip compile $(LOCK) --group dev pyproject.toml -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf $(VENV)
