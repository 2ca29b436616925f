PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Python keeps what it compiled, also where the machine says otherwise: a test starts many processes.
export PYTHONDONTWRITEBYTECODE =

.PHONY: app test test-browser test-thorough lint types api bench clean

app: $(VENV)/.app  ## set up and open the studio
	@echo "Shotlist opens in your browser at http://127.0.0.1:8501, or at the next free port."
	$(BIN)/python -m streamlit run app.py --server.headless false --logger.hideWelcomeMessage true

test: $(VENV)/.dev  ## set up and run the gate: everything but what drives a browser, and ten journeys
	$(PYTEST) -m "journey or not (browser or thorough)"

test-browser: $(VENV)/.dev  ## everything that drives a browser
	$(PYTEST) -m browser

test-thorough: $(VENV)/.dev  ## simulations, training and whole runs
	$(PYTEST) -m thorough

lint: $(VENV)/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

api: $(VENV)/.dev  ## write the reference of the library to docs/api
	$(BIN)/pdoc core --docformat google --output-directory docs/api

bench: $(BENCH)/.peers  ## install the peers apart (3 GB) and run every benchmark; ARGS="--json FILE"
	$(BENCH)/bin/python -m benchmarks $(ARGS)

$(VENV)/.app: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	command -v chromium || command -v chromium-browser || command -v google-chrome || $(BIN)/playwright install chromium
	touch $@

$(BENCH)/.peers: requirements.txt requirements-dev.txt requirements-bench.txt
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet -r requirements-bench.txt
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) .pytest_cache .mypy_cache .ruff_cache
