# `make serve` and `make test` need Python 3.11+, make and a C compiler; everything else is installed into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
HOUSE := beginner intermediate house --available --max-concurrent 20 --keep
PORT ?= 8765
DATA ?= ./data

.PHONY: serve test lint bench mutate faults clean

# Beside the server the house bot, at its three levels: a client like any other, started again when it dies.
# A signal ends both; we wait for the server, which finishes what is under way.
serve: $(VENV)/.installed
	@$(BIN)/tavla-server --port $(PORT) --data $(DATA) & server=$$!; \
	TAVLA_CONFIG_DIR=$(DATA)/bots $(BIN)/tavla bot run $(HOUSE) --server ws://localhost:$(PORT) & bots=$$!; \
	trap 'kill $$server $$bots' INT TERM; \
	wait $$server; code=$$?; kill $$server $$bots 2>/dev/null; wait; exit $$code

test: lint
	$(BIN)/pytest -n 4 --dist worksteal

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed
	$(BIN)/python -m bench

# Mutants of a package that its tests should notice: make mutate T=engine (protocol, match, client) N=60 SEED=1
T ?= engine
N ?= 60
SEED ?= 1
mutate: $(VENV)/.installed
	$(BIN)/python -m tests.mutate $(T) $(N) $(SEED)

faults: $(VENV)/.installed
	$(BIN)/python -m tests.faults

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
