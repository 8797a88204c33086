# Each target sets up what it needs; `make conformance` is the main job.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
TODAY := $(shell date +%F)

# Every profile with a contract of its own.
PROFILES := yoagent deepseek-harness tunacode connectome

.DEFAULT_GOAL := conformance
.PHONY: conformance publish systems test lint format bench bench-shrinking bench-scaling bench-peers bench-report frameworks field coverage determinism docs fuzz clean

# The suite on the reference loop, then on the loop as each system behaves; writes reports/latest/.
conformance: $(VENV)/.installed
	$(BIN)/simharness run scenarios --agent reference --jobs $(JOBS) --strict-coverage --out reports/latest
	for profile in $(PROFILES); do \
		$(BIN)/simharness run scenarios --profile $$profile --budget quick --jobs $(JOBS) \
			--strict-coverage --out reports/latest/$$profile || exit; \
	done

# A dated copy of the short results, to be kept: of the suite and of its runs under each profile.
publish: conformance
	mkdir -p reports/$(TODAY)
	cp reports/latest/report.md reports/$(TODAY)/reference.md
	for profile in $(PROFILES); do \
		cp reports/latest/$$profile/report.md reports/$(TODAY)/$$profile.md || exit; \
	done

# All tests.
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Costs as ratios, measured side by side in one run.
bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks

# How far failures of thirty mutants shrink, from schedules drawn at random; some minutes.
bench-shrinking: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.shrinking

# Trials per second of one and of two worker processes; needs a machine with nothing else to do.
bench-scaling: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.scaling

# The HTML report of the shipped suite: its size, and how fast Chromium answers; minutes.
bench-report: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.html_report

# Beside other tools, each in a virtual environment of its own; not part of CI.
bench-peers: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.peers

# Every framework that has an adapter, each in a virtual environment of its own with its newest
# release: writes reports/frameworks.md and .json. ONLY="tinyagent pydantic-ai" runs some.
frameworks: $(VENV)/.dev
	$(BIN)/python -m tests.matrix $(ONLY)

# Real bugs: each in the release that has it and in the first that does not, in virtual environments
# of their own. ONLY="P1 P5" runs some.
field: $(VENV)/.dev
	$(BIN)/simharness field $(ONLY)

# What stands for each public report: writes reports/coverage.md.
coverage: $(VENV)/.dev
	$(BIN)/python -m tests.field

# Random trials of the reference loop and hostile files, until all are done; goes on where it was
# stopped. Writes reports/fuzz.md. An hour on two free cores.
N ?= 1000000
FILES ?= 10000
FIRST ?= 0
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --trials $(N) --first $(FIRST) --files $(FILES) --jobs $(JOBS)

# Real releases of other systems as child processes (DeepSeek Harness, TunaCode, Vercel AI SDK): what
# was seen of them has to come out, twice the same. Writes reports/systems.md. ONLY="dsh tunacode"
# runs some. Needs node 20 and npm for the first and the last.
systems: $(VENV)/.dev
	$(BIN)/python -m tests.systems $(ONLY)

# How many schedules each search strategy needs to find small bugs; minutes.
bench-search: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bugs
	$(BIN)/python -m tests.benchmarks.endings

# Each scenario twice in one process, in fresh processes under other hash seeds, and on every
# supported Python that is installed here.
determinism: $(VENV)/.dev
	$(BIN)/python -m pytest tests/determinism
	$(BIN)/python -m tests.determinism

# The documentation as a site below build/docs, warnings as errors; generated pages first.
docs: $(VENV)/.dev
	$(BIN)/python -m tests.docs
	$(BIN)/python -m sphinx -n -W --keep-going -q docs build/docs

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache reports/latest

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[tinyagent,pydantic-ai]'
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[tinyagent,pydantic-ai,dev]'
	touch $@
