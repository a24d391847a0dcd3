# The two commands of the README are `up` and `test`; CI calls `test`.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
# Tests never touch the data of the studio that lives here.
IN_A_FOLDER := folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; STUDIO_DATA="$$folder"
TYPED := evals_core studio tests

.DEFAULT_GOAL := help
.PHONY: help up test fast lint fix types bench lock check-tables check-api test-sqlite test-servers test-whole

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

# Each lock is installed once and again whenever it has changed; uv is used where it is present.
$(VENV)/%.installed: %.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed."; exit 1; }
	@test -x $(BIN)/python || if command -v uv >/dev/null && uv --version >/dev/null 2>&1; \
		then uv venv -q --python "$(PYTHON)" $(VENV); else "$(PYTHON)" -m venv $(VENV); fi
	@echo "Installing $< …"
	@if command -v uv >/dev/null && uv --version >/dev/null 2>&1; \
		then uv pip install -q --python $(BIN)/python --require-hashes -r $<; \
		else $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $<; fi
	@touch $@

# What runs needs either lock: the dev lock holds everything the other one does.
ifneq ($(wildcard $(VENV)/requirements-dev.installed),)
RUNTIME := $(VENV)/requirements-dev.installed
else
RUNTIME := $(VENV)/requirements.installed
endif
DEV := $(VENV)/requirements-dev.installed

up: $(RUNTIME) ## Start the studio and open it in a browser
	@exec $(BIN)/python manage.py up

test: lint types check-tables check-api test-sqlite test-servers test-whole ## Everything CI asks

lint: $(DEV) ## Style, layers, templates, spelling
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	@git ls-files -z --cached --others --exclude-standard 'templates/*.html' | \
		xargs -0r $(BIN)/djade --target-version 5.2 --check
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/typos

fix: $(DEV) ## Correct what tools can correct
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	@git ls-files -z --cached --others --exclude-standard 'templates/*.html' | \
		xargs -0r $(BIN)/djade --target-version 5.2 || true

types: $(DEV) ## Types, strictly
	$(BIN)/mypy $(TYPED)

check-tables: $(DEV)
	$(BIN)/python manage.py makemigrations --check --dry-run

check-api: $(DEV)
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null

fast: $(DEV) ## The tests of the engine, which take seconds
	@$(IN_A_FOLDER) $(BIN)/pytest -q tests/core tests/test_house.py

test-sqlite: $(DEV)
	@$(IN_A_FOLDER) $(BIN)/pytest -n 2 --ignore=tests/browser --ignore=tests/reliability

# Real processes and a real browser: one after the other, so that none starves another.
test-whole: $(DEV)
	@$(IN_A_FOLDER) $(BIN)/pytest tests/browser tests/reliability

test-servers: $(DEV)
	@$(IN_A_FOLDER) .ci/with-servers $(BIN)/pytest -n 2 tests/studio tests/api

bench: $(DEV) ## Measure speed: start, experiment, pages of scores
	@$(IN_A_FOLDER) $(BIN)/python -m tests.speed.cold_start
	@$(IN_A_FOLDER) $(BIN)/python -m tests.speed.throughput
	@$(IN_A_FOLDER) $(BIN)/python -m tests.speed.score_pages
	@$(IN_A_FOLDER) $(BIN)/pytest -q -m speed

lock: ## Choose versions anew from pyproject.toml
	uv pip compile -q pyproject.toml --universal --generate-hashes --all-extras -o requirements.lock
	uv pip compile -q pyproject.toml --universal --generate-hashes --all-extras --group dev \
		-o requirements-dev.lock
