# Everything that is done with a checkout. Nothing needs root; all of it happens in .venv, which is made when missing.
#
#   make demo PYTHON=python3.12                     another interpreter
#   make tests PYTEST_OPTIONS='-k layers'           some tests
#   make demo DEMO_OPTIONS='--bots my_bots/'        another tournament

DEMO_BOTS := montecarlo counting greedy lowest random
DEMO_OPTIONS ?= --bots sample_bots/ $(addprefix --only ,$(DEMO_BOTS)) --sets 4
PYTEST_OPTIONS ?= -n 2
PYTHON ?=
BIN := .venv/bin

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo cluster-demo test quick lint types tests steady chaos format protos pictures lock hooks bench clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(firstword $(MAKEFILE_LIST))

demo: .venv/.run ## sets up and runs the tournament of the sample bots
	@$(BIN)/arena tournament $(DEMO_OPTIONS)

cluster-demo: .venv/.dev ## the same on a Ray cluster of two nodes, both on this machine
	@$(BIN)/python -m tools.cluster_demo $(DEMO_OPTIONS)

test: lint types tests ## sets up and runs all that CI runs: lint, types, tests

quick: .venv/.dev ## the tests that take no time and harm no process
	@$(BIN)/python -m pytest -m 'not slow and not chaos' $(PYTEST_OPTIONS)

lint: .venv/.dev ## ruff: rules and format
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: .venv/.dev ## mypy, strict
	@$(BIN)/mypy

tests: steady chaos ## pytest

steady: .venv/.dev ## the tests that can share a machine
	@$(BIN)/python -m pytest -m 'not chaos' $(PYTEST_OPTIONS)

chaos: .venv/.dev ## the tests that kill and starve, one at a time
	@$(BIN)/python -m pytest -m chaos $(PYTEST_OPTIONS) -n 0

format: .venv/.dev ## formats, and mends what ruff can mend
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

docs: .venv/.dev ## builds the site of docs/ in build/site, its links checked
	@$(BIN)/python -m tools.build_site

protos: .venv/.dev ## generates arena/v1 from proto/arena/v1
	@$(BIN)/python -m tools.generate_protos
	@$(BIN)/python -m tools.protocol_reference

pictures: .venv/.dev ## draws the pictures of README anew
	@$(BIN)/python -m tools.pictures

lock: .venv/.dev ## pins the dependencies anew; UPGRADE=--upgrade for the newest
	@tools/lock.sh $(UPGRADE)

hooks: .venv/.dev ## has git check each commit
	@$(BIN)/pre-commit install

bench: .venv/.dev ## the benchmarks
	@$(BIN)/python -m benchmarks

clean: ## removes .venv and what tools have left
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/.run: pyproject.toml requirements/build.txt requirements/run.txt
	@PYTHON='$(PYTHON)' tools/set_up.sh run
	@touch $@

.venv/.dev: pyproject.toml requirements/build.txt requirements/dev.txt
	@PYTHON='$(PYTHON)' tools/set_up.sh dev
	@touch .venv/.run $@
