# Python 3.11+ and make are needed (on Debian python3-venv, too); everything else is installed into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8765
DATA ?= ./data
SERVED := $(VENV)/.served
WEB := clients/web
PACKAGES := $(WEB)/node_modules/.package-lock.json
PYTEST := $(BIN)/pytest --dist worksteal
WAITING := 7 # processes for tests on two cores: many of these wait
unexport PYTHONDONTWRITEBYTECODE # as containers set it: each program that a test starts would compile itself anew

.PHONY: help serve fast one lint lint-code lint-page types test tests gate compiled debug cover mutate bench attack constraints fuzz faults schema web docs release clean

help: ## these lines
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 10

serve: $(SERVED) ## a server on PORT (8765) with its matches in DATA (./data), and the computer beside it
	@exec $(BIN)/python deploy/serve.py $(BIN) $(PORT) "$(DATA)"

fast: lint ## lint, types, and all tests but those marked slow, e2e, long or faults: before each commit
	$(PYTEST) -n auto -m "not slow and not e2e and not long and not faults" # none of them waits

one: T ?= tests
one: $(VENV)/.installed ## the tests of T, a path or path::name, in this process: make one T=tests/engine
	$(BIN)/pytest $(T)

lint: lint-code types ## lint-code, and types

lint-code: $(VENV)/.installed lint-page ## ruff, import-linter, and lint-page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.installed ## mypy --strict
	$(BIN)/mypy

lint-page: ## biome and tsc for the page
ifneq ($(shell command -v npm),)
lint-page: $(PACKAGES)
	cd $(WEB) && npm run --silent lint && npm run --silent check
else ifeq ($(CI),true)
lint-page:
	@echo "npm is not installed: apt-get install nodejs npm"; exit 1
else
lint-page:
	@echo "The sources of the page are not looked at: npm is not installed (apt-get install nodejs npm)."
endif

test: lint ## lint, types, and all tests but those marked long or faults: before each push
	$(PYTEST) -n $(WAITING) -m "not long and not faults"

gate: $(VENV)/.installed ## the whole gate: lint, types, all tests, those of debug, docs: before a merge
	$(MAKE) --jobs 2 --output-sync=line lint-code compiled
	$(MAKE) --jobs 3 --output-sync=line tests types docs # mypy and mkdocs have one core each
	$(MAKE) debug

# Each of the processes would compile them anew: 15 s of CPU, and all at once.
compiled: $(VENV)/.installed ## the tests compiled, for the processes that will run them
	@$(BIN)/pytest --collect-only --quiet >/dev/null || true # what is wrong the tests say

tests: $(VENV)/.installed ## all tests
	$(PYTEST) -n $(WAITING)

# What asyncio and Python in development mode complain about: a step that holds up the event loop, a coroutine that
# nobody awaits, a file left open. Here server and clients share the process of the test; servers that are started inherit it.
DEBUGGED := tests/server/delivery $(addprefix tests/server/features/,challenges chat friends lists quick_match results) tests/server/gateway/test_match_actions.py tests/server/gateway/test_coming_back.py tests/client/test_client.py \
	tests/client/test_against_server.py tests/e2e/test_cut.py
debug: $(VENV)/.installed ## a part of the tests with asyncio's debug mode and Python's development mode
	PYTHONASYNCIODEBUG=1 PYTHONDEVMODE=1 $(PYTEST) -n $(WAITING) -m "not long" $(DEBUGGED)

# What chance decides is tried often here and in `make mutate`, and seldom above: tests/support/tries.py.
cover: export TAVLA_TEST_MANY := 1
cover: $(VENV)/.installed ## all tests, branches and subprocesses traced; fails below what docs/quality.md says
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --dist worksteal -n $(WAITING)
	$(BIN)/coverage combine --quiet
	@$(BIN)/python -m tests.cover

mutate: T ?= engine
mutate: N ?= 60
mutate: SEED ?= 1
mutate: export TAVLA_TEST_MANY := 1
mutate: $(VENV)/.installed ## N mutants of T (engine, protocol, client, or a room of the server, such as match): which ones do its tests not notice?
	$(BIN)/python -m tests.mutate $(T) $(N) $(SEED)

bench: $(VENV)/.installed ## server, idle connections and quick matches; writes bench/results
	$(BIN)/python -m bench

attack: $(VENV)/.installed ## attacks a server on this machine from outside, and prints what others notice of it
	$(BIN)/python -m bench.attack

# What the image and CI install, to the byte. uv is no part of the environment: pip install uv.
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet
constraints: ## writes the constraints of the image and of CI anew
	echo hatchling | $(LOCK) - --extra server --extra postgresql --extra cli --extra analysis --no-emit-package tavla --output-file deploy/constraints.txt
	$(LOCK) --extra dev --no-emit-package tavla --output-file .ci/constraints.txt

# atheris (libFuzzer for Python) is no part of the environment: not every Python has it.
fuzz: FOR ?= 600
fuzz: $(VENV)/.installed ## conversations and inputs that nobody has thought of, FOR 600 seconds; leaves what fails in files
	$(INSTALL) 'atheris>=3'
	$(BIN)/python -m tests.fuzz $(FOR)

faults: $(VENV)/.installed ## kills, freezes and cuts off servers and stores for half an hour; prints what became of the matches
	$(BIN)/python -m tests.faults

schema: $(VENV)/.installed ## writes protocol/schema.json, tavla.d.ts and vectors.json anew, after a message has changed
	$(BIN)/python -m protocol.generate

web: $(PACKAGES) ## the page for browsers, anew from clients/web/src, and its types checked; needs Node and npm
	cd $(WEB) && npm run --silent build && npm run --silent check

$(PACKAGES): $(WEB)/package.json
	cd $(WEB) && npm install --no-package-lock --no-audit --no-fund --loglevel error
	touch $@

docs: $(VENV)/.installed ## all documents as a site in build/docs, with the API of the packages; its links are checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

release: $(VENV)/.installed ## builds dist/, and tries the wheel in an empty environment
	.ci/release $(BIN)

clean: ## removes what all of this has made
	rm -rf $(VENV) build dist .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# What is said before a long wait: the folder, what comes into it, how large it is with that, and how long that takes.
MADE = echo "The first time $(VENV) is made, with $(1): $(2) MB, $(3)."
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
$(VENV)/.installed: pyproject.toml
	@$(call MADE,Tavla and the packages that it and its tests use,600,two minutes)
	@echo "1 of 2: an empty environment ..." && $(PYTHON) -m venv $(VENV)
	@echo "2 of 2: the packages ..."
ifeq ($(CI),true)
	@$(INSTALL) --progress-bar off --require-hashes --requirement .ci/constraints.txt
	@$(INSTALL) --quiet --no-deps --no-build-isolation --editable .
else
	@$(INSTALL) --editable '.[dev]'
endif
	@touch $@
# Of all that, the part that serving needs; where the whole is installed already, that will do.
$(VENV)/.served: pyproject.toml
	@[ ! $(VENV)/.installed -nt pyproject.toml ] || exit 0; \
	$(call MADE,Tavla and the packages that a server needs,200,less than a minute) && \
	echo "1 of 2: an empty environment ..." && $(PYTHON) -m venv $(VENV) && \
	echo "2 of 2: the packages ..." && $(INSTALL) --editable '.[cli,server,embedded,analysis]'
	@touch $@
