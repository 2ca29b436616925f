PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: app test lint types setup bench clean

app: $(VENV)/.app  ## set up and open the studio
	$(BIN)/python -m streamlit run app.py --server.headless false

test: $(VENV)/.dev  ## set up and run the whole suite
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/mmr.py

$(VENV)/.app: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	command -v chromium || command -v chromium-browser || command -v google-chrome || $(BIN)/playwright install chromium
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
