# From Strides to Shards. `make site` and `make test` are each complete: they create the environment they need.
PYTHON ?= python3
PORT ?= 8000
# How many lessons are executed at a time; as many as there are cores, if it is empty.
AT_ONCE ?=
# The commit with which a change begins; where the branch left origin/main, if it is empty.
SINCE ?=
# For `make test-weekly`: some lessons, such as "31_vmap 32_autodiff"; all of them, if it is empty.
LESSONS ?=
# Up to how many mutants, or so, are judged.
MOST ?= 400
# `--leave-out`: of `make test-colab`, ask what `.ci/run` has the time for.
LEAVE_OUT ?=
# `--every-look`: what `make test-site` looks for, it looks for in each theme and width.
EVERY_LOOK ?=
# The tests start some hundred Pythons, each of which would compile the course's modules anew.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
STACK := $(VENV)/.stack
READY := $(VENV)/.ready
# The tests compile as the class grader does. `make html` and the other stacks compile as JAX does.
QUICKLY = XLA_FLAGS="$$($(BIN)/python -c 'from jaxcourse.insides import quick_flags; print(*quick_flags())')"

.DEFAULT_GOAL := help
.PHONY: help site html pdf lint test test-quick test-all test-mutants test-weekly test-site test-colab test-newest test-versions notebooks check clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(STACK): requirements.txt
	@echo "== environment: creating $(VENV) from requirements.txt (a few minutes, once)"
	@$(PYTHON) -c 'import re, sys; need = re.search(r"requires-python = \">=([0-9.]+)", open("pyproject.toml").read())[1]; sys.exit(0 if sys.version_info >= tuple(map(int, need.split("."))) else f"Python {need} or newer is needed: make PYTHON=python3.13 ...")'
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(READY): $(STACK) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

site: html ## execute the lessons, build the site, serve it on 127.0.0.1
	@echo "== site: http://127.0.0.1:$(PORT)/ (Ctrl-C stops it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT) \
		|| { echo "If port $(PORT) is taken: make site PORT=8001"; exit 1; }

html: $(READY) ## execute the lessons and build the site, warnings as errors
	@echo "== site: executing what has changed, and building"
	@AT_ONCE=$(AT_ONCE) JUPYTER_PLATFORM_DIRS=1 $(BIN)/jupyter-book build . --all -W -n --keep-going
	@echo "== site: built in _build/html"

pdf: html ## print the whole course as one PDF for paper, with Chromium
	@echo "== pdf: $$($(BIN)/python book/pdf.py _build/html _build)"

lint: $(READY) ## look at style and types
	@echo "== test: style and types"
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check . && $(BIN)/mypy

# What each of these leaves out is listed in tests/left_out.py, and nowhere else.
TESTS = $(QUICKLY) $(BIN)/python -m pytest -q -n 2 --dist loadgroup --ignore=tests/site

test: lint ## ask everything once: style, types, package, contract
	@echo "== test: package and contract (the longest part)"
	@$(TESTS) --leave-out --costs

test-quick: lint ## ask, in two minutes, what the changed files can reach
	@echo "== test: what the change reaches"
	@$(TESTS) --leave-out --touched=$(SINCE) --seconds=90 --no-loadscope-reorder

test-all: lint ## ask everything: every answer and notebook, and mutants of what changed
	@echo "== test: package, contract and whole notebooks (the longest part)"
	@$(TESTS) --costs
	@$(MAKE) --no-print-directory test-mutants

test-mutants: $(READY) ## judge small changes of the solutions that have changed
	@echo "== test: mutants of the exercises that have changed"
	@$(BIN)/jaxcourse check --mutants --most=$(MOST) --since $(SINCE)

test-weekly: $(READY) ## ask what takes hours: all mutants, many draws, every answer graded
	@echo "== test: every listed answer, graded as students' are"
	@$(TESTS) --every-answer tests/grade/test_parity.py -k "$(if $(LESSONS),$(subst $(empty) , or ,$(strip $(LESSONS))))"
	@echo "== test: many draws, and all mutants"
	@$(BIN)/jaxcourse check --quick --seeds 60 $(LESSONS)
	@$(BIN)/jaxcourse check --mutants $(LESSONS)

test-site: $(READY) ## look at every page of the built site in a browser
	@test -e _build/html/index.html || { echo "There is no site yet: make html"; exit 1; }
	@echo "== test: every page of the site, in a browser"
	@$(BIN)/python -m pytest -q -rs -n 2 --dist worksteal --durations=5 tests/site $(EVERY_LOOK)

test-colab: $(READY) ## run every solved notebook on the stack that Colab has
	@$(BIN)/python tests/stack.py --python 3.13 --pins requirements-colab.txt $(LEAVE_OUT)

test-newest: $(READY) ## run every solved notebook on the newest JAX
	@$(BIN)/python tests/stack.py --python 3.13

test-versions: $(READY) ## try each version that a page names on both of its sides
	@$(BIN)/python tests/boundaries.py

notebooks: $(READY) ## write the generated notebooks
	@$(BIN)/jaxcourse notebooks

check: $(READY) ## prove that lessons and checks hold together
	@$(BIN)/jaxcourse check

clean: ## remove everything that make made
	rm -rf $(VENV) .venv-* _build dist
