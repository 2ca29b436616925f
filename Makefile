PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
LOCK := .venv-lock
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=40

# Python keeps what it compiled, also where the machine says otherwise: a test starts many processes.
export PYTHONDONTWRITEBYTECODE =

# The locks were resolved for these; elsewhere pip resolves the requirements by itself. In them is all
# but torch and what only torch needs, which differ with the machine: a GPU wants a dozen packages more.
LOCK_PYTHON := 3.11
LOCK_FITS = $(BIN)/python -c 'import sys, sysconfig as s; \
	sys.exit((s.get_python_version(), s.get_platform()) != ("$(LOCK_PYTHON)", "linux-x86_64"))'

# Sets $(VENV) up from $(1).txt. What the lock brings, the second pip finds installed: it adds torch, and
# mends what a lock older than its requirements got wrong. pip compiles with one core, so that is left
# to compileall; what `-x` skips is imported rarely, if ever, and compiled then.
define install
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	if $(LOCK_FITS); then $(PIP_INSTALL) --require-hashes --no-deps -r $(1).lock; fi
	$(PIP_INSTALL) -r $(1).txt
	$(BIN)/python -m compileall -qq -j 0 -x '/(tests|models)/' $(VENV)/lib || true
endef
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: app test test-browser test-thorough lint types api docs bench lock clean

app: $(VENV)/.app  ## set up and open the studio
	@echo "Shotlist opens in your browser at http://127.0.0.1:8501, or at the next free port."
	$(BIN)/python -m streamlit run app.py --server.headless false --logger.hideWelcomeMessage true

test: $(VENV)/.dev  ## set up and run the gate: everything but what drives a browser, and the main journeys
	$(PYTEST) -m "journey or not (browser or thorough)"

test-browser: $(VENV)/.dev  ## everything that drives a browser
	$(PYTEST) -m browser

test-thorough: $(VENV)/.dev  ## simulations, training, whole runs, and properties on many new examples
	$(PYTEST) -m "thorough or hypothesis" --hypothesis-profile thorough

lint: $(VENV)/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

api: $(VENV)/.dev  ## write the reference of the library to docs/api
	$(BIN)/pdoc core --docformat google --output-directory docs/api

docs: $(VENV)/.dev  ## write docs/cli.md from the parser of the commands, docs/house.svg from the imports
	$(BIN)/python docs/cli.py
	$(BIN)/python docs/house.py

bench: $(BENCH)/.peers  ## install the peers apart and run every benchmark; ARGS="--json FILE"
	$(BENCH)/bin/python -m benchmarks $(ARGS)

lock:  ## resolve the requirements into their locks; ARGS=--upgrade for newer versions
	test -x $(LOCK)/bin/python || $(PYTHON) -m venv $(LOCK)
	$(LOCK)/bin/python -m pip install --quiet 'uv>=0.13,<0.14'
	$(LOCKED) -o requirements.lock requirements.txt
	$(LOCKED) -c requirements.lock -o requirements-dev.lock requirements-dev.txt

LOCKED = echo torch | $(LOCK)/bin/uv pip compile --quiet --excludes /dev/stdin --generate-hashes \
	--python-version $(LOCK_PYTHON) --python-platform x86_64-manylinux_2_28 --no-emit-index-url \
	--no-emit-find-links --custom-compile-command 'make lock' $(ARGS)

$(VENV)/.app: requirements.txt requirements.lock
	$(call install,requirements)
	touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt requirements-dev.lock
	$(call install,requirements-dev)
	command -v chromium || command -v chromium-browser || command -v google-chrome || $(BIN)/playwright install chromium
	touch $@

$(BENCH)/.peers: requirements.txt requirements-dev.txt requirements-bench.txt
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet -r requirements-bench.txt
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) $(LOCK) .pytest_cache .mypy_cache .ruff_cache
