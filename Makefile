# make demo         the sample study in a browser (PORT=8001 make demo for another port)
# make demo-reset   the same from the start, forgetting what was done in it
# make test         the tests, on PostgreSQL where a server answers, else on SQLite
# make test-all     the long ones, too, whatever has changed; before a release
# make test-long    the long ones alone, so that make test leaves them out until what they rest on changes
# make lint         style, types, import rules, missing migrations
# make check        lint, then test
# make bench        measurements beside peers

PYTHON_IN_VENV = .venv/bin/python
.DEFAULT_GOAL = help
.PHONY: help install install-dev demo demo-reset test test-all test-long lint check bench

help:
	@sed -n 's/^# //p' $(firstword $(MAKEFILE_LIST))

install:
	@scripts/install.sh requirements.txt

install-dev:
	@scripts/install.sh requirements-dev.txt

demo: install
	@exec $(PYTHON_IN_VENV) -m annotation_platform.demo

demo-reset: install
	@exec $(PYTHON_IN_VENV) -m annotation_platform.demo --reset

test: install-dev
	@scripts/test.sh $(TESTS)

test-all: install-dev
	@scripts/test.sh --all

test-long: install-dev
	@scripts/test.sh --long

lint: install-dev
	@scripts/lint.sh

check: lint test

bench: install-dev
	@exec $(PYTHON_IN_VENV) -m benchmarks
