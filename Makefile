# Everything runs in .venv, which is made on first use with the python3 on the path.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test lint clean

demo: .venv/demo
	$(BIN)/auscult demo demo

test: .venv/dev lint
	$(BIN)/pytest -n 2

lint: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/mypy

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Auscult needs Python 3.11 or newer: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ .venv/demo

clean:
	rm -rf .venv demo build dist
